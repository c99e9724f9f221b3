"""The JSON Schemas that are checked in are those of the types."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "scripts"))

import result_schemas


def test_the_schemas_that_are_checked_in_are_those_of_the_types():
    expected = dict(result_schemas.list_schemas())

    assert {file: file.read_text() for file in result_schemas.FOLDER.iterdir()} == expected
