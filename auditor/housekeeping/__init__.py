"""Small commands around a project, a store and a machine."""
