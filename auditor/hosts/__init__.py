"""Which host a configuration means, where it keeps its things and what its processes get."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext

from auditor.config import Config, Places
from auditor.core.errors import UsageError
from auditor.core.hosts import LocalSpec
from auditor.core.ports import Clock
from auditor.hosts.docker import docker_host, sweep_left
from auditor.hosts.opened import OpenHost, chosen_variables
from auditor.hosts.ssh import ssh_host
from runners.home import Home
from runners.hosts.capped import Caps
from runners.hosts.local import LocalHost
from runners.hosts.processors import left_to_us
from runners.hosts.variables import usual_ones

_OTHERS = {"docker": docker_host, "ssh": ssh_host}


@contextmanager
def open_host(
    config: Config, places: Places, environment: Mapping[str, str], clock: Clock
) -> Iterator[OpenHost]:
    """Give the host of a configuration; raises MachineError where it cannot be had."""
    if config.host != "docker":
        sweep_left(Home(places.home), environment)
    if (other := _OTHERS.get(config.host)) is not None:
        with other(config, places, environment, clock) as host:
            yield host
        return
    local, cpus = config.local, config.local.cpus
    given = chosen_variables(local.environment, environment, "local.environment")
    with left_to_us(cpus, "local.cpus") if cpus else nullcontext():
        yield OpenHost(
            host=LocalHost(clock, cpus, _caps(local)),
            home=Home(places.home),
            environment={**usual_ones(environment), **given},
            lock=Home(places.home).machine_lock,
            clock=clock,
        )


def _caps(local: LocalSpec) -> Caps:
    caps = Caps(memory=local.memory, processes=local.processes)
    if caps != Caps() and sys.platform != "linux":
        raise UsageError(
            "local.memory and local.processes need Linux; leave them out, or measure in containers "
            "(--host docker)"
        )
    return caps
