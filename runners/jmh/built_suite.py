"""A JMH suite as one machine has built it, for others that then need neither Maven nor Gradle."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from auditor.core.errors import MachineError
from auditor.core.ports import Host
from auditor.core.subject import Project
from runners.home import HomeFolder
from runners.jmh.guests import JmhGuest
from runners.jmh.jdk import find_jdk, java_environment
from runners.subjects.placed import PlacedSubject
from runners.tree_archive import pack_folders, unpack_folders

_TREE, _GUESTS = "tree", "guests"


@dataclass(frozen=True, slots=True)
class BuiltSuite:
    """Class folders and jars, ours among them. `names` are the places of a project's parts.

    The folder that it was built in is sent with them, as its benchmarks may read files of it.
    """

    project: Project
    root: str
    names: tuple[str, ...]
    archive: bytes = field(repr=False)

    @classmethod
    def pack_suite(cls, project: Project, guests: JmhGuest, placed: PlacedSubject) -> Self:
        """Pack what was built of a placed tree."""
        inside = placed.tree.relative_to(placed.root)
        top = project.root.parents[len(inside.parts) - 1] if inside.parts else project.root
        names, outside_parts = [], []
        for number, part in enumerate(project.parts):
            if part.path.is_relative_to(top):
                names.append((Path(_TREE) / part.path.relative_to(top)).as_posix())
                continue
            # As it is called: a jar's name may be read from the class path.
            names.append(f"parts/{number}/{part.path.name}")
            if part.path.exists():
                outside_parts.append((names[-1], part.path))
        archive = pack_folders([(_TREE, top), (_GUESTS, guests.folder), *outside_parts])
        return cls(project, (Path(_TREE) / inside).as_posix(), tuple(names), archive)

    def unpack_suite(
        self, *, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
    ) -> tuple[Project, JmhGuest]:
        """Have it on this machine; raises MachineError where its JDK is another one."""
        jdk = find_jdk(host, environment)
        audit_jdk_version = dict(self.project.versions)["jdk"]
        if jdk.version != audit_jdk_version:
            raise MachineError(
                f"{jdk.java} is another JDK ({_take_first_line(jdk.version)}) than on the machine "
                f"that runs the audit ({_take_first_line(audit_jdk_version)}); install the same one"
            )
        suite_folder = unpack_folders(self.archive, f"java-{self.project.digest}", home)
        programs = {"java": jdk.java, "javac": jdk.javac}
        project = replace(
            self.project,
            root=suite_folder / self.root,
            parts=tuple(
                replace(part, path=suite_folder / name)
                for part, name in zip(self.project.parts, self.names, strict=True)
            ),
            environment=java_environment(environment),
            options=tuple((key, programs.get(key, value)) for key, value in self.project.options),
        )
        return project, JmhGuest(suite_folder / _GUESTS)


def _take_first_line(version: str) -> str:
    return version.partition("\n")[0]
