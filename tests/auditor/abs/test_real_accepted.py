"""Accepted misses of a real module, and what becomes of its gate."""

import json

import pytest
from real_program import TINY, config, tiny

pytestmark = pytest.mark.subject

MARKED = TINY.replace("func Unused", "// bench-audit:ignore nobody calls it\nfunc Unused")


def gated(program, config_file):
    answer = program.call("abs", config_file, "--fail-under", "50", "--format", "json")
    return answer.returncode, json.loads(answer.stdout), answer.stderr


def test_a_marker_in_the_source_takes_a_method_out_of_the_gate(program, module, tmp_path):
    tiny(module, code=MARKED)
    config_file = config(tmp_path / "c.json", subject=str(module), methods=["tiny.Unused"])

    code, document, messages = gated(program, config_file)

    assert code == 5
    assert "each method that counts is an accepted miss" in messages
    assert document["scores"]["total"]["percent"] == 0.0
    assert document["accepted"] == [
        {
            "method": "example.org/tiny.Unused", "reason": "nobody calls it", "until": None,
            "location": "tiny.go:11", "expired": False, "left_out": True,
        }
    ]  # fmt: skip


def test_an_entry_that_has_expired_counts_and_a_wrong_name_is_refused(program, module, tmp_path):
    def asking(method, until):
        entry = {"method": method, "reason": "later", "until": until}
        return config(
            tmp_path / "c.json", subject=str(module), methods=["tiny.Unused"], ignore=[entry]
        )

    code, document, messages = gated(program, asking("tiny.Unused", "2020-02-29"))
    line = program.refused("abs", asking("tiny.Unusd", None), code=2, slug="usage")

    assert code == 1
    assert "gate failed: at least 50 %, the total score is 0 %" in messages
    assert document["without_accepted"] is None
    assert "expired-ignore" in [caveat["slug"] for caveat in document["caveats"]]
    assert "unknown method 'tiny.Unusd'" in line
    assert "example.org/tiny.Unused" in line
