"""Maven with a local repository of ours; the user's settings count, their repository is read."""

import hashlib
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.errors import AuditError, BuildFailed, MachineError, ResolveFailed, ToolMissing
from auditor.core.jobs import CompletedProcess, Invocation, OutputMonitor
from auditor.core.ports import Host
from runners.home import HomeFolder
from runners.jmh.build.build_plan import BuildSteps
from runners.jmh.build.pom_changes import CheckFailed, failed_check
from runners.jmh.build.pom_tree import MavenModule
from runners.jmh.build.tool_needs import BuildToolNeed, find_need, java_asked_for, jdk_missing
from runners.jmh.jdk import find_jdk
from runners.steps import ignore_step

DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
"""Pinned: what a project's own plugin management says is not for us to depend on."""
_SECONDS = 3600
_TRANSFER_FAILURE = re.compile(r"Could not transfer artifact (\S+) from/to \S+ \(([^)\s]+)\)")
_COORDINATES = re.compile(r"Could not find artifact (\S+)")
_ABSENT = re.compile(
    r"Could not (find|resolve|transfer)|Non-resolvable|was not found in|not found in any|"
    r"offline mode"
)
_VERSION = re.compile(r"Apache Maven (\S+)")
_CHATTER = re.compile(r"To see the full|Re-run Maven|For more information|\[Help|After correcting")


class NotPublished(ResolveFailed):
    """A repository answered that it has no such artifact; `artifact` are its coordinates."""

    def __init__(self, message: str, artifact: str) -> None:
        """Take the line for the user and the coordinates."""
        super().__init__(message)
        self.artifact = artifact


@dataclass(frozen=True, slots=True, kw_only=True)
class Maven:
    """Runs Maven; `environment` is what the user has."""

    home: HomeFolder
    host: Host
    environment: tuple[tuple[str, str], ...]
    program: tuple[str, ...] = ("mvn",)
    """Or a project's own wrapper, which fetches its Maven into a folder of ours."""
    tell: Callable[[str], None] = ignore_step
    """Hears which step Maven is at."""

    def run_goals(self, *arguments: str, cwd: Path, activity: str) -> None:
        """Run goals in a folder of ours; raises, naming the activity, when they fail."""
        repository = self.home.make_cache_folder("maven")
        with self.home.lock_folder(repository):
            words = ("-U", *self.list_common_arguments(cwd), *arguments)
            answer = self._run(*words, cwd=cwd)
        if answer.exit_code != 0:
            raise self._diagnose_failure(answer, cwd, activity)

    def _diagnose_failure(self, answer: CompletedProcess, cwd: Path, activity: str) -> AuditError:
        output = _decode_without_colours(answer.stdout + b"\n" + answer.stderr)
        # From the first error on: an exception's lines have no mark, and warnings are in front.
        if check := failed_check(output):
            return CheckFailed(str(_make_build_error(answer, activity)), check)
        need = find_need(output[max(0, output.find("[ERROR]")) :]) or self._skipped_need(cwd)
        if need is None or answer.timed_out:
            return _make_build_error(answer, activity)
        if need.tool == "JDK":
            return jdk_missing(need, activity, self.host, self.environment)
        match = _VERSION.search(_decode_without_colours(self._run("-v", cwd=cwd).stdout))
        return ToolMissing(
            f"{activity}: the project needs {need.versions}, and mvn is "
            f"{match[1] if match else 'of an unknown version'}; install it, or add Maven's wrapper "
            "(mvnw) to the project"
        )

    def _skipped_need(self, cwd: Path) -> BuildToolNeed | None:
        """Return what the enforcer, which is skipped, would have said of the JDK."""
        rules = MavenModule(cwd).root_element.iter(
            "{http://maven.apache.org/POM/4.0.0}requireJavaVersion"
        )
        versions = [rule.findtext("{*}version") or "" for rule in rules]
        if not versions:
            return None
        feature = find_jdk(self.host, self.environment).feature
        needs = (java_asked_for(" ".join(version.split()), feature) for version in versions)
        return next(filter(None, needs), None)

    def is_runnable(self, cwd: Path) -> bool:
        """Tell whether it says its version: a wrapper may not be able to fetch its Maven."""
        return self._run("-v", cwd=cwd).exit_code == 0

    def list_common_arguments(self, cwd: Path) -> tuple[str, ...]:
        """Return the arguments that each call has."""
        repository = self.home.make_cache_folder("maven")
        fixed_arguments = ("-B", "-Dstyle.color=never", f"-Dmaven.repo.local={repository}")
        return (*fixed_arguments, *self._borrow_user_repository(cwd))

    def make_job(self, *arguments: str, cwd: Path) -> Invocation:
        """Return a process of Maven."""
        # All of it: proxies and trust stores may be in JAVA_TOOL_OPTIONS and the like.
        variables = dict(self.environment)
        # Java takes the home folder from the user database; what we were given counts.
        home_option = f"-Duser.home={variables['HOME']}" if "HOME" in variables else ""
        variables["MAVEN_OPTS"] = f"{home_option} {variables.get('MAVEN_OPTS', '')}".strip()
        variables["MAVEN_USER_HOME"] = str(self.home.make_cache_folder("maven-wrapper"))
        return Invocation(
            argv=(*self.program, *arguments),
            cwd=cwd,
            environment=tuple(sorted(variables.items())),
            timeout_seconds=_SECONDS,
        )

    def _run(self, *arguments: str, cwd: Path) -> CompletedProcess:
        try:
            steps = OutputMonitor(read=BuildSteps("Maven", self.tell).report_steps)
            return self.host.run_process(replace(self.make_job(*arguments, cwd=cwd), follow=steps))
        except ToolMissing as error:
            raise ToolMissing(
                "mvn was not found on PATH; install Maven 3.8 or newer, or add its folder to PATH"
            ) from error

    def _borrow_user_repository(self, cwd: Path) -> tuple[str, ...]:
        """Return options that let Maven read what the user has already downloaded."""
        repository = user_repository(dict(self.environment).get("HOME"))
        if repository is None:
            return ()
        answer = self._run("-v", cwd=cwd)
        output = _decode_without_colours(answer.stdout)
        version = re.search(r"Apache Maven (\d+)\.(\d+)", output)
        place = re.search(r"^Maven home: (.+)$", output, re.MULTILINE)
        if version is None or place is None:
            raise ToolMissing(
                f"mvn -v gave no version: {answer.format_tail(2)}; install Maven 3.8 or newer"
            )
        if (int(version[1]), int(version[2])) >= (3, 9):
            return (
                f"-Dmaven.repo.local.tail={repository}",
                "-Dmaven.repo.local.tail.ignoreAvailability=true",
            )
        settings = self.home.make_cache_folder("maven-settings") / "settings.xml"
        content = with_repository(Path(place[1]) / "conf" / "settings.xml", repository)
        settings.write_bytes(content)
        return ("-gs", str(settings))


def fetch_jar(maven: Maven, artifact: str, sha256: str, purpose: str) -> Path:
    """Return a jar of our own choice, fetched if need be; only the bytes that we know are taken."""
    _, name, version = artifact.split(":")
    folder = maven.home.make_tool_folder(name)
    jar = folder / f"{name}-{version}.jar"
    with maven.home.lock_folder(folder):
        return _fetch_verified_jar(maven, artifact, jar, sha256, purpose)


def _fetch_verified_jar(maven: Maven, artifact: str, jar: Path, sha256: str, purpose: str) -> Path:
    folder = jar.parent
    if not jar.is_file() or file_digest(jar) != sha256:
        maven.run_goals(
            f"{DEPENDENCY_PLUGIN}:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}",
            "-Dmdep.overWriteReleases=true",
            cwd=folder, activity=f"fetching {artifact} for {purpose}",
        )  # fmt: skip
    if file_digest(jar) != sha256:
        raise ResolveFailed(
            f"{artifact} from the Maven repository has the wrong digest (SHA-256 "
            f"{file_digest(jar)}); delete {jar} and check the mirrors in settings.xml"
        )
    return jar


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal; raises MachineError where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise MachineError(f"cannot read {path}: {error.strerror}") from error


def user_repository(home: str | None) -> Path | None:
    """Return the user's local repository, None if there is none."""
    if home is None:
        return None
    folder = Path(home) / ".m2"
    named = ""
    try:
        root = ET.parse(folder / "settings.xml").getroot()  # noqa: S314 (the user's own file)
        named = (root.findtext("{*}localRepository") or "").strip()
    except (OSError, ET.ParseError, LookupError, ValueError):
        pass  # no settings; broken ones Maven itself will complain about
    path = Path(named.replace("${user.home}", home)) if named else folder / "repository"
    return path if path.is_dir() else None


_PROFILE = """<profile xmlns="{space}"><id>bench-audit</id>
<{kind}ies><{kind}y><id>bench-audit-borrowed</id><url>{url}</url>
<releases><checksumPolicy>ignore</checksumPolicy></releases>
<snapshots><updatePolicy>always</updatePolicy><checksumPolicy>ignore</checksumPolicy></snapshots>
</{kind}y></{kind}ies></profile>"""


def with_repository(settings: Path, repository: Path) -> bytes:
    """Return the installation's settings plus a local repository as one more remote one.

    Maven before 3.9 cannot chain local repositories; theirs has the layout of a remote one.
    """
    try:
        root = ET.parse(settings).getroot()  # noqa: S314 (the installation's own file)
    except (OSError, ET.ParseError, LookupError, ValueError):
        root = ET.Element("{http://maven.apache.org/SETTINGS/1.2.0}settings")
    space = root.tag.partition("}")[0].lstrip("{") if "}" in root.tag else ""
    ET.register_namespace("", space)
    active = _ensure_child(root, space, "activeProfiles")
    for kind in ("repositor", "pluginRepositor"):
        text = _PROFILE.format(space=space, kind=kind, url=repository.resolve().as_uri())
        profile = ET.fromstring(text)  # noqa: S314 (our own text)
        name = profile[0]
        name.text = f"bench-audit-{kind}ies"
        _ensure_child(root, space, "profiles").append(profile)
        ET.SubElement(active, name.tag.replace("id", "activeProfile")).text = name.text
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _ensure_child(root: ET.Element, space: str, name: str) -> ET.Element:
    tag = f"{{{space}}}{name}" if space else name
    element = root.find(tag)
    return ET.SubElement(root, tag) if element is None else element


def _decode_without_colours(text: bytes) -> str:
    """Decode, without the colours that some installations insist on."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text.decode(errors="replace"))


def _list_error_lines(answer: CompletedProcess) -> list[str]:
    """Return the lines that Maven marks as errors, without advice of its own."""
    lines = [
        line.removeprefix("[ERROR]").partition("-> [Help")[0].strip()[:500]
        for line in _decode_without_colours(answer.stdout + b"\n" + answer.stderr).splitlines()
        if line.startswith("[ERROR]")
    ]
    return [line for line in lines if line and not _CHATTER.match(line)]


def _make_build_error(answer: CompletedProcess, activity: str) -> AuditError:
    errors = _list_error_lines(answer)
    text = "\n".join(errors)
    advice = "check the network, and the mirrors in settings.xml"
    if answer.timed_out:
        return ResolveFailed(
            f"{activity}: mvn did not end within {_SECONDS // 60} minutes; {advice}"
        )
    if transfer := _TRANSFER_FAILURE.search(text):
        return ResolveFailed(f"{activity}: cannot fetch {transfer[1]} from {transfer[2]}; {advice}")
    if absent := _COORDINATES.search(text):
        return NotPublished(
            f"{activity}: no repository has {absent[1]}; check the name and the version", absent[1]
        )
    if _ABSENT.search(text):
        return ResolveFailed(f"{activity}: {errors[0]}; {advice}")
    details = "\n".join(errors[:12]) or answer.format_tail()
    return BuildFailed(f"{activity}: mvn ended with {answer.exit_code}; it said:\n{details}")
