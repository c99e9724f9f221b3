"""Which host a configuration means, where it keeps its things and what its processes get."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext

from auditor.config import Config, Places
from auditor.core.errors import UsageError
from auditor.core.hosts import LocalSpec
from auditor.core.ports import Clock
from auditor.hosts.docker import open_docker_host, remove_stale_containers
from auditor.hosts.opened import OpenHost, chosen_variables
from auditor.hosts.ssh import open_ssh_host
from runners.home import HomeFolder
from runners.hosts.descendants import JobCaps
from runners.hosts.local import LocalHost, reserve_processors
from runners.hosts.variables import usual_ones

_HOST_OPENERS = {"docker": open_docker_host, "ssh": open_ssh_host}


@contextmanager
def open_host(
    config: Config, places: Places, environment: Mapping[str, str], clock: Clock
) -> Iterator[OpenHost]:
    """Give the host of a configuration; raises MachineError where it cannot be had."""
    if config.host != "docker":
        remove_stale_containers(HomeFolder(places.home), environment)
    if (opener := _HOST_OPENERS.get(config.host)) is not None:
        with opener(config, places, environment, clock) as host:
            yield host
        return
    local, cpus = config.local, config.local.cpus
    extra_variables = chosen_variables(local.environment, environment, "local.environment")
    with reserve_processors(cpus, "local.cpus") if cpus else nullcontext():
        yield OpenHost(
            host=LocalHost(clock, cpus, _make_job_caps(local)),
            home=HomeFolder(places.home),
            environment={**usual_ones(environment), **extra_variables},
            lock=HomeFolder(places.home).machine_lock,
            clock=clock,
        )


def _make_job_caps(local: LocalSpec) -> JobCaps:
    caps = JobCaps(memory=local.memory, processes=local.processes)
    if caps != JobCaps() and sys.platform != "linux":
        raise UsageError(
            "local.memory and local.processes need Linux; leave them out, or measure in containers "
            "(--host docker)"
        )
    return caps
