"""What the project promises about itself."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).with_name("uv")
PACKAGES = ("auditor", "mutators", "runners", "reports")
MODELS = """
import importlib.util
import numpy as np
from auditor.warmup.stop_rules import ScoredRule
from auditor.warmup.scorers.files import load_shipped_model
from auditor.core.stop_rules import TRAINED

assert not [one for one in ("lightgbm", "sklearn", "keras") if importlib.util.find_spec(one)]
for method in sorted(TRAINED, key=str):
    rule = ScoredRule(load_shipped_model(method))
    values = np.random.default_rng(1).uniform(1, 1.1, 120)
    seen = [rule.observe_iteration(float(one), 0.1) for one in values]
    assert all(one is None or 0 <= one <= 120 for one in seen)
    print(method)
"""


def test_the_wheel_installs_into_an_empty_environment_and_runs(tmp_path):
    subprocess.run([UV, "build", "-q", "--wheel", "-o", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
        names = archive.namelist()

    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "auditor",
        "mutators",
        "runners",
        "reports",
    }
    assert "auditor/messages.toml" in names
    assert any(name.endswith(".html.j2") for name in names)
    assert any(name.startswith("runners/jmh/guest/") and name.endswith(".java") for name in names)

    subprocess.run([UV, "venv", "-q", "-p", sys.executable, tmp_path / "empty"], check=True)
    python = tmp_path / "empty" / "bin" / "python"
    subprocess.run([UV, "pip", "install", "-q", "--python", python, wheel], check=True)
    command = tmp_path / "empty" / "bin" / "bench-audit"
    completed = subprocess.run([command, "--help"], check=True, capture_output=True, text=True)
    doctor = subprocess.run([command, "doctor"], check=False, capture_output=True, text=True)

    modelled = subprocess.run([python, "-c", MODELS], check=True, capture_output=True, text=True)

    manual = subprocess.run([command, "--man"], check=True, capture_output=True, text=True)

    assert manual.stdout.startswith('.TH "BENCH')
    assert modelled.stdout.split() == ["fcn", "learned", "oscnn", "rocket"]
    assert "abs" in completed.stdout
    assert doctor.returncode == 0, doctor.stderr
    assert "go" in doctor.stdout


def _version_of(folder):
    completed = subprocess.run(
        [sys.executable, "-m", "hatchling", "version"],
        cwd=folder,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
        check=True,
        capture_output=True,
        text=True,
    )
    return completed.stdout.strip()


def test_the_version_comes_from_the_tag_and_a_tree_without_one_has_a_version_too(tmp_path):
    folder = tmp_path / "tree"
    folder.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")

    assert _version_of(folder) == "1.0.0.dev0"
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "one")):
        subprocess.run(["git", *identity, *words], cwd=folder, check=True)
    assert re.fullmatch(r"1\.0\.0\.dev1\+g[0-9a-f]+", _version_of(folder))
    subprocess.run(["git", *identity, "tag", "v1.2.3"], cwd=folder, check=True)
    assert _version_of(folder) == "1.2.3"


def test_the_documents_refer_to_files_that_exist():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
    ]

    assert links
    assert [
        f"{page}: {target}" for page, target in links if not (page.parent / target).exists()
    ] == []


def test_the_architecture_names_paths_that_exist():
    files = [path for top in PACKAGES for path in (ROOT / top).rglob("*.py")]
    names = {path.name for path in files}
    text = (ROOT / "ARCHITECTURE.md").read_text()
    paths = [path for path in re.findall(r"`([\w./-]+\.py)`", text) if "/" in path]
    folders = re.findall(r"`((?:auditor|mutators|runners|reports)/[\w/]+)`", text)

    assert paths
    assert [
        path for path in paths if not any((ROOT / top / path).exists() for top in ("", "auditor"))
    ] == []
    assert set(re.findall(r"`(\w+\.py)`", text)) <= names
    assert [
        path for path in folders if not any((ROOT / f"{path}{end}").exists() for end in ("", ".py"))
    ] == []


def test_the_architecture_names_what_exists():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    named = re.findall(r"`(\w+)` in `([\w/]+\.py)`", text)
    folders = (ROOT, ROOT / "auditor", ROOT / "auditor/abs/judge")

    missing = [
        (name, path)
        for name, path in named
        if not any(
            re.search(rf"^\s*(?:def |class )?{name}\b", (folder / path).read_text(), re.MULTILINE)
            for folder in folders
            if (folder / path).is_file()
        )
    ]

    assert len(named) > 20
    assert missing == []
