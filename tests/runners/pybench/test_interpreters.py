"""The guest in each interpreter that is found here, with each of the frameworks."""

import os
import re
import shutil
import sys
from pathlib import Path
from statistics import median

import pytest
from python_making import UV, Suited, against_probe, environment_with, list_suite, plain, prepared

from auditor.core.mutant import InjectionKind, VariantKind
from auditor.core.outcome import Counted, Measured
from auditor.core.request import Installer
from auditor.core.schedule import ArmName
from auditor.core.values import TIME

pytestmark = pytest.mark.subject

FILES = {
    "pyproject.toml": """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "lib"
version = "1"
[tool.setuptools]
py-modules = ["lib"]
""",
    "lib.py": """
def slow(x):
    for n in range(100):
        x = (x * 31 + n) % 1000003
    return x
""",
    "test_lib.py": "from lib import slow\ndef test_slow(benchmark): benchmark(slow, 3)\n",
    "asv.conf.json": '{\n"benchmark_dir": "speed"\n}\n',
    "speed/__init__.py": "",
    "speed/bench.py": "from lib import slow\ndef time_slow(): slow(3)\n",
    "bench_lib.py": "import pyperf\nfrom lib import slow\n"
    'pyperf.Runner().bench_func("slow", slow, 3)\n',
}
BENCHMARKS = {"pytest": "test_slow", "asv": "time_slow", "pyperf": "slow"}


def interpreters() -> dict[str, Path]:
    """Return one of each version from 3.9 on, by its version: on PATH, of pyenv's, and our own."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    installed = sorted(root.glob("versions/3.*/bin/python3"))
    on_path = (shutil.which(f"python3.{minor}") for minor in range(9, 15))
    path_by_version = {f"3.{sys.version_info.minor}": Path(sys.executable)}
    for path in (*installed, *(Path(text) for text in on_path if text)):
        named = re.search(r"3\.(\d+)", f"{path.parent.parent.name} {path.name}")
        # A script in its place would ask what version is chosen here.
        if named and 9 <= int(named[1]) <= 14 and path.read_bytes()[:2] != b"#!":
            path_by_version.setdefault(named[0], path)
    return path_by_version


@pytest.fixture(
    scope="module", params=sorted(interpreters().items()), ids=lambda version_path: version_path[0]
)
def suites(request, python_home, variables, tmp_path_factory):
    """Return the version, and a suite for each framework, all in one environment."""
    version, path = request.param
    folder = tmp_path_factory.mktemp("project")
    (folder / "speed").mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    tool_variables = environment_with(
        variables, tmp_path_factory.mktemp("on") / "bin", uv=UV, python3=path
    )
    python_options = {"installer": Installer.UV, "requirements": ("asv_runner", "pyperf")}
    first = prepared(folder, python_home, tool_variables, "pytest", **python_options)
    interpreter = dict(first.options)["python"]
    framework_suites = {}
    for framework in BENCHMARKS:
        project = prepared(folder, python_home, tool_variables, framework, interpreter=interpreter)
        scratch = tmp_path_factory.mktemp(framework)
        framework_suites[framework] = Suited(project, list_suite(project, scratch), scratch)
    return version, framework_suites


@pytest.mark.parametrize("framework", BENCHMARKS)
def test_a_function_is_counted_and_slowed_in_this_interpreter(framework, suites):
    version, framework_suites = suites
    suite, benchmark = framework_suites[framework], BENCHMARKS[framework]

    counted = suite.run(
        benchmark, plain(operations=20), suite.variant(VariantKind.COUNTING, "lib.slow")
    )
    slowed = suite.run(
        benchmark, against_probe(InjectionKind.WORK, 8000), suite.delayed("lib.slow")
    )

    assert dict(suite.project.versions)["python"].startswith(f"{version}.")
    assert isinstance(counted, Counted), counted
    assert counted.windows[1].calls == (("lib.slow", counted.windows[1].operations),)
    assert isinstance(slowed, Measured), slowed
    arms = (slowed.find_series(TIME, arm).values for arm in (ArmName.SLOWED, ArmName.PROBE))
    above, below = (median(values) for values in arms)
    assert above / below > 1.7
