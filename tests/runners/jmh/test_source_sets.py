"""Which class folders of a build are the library."""

from auditor.core.subject import Role
from runners.jmh.build.source_sets import SourceSet, list_parts


def source_set(top, module, kind, path=(), *, has_benchmarks=False):
    folder = top / module / "target" / kind
    (folder / "META-INF").mkdir(parents=True)
    if has_benchmarks:
        (folder / "META-INF" / "BenchmarkList").write_text("JMH S 1 A\n")
    return SourceSet(
        classes=(folder,), path=(folder, *path), sources=(), test=kind == "test-classes"
    )


def folders_by_role(top, *sets):
    parts = list_parts(sets, top=top, existing_files=(), scratch=top / "scratch")
    return {
        role: [part.path.relative_to(top).as_posix() for part in parts if part.role is role]
        for role in (Role.BENCHMARKS, Role.LIBRARY, Role.DEPENDENCY)
    }


def test_what_else_a_module_of_benchmarks_has_is_no_library(tmp_path):
    core = source_set(tmp_path, "core", "classes")
    helpers = source_set(tmp_path, "benchmarks", "classes")
    benchmarks = source_set(
        tmp_path,
        "benchmarks",
        "test-classes",
        (*helpers.classes, *core.classes),
        has_benchmarks=True,
    )

    assert folders_by_role(tmp_path, core, helpers, benchmarks) == {
        Role.BENCHMARKS: ["benchmarks/target/test-classes"],
        Role.LIBRARY: ["core/target/classes"],
        Role.DEPENDENCY: ["benchmarks/target/classes"],
    }


def test_the_only_classes_beside_benchmarks_are_the_library_whatever_the_module_is_called(tmp_path):
    main = source_set(tmp_path, "bench-tools", "classes")
    benchmarks = source_set(
        tmp_path, "bench-tools", "test-classes", main.classes, has_benchmarks=True
    )

    assert folders_by_role(tmp_path, main, benchmarks)[Role.LIBRARY] == [
        "bench-tools/target/classes"
    ]
