"""What other programs read of this project: forms, hooks, citation, and pipelines to be copied."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from test_docs import parsed

from auditor.cli.main import cli

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
GITLAB = ROOT / "examples" / "ci" / "gitlab-ci.yml"
JENKINS = ROOT / "examples" / "ci" / "Jenkinsfile"
SCHEMAS = {
    "gitlab-ci": ["examples/ci/gitlab-ci.yml"],
    "dependabot": [".github/dependabot.yml"],
    "github-issue-forms": [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/feature.yml"],
    "github-issue-config": [".github/ISSUE_TEMPLATE/config.yml"],
    "citation-file-format": ["CITATION.cff"],
}
PRE_COMMIT = {
    "validate-manifest": ".pre-commit-hooks.yaml",
    "validate-config": ".pre-commit-config.yaml",
}


def checked(*words):
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_file_is_valid_by_the_schema_of_its_reader(schema):
    schema_file = ("--builtin-schema", f"vendor.{schema}")

    completed = checked(BIN / "check-jsonschema", *schema_file, *SCHEMAS[schema])

    assert completed.returncode == 0, completed.stdout


def flat_pipeline():
    """Return the jobs of the pipeline with what they extend, which the schema passes over."""
    jobs = yaml.safe_load(GITLAB.read_text())
    return {
        name: job
        if name == "stages"
        else {
            **jobs[job["extends"]],
            **{key: value for key, value in job.items() if key != "extends"},
        }
        for name, job in jobs.items()
        if not name.startswith(".")
    }


@pytest.mark.parametrize(("wrong", "code"), [({}, 0), ({"cahce": {}}, 1), ({"timeout": 5}, 1)])
def test_the_jobs_of_gitlab_are_valid_with_what_they_extend(tmp_path, wrong, code):
    jobs = flat_pipeline()
    jobs["compare"] |= wrong
    file = tmp_path / "gitlab-ci.yml"
    file.write_text(yaml.safe_dump(jobs))

    completed = checked(BIN / "check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", file)

    assert completed.returncode == code, completed.stdout


@pytest.mark.parametrize("command", PRE_COMMIT)
def test_pre_commit_takes_its_files(command):
    completed = checked(BIN / "pre-commit", command, PRE_COMMIT[command])

    assert completed.returncode == 0, completed.stdout


def calls_of(line):
    """Return the words of a call of bench-audit, without the file that stdout goes to."""
    words = shlex.split(line)
    return words[1 : words.index(">")] if ">" in words else words[1:]


def test_the_commands_of_the_hook_exist():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())

    parsed(cli, [*calls_of(hook["entry"]), *hook["args"]])


def test_the_commands_of_gitlab_exist():
    jobs = yaml.safe_load(GITLAB.read_text())
    lines = [line for job in jobs.values() if "script" in job for line in job["script"]]
    called = [calls_of(line) for line in lines if line.startswith("bench-audit ")]

    assert len(called) == 4
    for words in called:
        parsed(cli, words)


def test_each_job_of_gitlab_extends_one_that_exists_and_is_in_a_stage():
    jobs = yaml.safe_load(GITLAB.read_text())

    for name, job in jobs.items():
        if name != "stages":
            template = jobs[job["extends"]] if "extends" in job else job
            assert template["stage"] in jobs["stages"]
            assert "script" in job or name.startswith(".")


JENKINS_SECTIONS = ("agent", "options", "triggers", "environment", "stages", "post")
"""What a declarative pipeline may hold, of what we use."""


def blocks(text):
    """Return the blocks of a Jenkinsfile as (depth, head), in order; raises where braces differ."""
    heads, depth = [], 0
    for line in re.sub(r"//.*|'[^'\n]*'|\"[^\"\n]*\"", "x", text).splitlines():
        for match in re.finditer(r"[^{}]*[{}]", line):
            part = match[0]
            if part.endswith("{"):
                heads.append((depth, part[:-1].strip()))
            depth += 1 if part.endswith("{") else -1
            assert depth >= 0, line
    assert depth == 0
    return heads


def test_the_jenkinsfile_is_a_declarative_pipeline():
    result = blocks(JENKINS.read_text())

    assert [head for depth, head in result if depth == 0] == ["pipeline"]
    assert [head for depth, head in result if depth == 1] == list(JENKINS_SECTIONS)
    stage_indices = [
        index for index, (depth, head) in enumerate(result) if (depth, head) == (2, "stage(x)")
    ]
    assert len(stage_indices) == 4
    ends = [*stage_indices[1:], len(result)]
    for start, end in zip(stage_indices, ends, strict=True):
        inside = [head for depth, head in result[start + 1 : end] if depth == 3]
        assert inside.count("steps") == 1
        assert set(inside) <= {"when", "steps"}
    assert (2, "always") in result


def test_the_commands_of_the_jenkinsfile_exist():
    lines = re.findall(r"sh '(bench-audit [^'\n]+)'", JENKINS.read_text())

    assert len(lines) == 4
    for line in lines:
        parsed(cli, calls_of(line))


@pytest.mark.parametrize("page", ["gitlab.md", "jenkins.md"])
def test_a_how_to_is_short_and_links_its_file(page):
    text = (ROOT / "docs" / "how-to" / page).read_text()

    assert len(text.split()) <= 400
    assert "examples/ci/" in text


def test_the_citation_has_five_papers_each_with_an_address():
    papers = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]

    assert len(papers) == 5
    assert all(paper.get("doi") or paper.get("url") for paper in papers)


def test_the_site_has_a_folder_for_each_release_and_opens_the_newest(tmp_path):
    tree, site = tmp_path / "tree", tmp_path / "site"
    (tree / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "site", tree / "scripts")
    (tree / "Makefile").write_text(
        'docs:\n\tmkdir -p build/docs\n\techo "$$DOCS_VERSIONS" > build/docs/versions\n'
        "\tcp page build/docs\n"
    )
    (tree / ".gitignore").write_text("/build/\n")
    for release in ("1.8.0", "1.9.0", "1.10.0"):
        commit_page(tree, release, tag=f"v{release}")
    commit_page(tree, "main")

    subprocess.run([tree / "scripts" / "site", site], check=True, capture_output=True)

    pages = {page.parent.name: page.read_text() for page in site.glob("*/page")}
    assert pages == {name: name for name in ("main", "1.8.0", "1.9.0", "1.10.0")}
    versions = {page.read_text() for page in site.glob("*/versions")}
    assert versions == {"main 1.10.0 1.9.0 1.8.0\n"}
    assert "url=1.10.0/" in (site / "index.html").read_text()
    assert git_output(tree, "worktree", "list").count("\n") == 1
    assert git_output(tree, "status", "--porcelain") == ""


def commit_page(tree, text, tag=""):
    """Commit a page with this text, and tag the commit."""
    (tree / "page").write_text(text)
    git_output(tree, "init", "--quiet")
    git_output(tree, "add", "--all")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    git_output(tree, *author, "commit", "--quiet", "--message", text)
    if tag:
        git_output(tree, "tag", tag)


def git_output(tree, *words):
    return subprocess.run(
        ("git", "-C", tree, *words), check=True, capture_output=True, text=True
    ).stdout
