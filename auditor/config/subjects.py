"""The ways to name a subject."""

import hashlib
import re
from pathlib import Path

import msgspec

from auditor.config.sections import PythonSection, SubjectSection
from auditor.core.errors import UsageError
from auditor.core.files.paths import is_dir, is_file, path_exists
from auditor.core.request import (
    BuildOptions,
    DistributionSpec,
    FolderSpec,
    GitSpec,
    GoModuleSpec,
    Installer,
    JarSpec,
    MavenSpec,
    PythonSpec,
    SubjectSpec,
)

PREFIXES = ("git:", "go:", "maven:", "pypi:")
JAR = ".jar"
_OF_TREES = ("profiles", "flags", "gradle")
"""What is said to a build of sources."""

_AT_THE_END = re.compile(r"^(?P<before>.+)@(?P<after>[^@{][^@]*(?:@\{[^}]*\})?)$", re.DOTALL)
"""The last @, unless it is git's own as in HEAD@{1}."""


_SECRET = re.compile(
    r"://([^/@:]*:[^/@]*|[A-Z0-9_.%-]{20,})@|[?&;][^?&;=]*(token|key|secret|passw)[^?&;=]*=",
    re.IGNORECASE,
)
"""A user with a password (or without: it is a token then), one as long as tokens are, a query."""


def parse_subject(
    subject: str | SubjectSection, folder: Path, place: str = "subject"
) -> SubjectSpec:
    """Return the subject meant; paths are relative to `folder`. Raises UsageError.

    `place` is where in a configuration it stands.
    """
    if isinstance(subject, SubjectSection):
        return _from_object(subject, folder, place)
    kind, _, rest = subject.partition(":")
    match kind + ":":
        case "git:":
            return _parse_git(rest, folder)
        case "go:":
            return _parse_go(rest)
        case "maven:":
            return _parse_maven(rest, ())
        case "pypi:":
            return _parse_distribution(rest)
    return _parse_path(subject, folder)


def _from_object(section: SubjectSection, folder: Path, place: str) -> SubjectSpec:
    choices = [
        (kind, value)
        for kind, value in (
            ("path", section.path),
            ("git", section.git),
            ("go", section.go),
            ("maven", section.maven),
            ("pypi", section.pypi),
        )
        if value is not None
    ]
    if len(choices) != 1:
        raise UsageError(f"{place} needs exactly one of path, git, go, maven and pypi")
    kind, value = choices[0]
    words = next((name for name in _OF_TREES if getattr(section, name)), "")
    if section.jdk and kind in ("go", "pypi"):
        raise UsageError(f"jdk at {place} is for JMH suites, not for {kind}")
    if words and (kind not in ("path", "git") or value.endswith(JAR)):
        description = "a jar, which is built already" if value.endswith(JAR) else kind
        raise UsageError(f"{words} at {place} works only with path or git, not with {description}")
    if kind == "maven":
        return _parse_maven(value, section.extra)
    if section.extra:
        raise UsageError(f"extra at {place} works only with maven, not with {kind}")
    return (
        _parse_path(value, folder) if kind == "path" else parse_subject(f"{kind}:{value}", folder)
    )


def _refuse_secret(text: str, label: str) -> None:
    """Raise UsageError for a URL with a password, which is not repeated; `label` names the key."""
    if _SECRET.search(text):
        raise UsageError(
            f"{label} contains a password or token, which results and logs would show; remove it, "
            "and use a git credential helper or http.extraHeader"
        )


def _parse_path(text: str, folder: Path) -> FolderSpec | JarSpec:
    _refuse_secret(text, "the URL of the subject")
    path = _resolve_path(text, folder)
    if is_dir(path):
        return FolderSpec(path)
    if is_file(path) and path.suffix == JAR:
        return JarSpec(path)
    if path_exists(path):
        raise UsageError(
            f"the subject {path} is neither a folder nor a {JAR}; name the project's folder"
        )
    hint = "" if ":" not in text else f"; the known prefixes are {', '.join(PREFIXES)}"
    raise UsageError(f"no such {'file' if path.suffix == JAR else 'folder'}: {path}{hint}")


def _parse_git(text: str, folder: Path) -> GitSpec:
    _refuse_secret(text, "the URL of the subject")
    form = "write git:PATH-OR-URL@REVISION, for example git:.@HEAD"
    match = _AT_THE_END.match(text)
    if not match or text.startswith("-"):
        raise UsageError(f"the subject git:{text} has no revision; {form}")
    repository, revision = match["before"], match["after"]
    # What follows the @ of git@host:path or https://user@host/path is no revision.
    beyond_host = "/" in repository.partition("://")[2]
    if ":" in revision or ("://" in repository and not beyond_host) or revision.startswith("-"):
        raise UsageError(f"the subject git:{text} has no revision; {form}")
    return GitSpec(_resolve_repository(repository, folder), revision)


def _resolve_repository(text: str, folder: Path) -> str:
    remote = "://" in text or re.match(r"^[^/]+:", text)
    return text if remote else str(_resolve_path(text, folder))


def _parse_go(text: str) -> GoModuleSpec:
    module, _, version = text.partition("@")
    well_formed = re.fullmatch(r"[^\s@-][^\s@]*@[^\s@-][^\s@]*", text)
    if not well_formed or ".." in module.split("/"):
        raise UsageError(
            f"the subject go:{text} is not a module with a version; "
            "write go:MODULE@VERSION, for example go:github.com/google/uuid@v1.6.0 or ...@latest"
        )
    return GoModuleSpec(module, version)


def _parse_maven(text: str, extra: tuple[str, ...]) -> MavenSpec:
    group, artifact, version = _split_coordinates(text, "the subject maven:" + text)
    for dependency in extra:
        _split_coordinates(dependency, f"the extra dependency {dependency}")
    return MavenSpec(group=group, artifact=artifact, version=version, extra=extra)


def _parse_distribution(text: str) -> DistributionSpec:
    # Names as the packaging standard has them: nothing that pip could take for an option.
    match = re.fullmatch(r"([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)@([A-Za-z0-9][\w.!+-]*)", text)
    if match is None:
        raise UsageError(
            f"the subject pypi:{text} is not a project with a version; write pypi:NAME@VERSION, "
            "for example pypi:pluggy@1.7.0"
        )
    return DistributionSpec(match[1], match[2])


def _split_coordinates(text: str, label: str) -> tuple[str, str, str]:
    parts = text.split(":")
    # At least one letter or digit, so that no part can be a path such as "..".
    if len(parts) != 3 or not all(re.fullmatch(r"[.+-]*\w[\w.+-]*", part) for part in parts):
        raise UsageError(
            f"{label} is not GROUP:ARTIFACT:VERSION, for example org.apache.commons:commons-text:"
            "1.11.0"
        )
    group, artifact, version = parts
    return group, artifact, version


def _resolve_path(text: str, folder: Path) -> Path:
    try:
        return (folder / Path(text).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"the subject {text!r} is not a path: {error}") from error


def revise_subject(subject: SubjectSpec, revision: str, folder: Path) -> SubjectSpec:
    """Return another revision of a subject, or what else is written; a dot is the subject as it is.

    A revision of a folder is one of its repository. Raises UsageError.
    """
    if revision == ".":
        return subject
    if isinstance(subject, MavenSpec) and not revision.startswith(PREFIXES):
        return _parse_maven(f"{subject.group}:{subject.artifact}:{revision}", subject.extra)
    return parse_subject(_revise_text(subject, revision), folder)


def as_revision(subject: SubjectSpec) -> str:
    """Return what `revise_subject` makes this subject of."""
    return "." if isinstance(subject, FolderSpec) else describe_subject(subject)


def _revise_text(subject: SubjectSpec, text: str) -> str:
    if not text.startswith(PREFIXES):
        match subject:
            case FolderSpec(path):
                return f"git:{path}@{text}"
            case GitSpec(repository, _):
                return f"git:{repository}@{text}"
            case GoModuleSpec(module, _):
                return f"go:{module}@{text}"
            case DistributionSpec(name, _):
                return f"pypi:{name}@{text}"
    return text


def describe_subject(subject: SubjectSpec) -> str:
    """Return the subject as one can write it, paths absolute (extra dependencies left out)."""
    match subject:
        case FolderSpec(path) | JarSpec(path):
            return str(path)
        case GitSpec(repository, revision):
            return f"git:{repository}@{revision}"
        case GoModuleSpec(module, version):
            return f"go:{module}@{version}"
        case DistributionSpec(name, version):
            return f"pypi:{name}@{version}"
        case MavenSpec():
            return f"maven:{subject.group}:{subject.artifact}:{subject.version}"


def build_slug(subject: SubjectSpec) -> str:
    """Return a name for a folder: readable, and not shared by two subjects."""
    readable = (
        re.sub(r"[^A-Za-z0-9._-]+", "-", _name_subject(subject)).strip("-.")[:60] or "subject"
    )
    return f"{readable}-{hashlib.sha256(repr(subject).encode()).hexdigest()[:8]}"


def _name_subject(subject: SubjectSpec) -> str:
    match subject:
        case FolderSpec(path) | JarSpec(path):
            return path.name
        case GitSpec(repository, revision):
            last = repository.rstrip("/").rpartition("/")[2]
            return f"{last.removesuffix('.git')}-{revision}"
        case GoModuleSpec(module, version):
            return f"{module.rpartition('/')[2]}-{version}"
        case DistributionSpec(name, version):
            return f"{name}-{version}"
        case MavenSpec():
            return f"{subject.artifact}-{subject.version}"


def read_build_options(subject: str | SubjectSection) -> BuildOptions:
    """Return what a subject asks of its build."""
    if isinstance(subject, str):
        return BuildOptions()
    return BuildOptions(
        subject.profiles, subject.flags, jdk=subject.jdk or "", gradle=subject.gradle or ""
    )


def resolve_subject(subject: SubjectSpec, words: BuildOptions) -> str | SubjectSection:
    """Return the subject as a configuration that means the same from everywhere."""
    text = describe_subject(subject)
    if isinstance(subject, MavenSpec):
        section = SubjectSection(maven=text.removeprefix("maven:"), extra=subject.extra)
    elif isinstance(subject, GitSpec):
        section = SubjectSection(git=text.removeprefix("git:"))
    else:
        section = SubjectSection(path=text)
    if words == BuildOptions() and not section.extra:
        return text
    return msgspec.structs.replace(
        section,
        profiles=words.profiles,
        flags=words.flags,
        jdk=words.jdk or None,
        gradle=words.gradle or None,
    )


def python_spec(section: PythonSection, folder: Path) -> PythonSpec:
    """Return it; the path of an interpreter is relative to `folder`, a bare name is on PATH.

    Raises UsageError for a requirement or an option with a password, and for a place of tests.
    """
    for requirement in section.requirements:
        _refuse_secret(requirement, "a requirement at python.requirements")
    for option in section.pytest_options:
        _refuse_secret(option, "an option at python.pytest_options")
        _check_option(option)
    path = section.interpreter
    if path and "/" in path:
        # Not resolved: an environment's interpreter is a link, and known by where the link is.
        path = str(folder / Path(path).expanduser())
    return PythonSpec(
        interpreter=path,
        installer=Installer(section.installer),
        extras=section.extras,
        groups=section.groups,
        requirements=section.requirements,
        pytest_options=section.pytest_options,
    )


def _check_option(option: str) -> None:
    """Raise UsageError for a text that pytest would take as a place of tests."""
    if not option.startswith("-"):
        raise UsageError(
            f"python.pytest_options has {option!r}, which is no option; "
            'write an option and its value as one text, such as "--backend=numpy"'
        )
