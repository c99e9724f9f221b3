"""Which modules of a tree are the library."""

import pytest

from runners.pybench.library import find_package_root, read_library_modules


def write_empty_files(tree, names):
    for name in names:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()


@pytest.mark.parametrize(
    ("files", "package_root", "units"),
    [
        (["src/pack/__init__.py", "other.py"], "src", ["pack"]),
        (["src/single.py"], "src", ["single"]),
        (["src/coords.c", "pack/__init__.py", "pack/inner.py"], "", ["pack", "pack.inner"]),
        (["src/lib.rs", "src/build.py", "pack/__init__.py"], "", ["pack"]),
        (["pack/__init__.py", "pack/test_a.py", "pack/b_test.py", "pack/conftest.py",
          "pack/tests/c.py", "pack/testsuite/f.py", "pack/benchmarks/d.py", "test_e.py"],
         "", ["pack"]),
        (["src/spread/part/__init__.py", "setup.py"], "src", ["spread.part"]),
        (["benchmarks_old/__init__.py", "asv_bench_x/__init__.py", "benchmark_all.py", "run.py",
          "google_cloud_store/benchmarks_x.py", "google_cloud_store/__init__.py"], "",
         ["google_cloud_store", "google_cloud_store.benchmarks_x", "run"]),
        (["google_cloud_store/__init__.py", "src/c.c"], "", ["google_cloud_store"]),
        (["src/a/b/c/__init__.py", "src/a/native/build.py", "src/a/b/tests/__init__.py"],
         "src", ["a.b.c"]),
        (["google/cloud/store/__init__.py", "google/cloud/store/x.py", "owlbot.py",
          "other/pack/__init__.py"], "",
         ["google.cloud.store", "google.cloud.store.x", "owlbot"]),
    ],
)  # fmt: skip
def test_a_folder_of_sources_counts_where_it_has_the_packages(files, package_root, units, tmp_path):
    write_empty_files(tmp_path, files)
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = google-cloud-store\n")

    assert find_package_root(tmp_path) == tmp_path / package_root
    assert [module.unit for module in read_library_modules(tmp_path, ())] == units


LAYOUTS = [
    ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["nowhere", "lib"]\n'),
    ("pyproject.toml", '[tool.setuptools]\npackage-dir = {"" = "lib"}\n'),
    ("pyproject.toml", '[tool.maturin]\npython-source = "lib"\n'),
    ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["lib/pack"]\n'),
    ("pyproject.toml", '[tool.poetry]\npackages = [{include = "pack", from = "lib"}]\n'),
    ("pyproject.toml", '[tool.pdm.build]\npackage-dir = "lib"\n'),
    ("pyproject.toml", '[tool.uv.build-backend]\nmodule-root = "lib"\n'),
    ("setup.cfg", "[options]\npackage_dir =\n    = lib\n"),
    ("setup.cfg", "[options.packages.find]\nwhere = lib\n"),
    ("setup.py", 'setup(package_dir={"": "lib"})\n'),
    ("setup.py", "setup(packages=find_packages(where='lib'))\n"),
]


@pytest.mark.parametrize(("file", "text"), LAYOUTS)
def test_packages_lie_where_the_build_is_told(file, text, tmp_path):
    write_empty_files(tmp_path, ["lib/pack/inner.py", "lib/pack/__init__.py", "src/lib.rs"])
    (tmp_path / file).write_text(text)

    assert find_package_root(tmp_path) == tmp_path / "lib"
    assert [module.unit for module in read_library_modules(tmp_path, ())] == ["pack", "pack.inner"]


@pytest.mark.parametrize("place", ["../outside", "{outside}", "", 7, "no\\u0000thing"])
def test_a_place_outside_of_the_tree_or_that_is_none_is_passed_over(place, tmp_path):
    write_empty_files(tmp_path, ["outside/secret/__init__.py", "tree/pack/__init__.py"])
    outside = tmp_path / "outside"
    value = place if isinstance(place, int) else f'"{place.format(outside=outside)}"'
    (tmp_path / "tree/pyproject.toml").write_text(f"[tool.maturin]\npython-source = {value}\n")

    assert find_package_root(tmp_path / "tree") == tmp_path / "tree"
