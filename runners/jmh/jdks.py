"""The JDKs that are installed on a machine, wherever installers put them."""

from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import MachineError, UsageError
from auditor.core.jobs import Invocation
from auditor.core.ports import Host
from runners.jmh.jdk import java_environment

_PLACES = (
    "/usr/lib/jvm/*", "/usr/java/*", "/opt/*", "/opt/java/*", "/opt/hostedtoolcache/*/*/*",
    '"$HOME"/.sdkman/candidates/java/*', '"$HOME"/.jdks/*', '"$HOME"/.asdf/installs/java/*',
    '"$HOME"/.local/share/mise/installs/java/*', '"$HOME"/.gradle/jdks/*',
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
)  # fmt: skip
_SCRIPT = f"""for each in "$JAVA_HOME" {" ".join(_PLACES)}; do
    if [ -x "$each/bin/javac" ] && [ -f "$each/release" ]; then
        version=$(sed -n 's/^JAVA_VERSION="\\(.*\\)"$/\\1/p' "$each/release")
        printf '%s\\t%s\\t%s\\n' "$version" "$(cd "$each" && pwd -P)" "$each"
    fi
done"""
_SECONDS = 30


@dataclass(frozen=True, slots=True)
class InstalledJdk:
    """A JDK on a machine."""

    version: str
    """As its `release` file has it: 17.0.15, 1.8.0_292."""
    home: Path

    @property
    def feature(self) -> int:
        """Return its number, 17 or 8; 0 where the version has none."""
        number = self.version.removeprefix("1.").split(".")[0].split("-")[0].split("+")[0]
        return int(number) if number.isdigit() else 0


def installed_jdks(
    host: Host, environment: tuple[tuple[str, str], ...]
) -> tuple[InstalledJdk, ...]:
    """Return the JDKs of a machine, the newest first, each once; none where it cannot be asked."""
    job = Invocation(
        argv=("sh", "-c", _SCRIPT),
        cwd=Path("/"),
        environment=java_environment(environment),
        timeout_seconds=_SECONDS,
    )
    try:
        answer = host.run_process(job)
    except MachineError:
        return ()
    jdks: dict[str, InstalledJdk] = {}
    for line in answer.stdout.decode(errors="replace").splitlines():
        version, real, home = (*line.split("\t"), "", "")[:3]
        if home:
            jdks.setdefault(real, InstalledJdk(version, Path(home)))
    return tuple(sorted(jdks.values(), key=lambda jdk: (-jdk.feature, jdk.home)))


def with_jdk(
    jdk_choice: str, host: Host, environment: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """Return the environment with the chosen JDK, a folder or a number, as JAVA_HOME.

    Raises UsageError for a number of which no JDK is installed.
    """
    if not jdk_choice:
        return environment
    home = jdk_choice
    if jdk_choice.isdigit():
        jdks = installed_jdks(host, environment)
        homes = [str(jdk.home) for jdk in jdks if jdk.feature == int(jdk_choice)]
        if not homes:
            raise UsageError(
                f"no JDK {jdk_choice} is installed; {describe_jdks(jdks)}; "
                "name the folder of one in jdk"
            )
        home = homes[0]
    variables = dict(environment)
    path = f"{home}/bin:{variables.get('PATH', '')}".rstrip(":")
    return tuple(sorted({**variables, "JAVA_HOME": home, "PATH": path}.items()))


def describe_jdks(jdks: tuple[InstalledJdk, ...]) -> str:
    """Return which JDKs are installed, in words."""
    if not jdks:
        return "no JDK was found in the usual folders"
    return "installed: " + ", ".join(f"{jdk.version} ({jdk.home})" for jdk in jdks)
