"""Which cluster a configuration means."""

from auditor.clusters.cluster import Cluster, open_cluster

__all__ = ["Cluster", "open_cluster"]
