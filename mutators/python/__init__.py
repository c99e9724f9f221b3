"""Python: functions found by ast, variants made by libcst for the import hook of the guest."""

from mutators.python.mutator import PythonMutator as PythonMutator
