"""`stubs` as a process: what it writes compiles and runs, in each of the frameworks."""

import json
import shutil
import subprocess

import pytest
from real_program import PYTHON_RING, commit, git, write

pytestmark = pytest.mark.subject

TRACED = PYTHON_RING.with_name("python-traced")


@pytest.fixture
def places(tmp_path):
    return ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")


def run(*words, cwd, **environment):
    answer = subprocess.run(
        words, cwd=cwd, env=environment or None, capture_output=True, text=True, check=False
    )
    return answer.returncode, answer.stdout + answer.stderr


def rows(answer):
    """Return what is lacking by the last part of each method's name."""
    assert answer.returncode == 0, answer
    lines = [line.split(maxsplit=2) for line in answer.stdout.splitlines() if line[:1] in "✓…"]
    return {
        line[1].rpartition(".")[2]: " ".join(line[2:]).strip() for line in lines if len(line) > 1
    }


def test_pytest_benchmark(program, places, tmp_path):
    library = shutil.copytree(TRACED / "library", tmp_path / "beads")
    traced = program.call(
        "trace", "--library", library, "--clients", TRACED / "client", *places, "-q"
    )
    assert traced.returncode == 0, traced

    answer = program.call("trace", library, "--stubs", tmp_path / "new", *places)

    result = rows(answer)
    assert result["double"] == ""
    assert result["joined"] == "one, other"
    assert "nobody has looked which of them have a benchmark already" in answer.stderr
    (file,) = (tmp_path / "new").iterdir()
    text = file.read_text()
    assert "benchmark(beads.necklace.Necklace, [1, 2])" in text
    shutil.copy(file, library)
    measured = program.call(
        "stability",
        "--stability-runs",
        "1",
        library,
        "-o",
        tmp_path / "measured",
        "--format",
        "json",
    )
    assert measured.returncode == 0, measured
    benchmarks = json.loads(measured.stdout)["benchmarks"]
    ended = {benchmark["id"].rpartition("::")[2]: benchmark["ending"] for benchmark in benchmarks}
    assert ended.pop("test_fail") == "crashed"  # it raises what it is there to raise
    skipped = {name for name, ending in ended.items() if ending == "skipped"}
    assert len(skipped) == text.count("pytest.skip") > 0
    assert {ending for name, ending in ended.items() if name not in skipped} == {"measured"}

    refusal = program.refused("trace", library, "--stubs", tmp_path / "new", *places, code=2,
                            slug="usage")  # fmt: skip
    assert "exists already" in refusal
    assert file.read_text() == text


def test_go(program, places, tmp_path):
    workspace = shutil.copytree(TRACED.with_name("go-traced"), tmp_path / "both")
    git(workspace, "init", "-q")
    commit(workspace, "both")
    library = workspace / "library"
    traced = program.call(
        "trace", "--library", library, "--clients", workspace / "client", *places, "-q"
    )
    assert traced.returncode == 0, traced

    answer = program.call("trace", library, "--stubs", library, *places)

    result = rows(answer)
    assert result["Each"] == "function"
    assert (result["Double"], result["Try"], result["CountDown"]) == ("", "", "")
    assert "generic" in result["Map"]
    code, output = run("gofmt", "-l", ".", cwd=library, PATH=program.environment()["PATH"])
    assert (code, output) == (0, "")
    words = ("go", "test", "-run=^$", "-bench=.", "-benchtime=1x", "./...")
    code, output = run(*words, cwd=library, **program.environment())
    assert code == 0, output
    assert "BenchmarkTry" in output


def test_jmh(program, places, tmp_path):
    workspace = shutil.copytree(TRACED.with_name("java-traced"), tmp_path / "both")
    git(workspace, "init", "-q")
    library = workspace / "library"
    traced = program.call(
        "trace", "--library", library, "--clients", workspace / "client", *places, "-q"
    )
    assert traced.returncode == 0, traced

    answer = program.call("trace", library, "--stubs", library / "src/main/java", *places)

    assert rows(answer)["twice"] == ""
    stub = (library / "src/main/java/org/example/beads/UnwatchedBenchmark.java").read_text()
    assert "public int beadsTwice0 = 3;" in stub
    pom = library / "pom.xml"
    needed = "".join(
        f"<dependency><groupId>org.openjdk.jmh</groupId><artifactId>{name}</artifactId>"
        "<version>1.37</version></dependency>"
        for name in ("jmh-core", "jmh-generator-annprocess")
    )
    pom.write_text(
        pom.read_text().replace("</project>", f"<dependencies>{needed}</dependencies></project>")
    )
    measured = program.call(
        "stability",
        "--stability-runs",
        "1",
        library,
        "-o",
        tmp_path / "measured",
        "--format",
        "json",
        "--benchmarks",
        "beadsTwice$|CompareTo$",
    )
    assert measured.returncode == 0, measured
    benchmarks = json.loads(measured.stdout)["benchmarks"]
    ended = {benchmark["id"].rpartition(".")[2]: benchmark["ending"] for benchmark in benchmarks}
    assert ended == {"beadsTwice": "measured", "squareCompareTo": "crashed"}
    assert "to be filled in: squareCompareTo0" in measured.stdout


def test_methods_can_be_named(program, places, tmp_path):
    library = write(
        tmp_path / "tiny",
        {
            "pyproject.toml": '[project]\nname = "tiny"\nversion = "1"\n',
            "tiny.py": "class Box:\n    def open(self, *, wide=False): return wide\n\n"
            "def add(x, y=1): return x + y\n",
        },
    )

    answer = program.call(
        "trace", library, "--stubs", tmp_path / "new", "--method", "add", "--method", "Box.open",
        *places,
    )  # fmt: skip

    assert rows(answer) == {"add": "x", "open": "subject"}
    refusal = program.refused(
        "trace", library, "--stubs", tmp_path / "x", *places, code=2, slug="usage"
    )
    assert "the used methods are unknown" in refusal
