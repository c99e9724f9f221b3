"""What is said of projects that build tools build which are not called here."""

import pytest

from auditor.core.errors import SubjectError
from runners.subjects.folder import project_folder


@pytest.mark.parametrize(
    ("file", "tool"),
    [
        ("build.sbt", "sbt builds it.*`sbt Jmh/assembly`"),
        ("build.mill", "Mill builds it"),
        ("MODULE.bazel", "Bazel builds it.*_deploy.jar"),
        ("build.xml", "Ant builds it"),
    ],
)
def test_the_way_through_a_jar_is_said(file, tool, tmp_path):
    (tmp_path / file).touch()

    with pytest.raises(SubjectError, match=tool) as failure:
        project_folder(tmp_path)

    assert "name a jar" in str(failure.value)


def test_a_build_tool_that_is_called_counts_first(tmp_path):
    (tmp_path / "build.sbt").touch()
    (tmp_path / "pom.xml").touch()

    assert project_folder(tmp_path) == tmp_path.resolve()
