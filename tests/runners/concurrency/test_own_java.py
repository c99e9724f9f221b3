"""The Java that runs the subject; what it says of itself is read, no JDK is needed."""

from pathlib import Path

import pytest
from fake_host import FakeHost

from auditor.core.errors import ToolMissing
from auditor.core.jobs import CompletedProcess
from runners.concurrency.arena import find_java
from runners.hosts.local import LocalHost


def says(text, code=0):
    return FakeHost(lambda job: CompletedProcess(exit_code=code, stderr=text.encode()))


def test_without_a_folder_it_is_the_java_of_the_build():
    host = says('openjdk version "17.0.15" 2025-04-15')

    java = find_java(None, host, (("JAVA_HOME", "/jdk"),))

    assert (java.program, java.feature) == ("/jdk/bin/java", 17)
    assert "17.0.15" in java.version


@pytest.mark.parametrize(
    ("message", "feature"),
    [('java version "1.8.0_292"', 8), ('openjdk version "11.0.2"', 11), ('x version "25-ea"', 25)],
)
def test_a_folder_may_be_that_of_an_older_java(message, feature):
    host = says(message)

    java = find_java(Path("/old"), host, (("JAVA_HOME", "/jdk"), ("CLASSPATH", "x")))

    assert (java.program, java.feature, java.version) == ("/old/bin/java", feature, message)
    (job,) = host.jobs
    assert job.environment == (("JAVA_HOME", "/jdk"),)


@pytest.mark.parametrize(
    ("host", "message"),
    [
        (says('java version "1.7.0_80"'), "java is version 7, too old; name the folder of a JDK 8"),
        (says("no words"), "gave no version: 'no words'; name the folder"),
        (says("broken", 1), "java -version failed: .*broken.*; name the folder"),
    ],
)
def test_a_java_that_cannot_be_used_is_refused(host, message):
    with pytest.raises(ToolMissing, match=message):
        find_java(Path("/old"), host, ())


def test_a_folder_without_java_is_refused(tmp_path):
    with pytest.raises(ToolMissing, match="/bin/java was not found; name the folder of a JDK 8"):
        find_java(tmp_path, LocalHost(), ())
