"""Any kind of subject, placed."""

import hashlib
import re
from typing import assert_never

from auditor.core.ports import Host
from auditor.core.request import (
    DistributionSpec,
    FolderSpec,
    GitSpec,
    GoModuleSpec,
    JarSpec,
    MavenSpec,
    SubjectSpec,
)
from runners.home import HomeFolder
from runners.subjects.distribution import place_distribution
from runners.subjects.folder import place_folder
from runners.subjects.jar import place_jar
from runners.subjects.module import place_module
from runners.subjects.placed import PlacedSubject
from runners.subjects.revision import place_revision


def place_subject(
    spec: SubjectSpec, *, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
) -> PlacedSubject:
    """Put the subject's tree into a folder of ours; `environment` is what its tools get.

    Artifacts have no tree: they get an empty folder, and the harness's project fills it.
    """
    match spec:
        case FolderSpec():
            return place_folder(spec, home)
        case JarSpec():
            return place_jar(spec, home)
        case GitSpec():
            return place_revision(spec, home)
        case GoModuleSpec():
            return place_module(spec, home=home, host=host, environment=environment)
        case DistributionSpec():
            return place_distribution(spec, home=home, host=host, environment=environment)
        case MavenSpec():
            return place_artifact(spec, home)
        case _:
            assert_never(spec)


def place_artifact(spec: MavenSpec, home: HomeFolder) -> PlacedSubject:
    """Return the folder that the files of these artifacts go to."""
    name = f"{spec.group}:{spec.artifact}"
    identity_text = "\n".join((name, spec.version, *spec.extra))
    digest = hashlib.sha256(identity_text.encode()).hexdigest()
    readable = re.sub(r"[^\w.-]", "_", f"{spec.artifact}-{spec.version}")
    folder = home.make_work_folder(f"{readable}-{digest[:12]}")
    return PlacedSubject(
        root=folder, tree=folder, name=name, revision=spec.version, digest_of_tree=digest
    )
