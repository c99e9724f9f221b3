"""Begins the guest before anything of the user's is imported, then the user's own sitecustomize."""

import os
import sys


def _begin():
    guest_folder = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("BENCH_AUDIT_INSTRUCTIONS"):
        import zz_bench_audit_hook

        zz_bench_audit_hook.install(os.environ["BENCH_AUDIT_INSTRUCTIONS"])
    if os.environ.get("BENCH_AUDIT_TRACE"):
        import zz_bench_audit_trace

        zz_bench_audit_trace.install(os.environ["BENCH_AUDIT_TRACE"])
    # The one that we stand before: it would have been found without us.
    guest_module = sys.modules.pop("sitecustomize")
    original_path = sys.path[:]
    sys.path[:] = [entry for entry in original_path if os.path.abspath(entry) != guest_folder]
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.path[:] = original_path
        sys.modules.setdefault("sitecustomize", guest_module)


_begin()
