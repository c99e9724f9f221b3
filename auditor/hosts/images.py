"""The image that the containers of a configuration are made of."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.config import Config
from auditor.core.errors import UsageError
from auditor.core.request import FolderSpec, GitSpec
from auditor.languages.model import LanguageSupport
from auditor.languages.registry import LANGUAGES
from runners.home import HomeFolder
from runners.subjects.folder import place_folder
from runners.subjects.revision import place_revision

if TYPE_CHECKING:
    from runners.hosts.daemon import DockerDaemon, Image

_CUSTOM_IMAGE = "bench-audit/own"


def require_image_choice(config: Config) -> None:
    """Raise UsageError where only a look at the subject would tell which image is meant."""
    if not (config.docker.image or config.docker.dockerfile):
        _choose_language(config)


def prepare_image(daemon: "DockerDaemon", config: Config, home: HomeFolder) -> "Image":
    """Return the image, made where it is not there; a subject that has it is placed in `home`.

    Raises UsageError, and what a daemon raises that cannot make it.
    """
    spec = config.docker
    if spec.image:
        return daemon.fetch_image(spec.image)
    if spec.dockerfile and spec.dockerfile.is_absolute():
        return daemon.build_image(spec.dockerfile, _CUSTOM_IMAGE)
    if spec.dockerfile:
        return daemon.build_image(_copy_subject_file(config, spec.dockerfile, home), _CUSTOM_IMAGE)
    name = _choose_language(config).image
    with as_file(files("runners.hosts") / "images" / f"{name}.Dockerfile") as path:
        return daemon.build_image(path, f"bench-audit/{name}")


def _copy_subject_file(config: Config, inside: Path, home: HomeFolder) -> Path:
    """Return a file of the subject, in a copy: of the revision, and not of what lies around it."""
    match config.subject:
        case FolderSpec():
            placed = place_folder(config.subject, home)
        case GitSpec():
            placed = place_revision(config.subject, home)
        case _:
            raise UsageError(
                "docker.dockerfile needs a subject that is a folder or a git revision; name a "
                "Dockerfile outside the subject, or docker.image"
            )
    path = placed.tree / inside
    if not path.is_file() or not path.resolve().is_relative_to(placed.root.resolve()):
        raise UsageError(
            f"{placed.name} has no file {inside}, which docker.dockerfile names; files that git "
            "ignores are not copied"
        )
    return path


def _choose_language(config: Config) -> LanguageSupport:
    """Return the language whose image is meant; raises UsageError where only a look would tell."""
    if config.harness is not None:
        language = LANGUAGES.of_harness(config.harness)
    elif isinstance(config.subject, FolderSpec):
        language = LANGUAGES.of_suite(config.subject.path)
    else:
        language = LANGUAGES.of_subject(config.subject)
    if language is not None:
        return language
    raise UsageError(
        "the Docker image cannot be chosen before the subject is fetched; set docker.image, "
        "docker.dockerfile or the harness"
    )
