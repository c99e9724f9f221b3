"""Public repositories by name and commit, and how benchmarks get them: a mirror, or GitHub."""

import argparse
import subprocess
from pathlib import Path

REPOSITORIES = {
    "go": (
        ("spf13/cast", "715c728a3579ae1de12628b259f1198f214e9ccb"),
        ("shopspring/decimal", "9620fb7d0776651853952726217a81ba8f451882"),
        ("go-chi/chi", "735ae2b87f8c733d616e809ae86e0985c1bc3350"),
        ("julienschmidt/httprouter", "484018016424d215c0b87c42f4c9b57d980fbd00"),
        ("google/uuid", "2d3c2a9cc518326daf99a383f07c4d3c44317e4d"),
        ("pelletier/go-toml", "86608d7fca88a6a61539ff7e9f1a942a428654d8"),
        ("hashicorp/golang-lru", "5dd697da12cfd1af9605fbf9968cac4104eb1788"),
        ("gorilla/mux", "db9d1d0073d27a0a2d9a8c1bc52aa0af4374d265"),
        ("PlakarKorp/go-cdc-chunkers", "fae62879912e888269aea4cac18da1d446edceea"),
        ("ericlagergren/decimal", "00de7ca167314ca927005511593b1284efc5c091"),
        ("prometheus/common", "d2417e2cbb82c4c81e4d28d55f354058169a9f08"),
        ("uber-go/zap", "5b81b37b81b8e2ed447a6f57991e372ee4fa5c8f"),
        ("samber/lo", "f75f39097da911621c7fd629579563f1ebfcffd0"),
        ("goccy/go-json", "f1e7554014296f3d97b2367c524a14b3b8877ab6"),
        ("cespare/xxhash", "ab37246c889f9db16b606fda1c232d659df9271d"),
        ("rs/zerolog", "13966551e7cc9f174723bddde692f0f0f9a833aa"),
    ),
    "jmh": (
        ("HdrHistogram/HdrHistogram", "de84b0a7de2378abfc405da503bf4898e84ea98e"),
        ("apache/commons-csv", "d9b9f062b84ea02a30a7817789a2bb71a21c51a9"),
        ("airlift/aircompressor", "9dfc0fa4a34a1d19a8dfa5494fda89ae7c72d356"),
        ("apache/commons-lang", "d15939ef46f0bd4144994df8be95cf5a7f91eb52"),
        ("apache/commons-rng", "af5a5a52078c1e8d707f7b5b9deb94d9f37dac46"),
        ("dropwizard/metrics", "2049d9625bf83d6d9b94004631b2e75b796e6c3f"),
        ("micrometer-metrics/micrometer", "22207bf9ccc973a1b1bc3890b33645e53fb2e475"),
        ("openzipkin/zipkin", "878ce2a1fad54ca941d17fdcf2e1d924b148eb1f"),
        ("prometheus/client_java", "ac0d68a62886473ac4afd736602760e97024b528"),
        ("RoaringBitmap/RoaringBitmap", "c105fce50c847d89bfde8298852d3614a5def6ac"),
        ("vavr-io/vavr", "37e4fc1104e975b6a86adb5b16843f3bc5eab70c"),
        ("Kotlin/kotlinx-benchmark", "f7248c542778f87a8876e4c91913f6515b3c8368"),
        ("aeron-io/agrona", "0d8fc1ad5e96a45e6037de29fa56deefcdad24f3"),
        ("eclipse-collections/eclipse-collections", "1ac4def11b7eb75bfeb921df40792a54a7d4e16a"),
        ("FasterXML/jackson-benchmarks", "eaa3744904ed599c3e8ce72f20e615b57567a281"),
        ("LMAX-Exchange/disruptor", "003ac1326be415c2387854f0c4dc4654e66cd986"),
        ("jbellis/jvector", "5ab68d876a37e833e33c261b2c8db357d76fd7c9"),
        ("networknt/json-schema-validator", "f8c76599c0bda42a72ff1c905e8d99ab4fcf59db"),
        ("tdunning/t-digest", "7905f3d2ad18e7d7176811147d1316a3e23d7061"),
        ("google/gson", "9835b6f90192f79cdf5300c528fc6212455fb6c1"),
    ),
    "python": (
        ("aio-libs/frozenlist", "9538c5b1cf2c71cee17b6dd6d114d55b8ba10176"),
        ("aio-libs/propcache", "334a3ae71c32e6c217c1d3ce5365529ebc79d1e1"),
        ("python-attrs/attrs", "c1dc5dcba16ed827aa6dcad896b41a3afedb4e32"),
        ("python-attrs/cattrs", "82b02c07ca535a1ba656b935767d819eac9d383b"),
        ("python-jsonschema/jsonschema", "b37f7be6dc7966a1f1a67557976041ffe0826cb3"),
        ("pydantic/pydantic", "2151025aa51263f3016502b00010b78e4481eaa1"),
        ("tobymao/sqlglot", "37362f4fc1d63c4687149cec3a8aab109c1eb989"),
        ("Textualize/rich", "42899d8a0a96b121a514516f4be9db44ff7aeaf3"),
        ("networkx/networkx", "cfc6b79fc53f583aa15a79b2187ae30bd4f480ed"),
        ("pytest-dev/pluggy", "e382e72789f8d791991c489d4322aa04e660b952"),
        ("aio-libs/aiohttp", "495e778360d1924da63e16dba0f0d76baf56a56a"),
        ("fastapi/fastapi", "c3f316b7e814667e8ee81e03a7330d00ee61e45c"),
        ("shapely/shapely", "330e9d331f539f5a13b7348287d0b1916daf375e"),
        ("pydata/xarray", "b1c1dc549b62bdfc8de0bdded24f56464cf0db1a"),
        ("executablebooks/markdown-it-py", "2c3f71ec46c4259ca375fb40c9cd47385c6c304e"),
        ("ionelmc/python-lazy-object-proxy", "f970e323d03bfd974bf11f342236b06163ac398f"),
        ("python-zeroconf/python-zeroconf", "fce7094fc55d68f2f584df17cb7fd811cdea8b49"),
        ("pypa/packaging", "053c884615f2e83d80705251b447769ec2599653"),
        ("pvlib/pvlib-python", "6382338a7598a5b9d94473f47fcbc787b0ac6408"),
        ("pydata/sparse", "90ecf60e0568fc9616dad44d841ea3e82c825be4"),
        ("zopefoundation/zope.interface", "af320871c99c6d8630bc2ff1c13aa944aacda9e0"),
        ("python-greenlet/greenlet", "74b3c41d4a124221b515db1a5694d185b82cc13c"),
        ("python-pendulum/pendulum", "0a88aece8ece78e44c6a9dac1d9db661cfdfbee0"),
        ("zarr-developers/zarr-python", "d44f9f92ab4f12a8008de2553a7c9988669e3910"),
    ),
}
"""By language: name and commit of each repository."""


def add_mirrors_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --mirrors."""
    parser.add_argument("--mirrors", type=Path, help="git directories OWNER+NAME/repo")


def find_mirror(name: str, mirrors: Path) -> Path:
    """Return the git directory of a repository below the folder of mirrors."""
    return mirrors / name.replace("/", "+") / "repo"


def fetch_commit(name: str, commit: str, mirrors: Path | None, folder: Path) -> None:
    """Make an empty folder a repository and fetch a commit into it as FETCH_HEAD."""
    address = f"https://github.com/{name}"
    run_git(folder, "init", "--quiet")
    run_git(folder, "remote", "add", "origin", address)
    if mirrors is None:
        run_git(folder, "fetch", "--quiet", "--depth=1", address, commit)
    else:
        _borrow_commit(find_mirror(name, mirrors), commit, folder)


def _borrow_commit(mirror: Path, commit: str, folder: Path) -> None:
    """Make FETCH_HEAD of the files of a commit; those that a mirror lacks are empty."""
    (folder / ".git/objects/info/alternates").write_text(f"{mirror.resolve() / 'objects'}\n")
    listing = run_git(folder, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    entries = [content for content in listing if content.split(b" ")[1:2] == [b"blob"]]
    hashes = b"\n".join(entry.split()[2] for entry in entries)
    states = run_git(folder, "cat-file", "--batch-check", stdin=hashes).splitlines()
    missing = {state.split()[0] for state in states if state.endswith(b" missing")}
    empty = run_git(folder, "hash-object", "-w", "--stdin").strip()
    for hash_ in missing:
        entries = [entry.replace(hash_, empty, 1) for entry in entries]
    run_git(folder, "update-index", "-z", "--index-info", stdin=b"\0".join(entries) + b"\0")
    tree = run_git(folder, "write-tree").decode().strip()
    run_git(folder, "read-tree", "--empty")  # or a checkout would take all files for deleted
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    text = run_git(folder, *identity, "commit-tree", tree, "-m", commit).decode().strip()
    (folder / ".git/FETCH_HEAD").write_text(f"{text}\n")


def run_git(folder: Path, *words: str, stdin: bytes = b"") -> bytes:
    """Return what a command of git prints in a folder."""
    safe = ("-c", "safe.directory=*", "-c", "uploadpack.allowAnySHA1InWant=true")
    process = subprocess.run(
        ("git", *safe, *words), cwd=folder, capture_output=True, input=stdin, check=False
    )
    if process.returncode:
        message = process.stderr.decode(errors="replace").strip()
        raise SystemExit(f"git {words[0]} in {folder}: {message}")
    return process.stdout
