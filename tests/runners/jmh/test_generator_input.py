"""Which class files JMH's generator is run on, and of which version."""

from pathlib import Path

import pytest
from maven_making import write

from runners.jmh.build.bytecode_generator import (
    _ANNOTATION,
    _find_benchmark_classes,
    _jmh_version,
    has_benchmarks,
)
from runners.jmh.build.source_sets import SourceSet


def test_a_folder_that_is_named_like_a_class_is_none(tmp_path):
    write(tmp_path, {"X.class/a.txt": "", "org/Y.class": _ANNOTATION.decode()})

    assert _find_benchmark_classes(tmp_path) == ["org/Y.class"]
    assert has_benchmarks(SourceSet(classes=(tmp_path,), path=(), sources=(), test=False))


@pytest.mark.parametrize(
    ("names", "version"),
    [
        (["jmh-core-1.37.jar"], "1.37"),
        (["jmh-core-1.37-tests.jar", "jmh-core-1.37.jar"], "1.37"),
        (["jmh-core-1.38-SNAPSHOT-sources.jar"], "1.38-SNAPSHOT"),
        (["jmh-core-benchmarks-1.37.jar", "jmh-core-1.36.jar"], "1.36"),
        (["jmh-core.jar", "core-1.jar"], None),
    ],
)
def test_the_version_of_jmh_is_read_without_the_kind_of_its_jar(names, version):
    assert _jmh_version([Path("/m2") / name for name in names]) == version
