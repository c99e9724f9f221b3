"""Does the first command of the README work on a machine that has Python, git and make alone?

Makes the files of a small Debian or Ubuntu with debootstrap, clones this checkout into them and
runs `make demo` there, as root (who may install what is missing) or as a user who may not. Prints
how long the set-up took, when each report was there, and the exit code. Needs root, debootstrap and
a network; what is in the checkout but not committed is left out.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
MIRRORS = {
    "trixie": "http://deb.debian.org/debian",
    "noble": "http://archive.ubuntu.com/ubuntu",
}
PACKAGES = ("ca-certificates", "git", "make", "python3")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PASSED_ON = ("PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT", "GOPROXY", "HTTPS_PROXY", "HTTP_PROXY")
USER = 1000
ENDED = "report: "
"""How the line begins that names a report."""


@dataclass
class Outcome:
    """What came of the demo."""

    exit_code: int = -1
    seconds: float = 0.0
    reports: list[float] = field(default_factory=list)  # seconds until each was written
    set_up: float | None = None  # seconds until the first audit began


def make_machine(release: str, folder: Path, *, venv: bool) -> Path:
    """Return the root folder of a machine, made where it is not there yet."""
    root = folder / (release + ("-venv" if venv else ""))
    if not (root / "usr" / "bin" / "make").exists():
        packages = ",".join([*PACKAGES, *(["python3-venv"] if venv else [])])
        components = ["--components=main,universe"] if release == "noble" else []
        words = ["debootstrap", "--variant=minbase", f"--include={packages}", *components]
        subprocess.run([*words, release, str(root), MIRRORS[release]], check=True)
    return root


def prepare(root: Path, *, is_user: bool) -> Path:
    """Put a clone of this checkout onto the machine, and whom the host trusts; return its home."""
    home = root / ("home/somebody" if is_user else "root")
    home.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(home / "bench-audit", ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(home / "bench-audit")], check=True)
    for path in (CERTIFICATES, Path("/etc/resolv.conf")):
        if path.exists():
            shutil.copyfile(path, root / path.relative_to("/"))
    for path in Path("/usr/local/share/ca-certificates").glob("*.crt"):
        (root / "usr/local/share/ca-certificates").mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / "usr/local/share/ca-certificates")
    if is_user:
        subprocess.run(["chown", "-R", f"{USER}:{USER}", str(home)], check=True)
    return home


def run_demo(root: Path, home: Path, *, is_user: bool) -> Outcome:
    """Run `make demo` on the machine and note when what happened."""
    inside = f"/{home.relative_to(root)}"
    environment = {
        "HOME": inside,
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C.UTF-8",
        "SSL_CERT_FILE": str(CERTIFICATES),
        "PIP_CERT": str(CERTIFICATES),
    } | {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    user = [f"--userspec={USER}:{USER}"] if is_user else []
    mounts = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && shift && exec "$@"'
    words = ["chroot", *user, str(root), "make", "--no-print-directory", "-C"]
    outcome, start = Outcome(), time.monotonic()
    with subprocess.Popen(
        [
            "unshare",
            "-m",
            "sh",
            "-c",
            mounts,
            "sh",
            str(root),
            *words,
            f"{inside}/bench-audit",
            "demo",
        ],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            outcome.seconds = time.monotonic() - start
            if outcome.set_up is None and line.startswith("scripts/demo"):
                outcome.set_up = outcome.seconds
            if line.startswith(ENDED):
                outcome.reports.append(outcome.seconds)
    outcome.exit_code = process.returncode
    return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it on the machines that are asked for; return 1 where a demo failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="*", default=["trixie"], choices=[*MIRRORS])
    parser.add_argument("--user", action="store_true", help="as one who may not install packages")
    parser.add_argument("--folder", type=Path, required=True, help="where machines are kept")
    options = parser.parse_args(arguments)
    rows, failed = [], False
    for release in options.releases:
        root = make_machine(release, options.folder, venv=options.user)
        outcome = run_demo(root, prepare(root, is_user=options.user), is_user=options.user)
        reports = ", ".join(f"{seconds:.0f}" for seconds in outcome.reports)
        account = "user" if options.user else "root"
        set_up = "-" if outcome.set_up is None else f"{outcome.set_up:.0f}"
        rows.append(f"| {release} | {account} | {set_up} | {reports} | {outcome.exit_code} |")
        failed |= outcome.exit_code != 0
    print("\n| machine | as | set-up, s | reports, s | exit code |")
    print("| --- | --- | --- | --- | --- |", *rows, sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
