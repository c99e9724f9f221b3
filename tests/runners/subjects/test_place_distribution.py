"""Real downloads of source distributions."""

import os
import sys
import tarfile
from pathlib import Path

import pytest
from fake_host import FakeHost

from auditor.core.errors import SourceUnreadable, ToolMissing, UsageError
from auditor.core.jobs import CompletedProcess
from auditor.core.request import DistributionSpec
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.subjects.place import place_subject

pytestmark = pytest.mark.subject
PASSED_ON = ("PATH", "LANG", "SSL_CERT_FILE", "PIP_CERT", "PIP_FIND_LINKS", "PIP_INDEX_URL")


def placed(name, version, folder, host=None, **more):
    passed = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
    variables = tuple(sorted({**passed, "HOME": str(folder), **more}.items()))
    spec = DistributionSpec(name, version)
    return place_subject(
        spec, home=HomeFolder(folder / "home"), host=host or LocalHost(), environment=variables
    )


def test_a_source_distribution_becomes_a_tree(tmp_path):
    result = placed("pluggy", "1.7.0", tmp_path)

    assert (result.name, result.revision) == ("pluggy", "1.7.0")
    assert (result.tree / "testing" / "benchmark.py").is_file()
    assert "src/pluggy/_hooks.py" in result.files
    assert placed("pluggy", "1.7.0", tmp_path).digest_of_tree == result.digest_of_tree


def without_pip(folder, also=""):
    """Return a PATH with a Python as distributions have it, whose pip is packed apart."""
    (folder / "bin").mkdir()
    python = folder / "bin" / "python3"
    python.write_text(
        f'#!/bin/sh\n[ "$2" != pip ] || {{ echo "$0: No module named pip" >&2; exit 1; }}\n{also}'
        f'exec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    return f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"


def test_a_python_whose_pip_is_packed_apart_gets_one_in_a_virtual_environment(tmp_path):
    result = placed("pluggy", "1.7.0", tmp_path, PATH=without_pip(tmp_path))

    assert (result.tree / "testing" / "benchmark.py").is_file()


def test_a_python_without_pip_and_virtual_environments_is_one_line(tmp_path):
    path = without_pip(tmp_path, '[ "$2" != venv ] || exit 1\n')

    with pytest.raises(ToolMissing, match="python3-pip, python3-venv"):
        placed("pluggy", "1.7.0", tmp_path, PATH=path)


def test_a_version_that_was_never_published_is_said_in_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"pypi:pluggy@0\.0\.404 has no source distribution"):
        placed("pluggy", "0.0.404", tmp_path)


def test_a_network_that_is_away_is_no_missing_version(tmp_path):
    content = b"Failed to establish a new connection; Could not find a version that satisfies"

    with pytest.raises(Exception, match="check the network") as raised:
        placed(
            "a", "1", tmp_path, FakeHost(lambda _: CompletedProcess(exit_code=1, stderr=content))
        )

    assert type(raised.value).__name__ == "ResolveFailed"


def member(name, **more):
    tar_info = tarfile.TarInfo(name)
    for key, value in more.items():
        setattr(tar_info, key, value)
    return tar_info


@pytest.mark.parametrize(
    "hostile",
    [
        member("../evil"),
        member("a-1/link", type=tarfile.SYMTYPE, linkname="../../evil"),
        member("a-1/link", type=tarfile.SYMTYPE, linkname="/proc/self/environ"),
        member("a-1/zero", type=tarfile.CHRTYPE, devmajor=1, devminor=5),
    ],
    ids=["above", "link-above", "link-absolute", "device"],
)
def test_an_archive_that_reaches_out_of_its_folder_is_one_line(tmp_path, hostile):
    def download(job):
        downloads = Path(job.argv[job.argv.index("--dest") + 1])
        downloads.mkdir()
        with tarfile.open(downloads / "a-1.tar.gz", "w:gz") as archive:
            archive.addfile(member("a-1/setup.py"))
            archive.addfile(hostile)
        return CompletedProcess(exit_code=0)

    with pytest.raises(SourceUnreadable, match=r"a-1\.tar\.gz cannot be unpacked"):
        placed("a", "1", tmp_path, FakeHost(download))
