"""A jar that benchmarks are run from, as it is now."""

from pathlib import PurePosixPath

from auditor.core.request import JarSpec
from runners.home import HomeFolder
from runners.subjects.placed import PlacedSubject
from runners.subjects.tree_entries import TreeEntry, place_entries

NAME = "subject.jar"
"""Its name in our folder: not the user's, since the content alone is the subject."""


def place_jar(spec: JarSpec, home: HomeFolder) -> PlacedSubject:
    """Copy the jar into a folder of its own."""
    root, digest, files = place_entries([TreeEntry(PurePosixPath(NAME), spec.path)], home)
    return PlacedSubject(
        root=root,
        tree=root,
        name=spec.path.name,
        revision=f"as it is, content {digest[:12]}",
        digest_of_tree=digest,
        files=files,
    )
