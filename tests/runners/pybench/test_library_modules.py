"""Which modules of a tree are the library."""

import pytest

from runners.pybench.library import find_package_root, read_library_modules


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
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = google-cloud-store\n")

    assert find_package_root(tmp_path) == tmp_path / package_root
    assert [module.unit for module in read_library_modules(tmp_path, ())] == units
