"""Workflows run by a local runner, in repositories of the tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", folder, *identity, *arguments), check=True, capture_output=True)


def act(folder, workflow, event, places, on=None, **environment):
    """Run a workflow in a repository, on this machine and offline but for what it installs.

    `on` is the name of the event, where the workflow has several.
    """
    file = folder.parent / "workflow.yml"
    file.write_text(workflow.replace("PYTHON", sys.executable))
    payload = folder.parent / "event.json"
    payload.write_text(json.dumps(event))
    local = [f"--local-repository={name}={path}" for name, path in places.items()]
    texts = [f"--env={name}={value}" for name, value in environment.items()]
    return subprocess.run(
        (
            BIN / "act", *([on] if on else []), "--workflows", file, "--eventpath", payload,
            "--platform=ubuntu-latest=-self-hosted", "--platform=ubuntu-24.04=-self-hosted",
            "--action-offline-mode", *local, *texts,
        ),
        cwd=folder,
        env={
            **os.environ,
            "DOCKER_HOST": "unix:///nonexistent",
            "HOME": str(folder.parent / "home"),
            "XDG_CACHE_HOME": str(folder.parent / "cache"),
            "GOCACHE": subprocess.check_output(("go", "env", "GOCACHE"), text=True).strip(),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
