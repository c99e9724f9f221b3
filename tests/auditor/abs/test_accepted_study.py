"""Accepted misses in a whole study of the toy language."""

from datetime import date

import pytest
from toy_language import Machine, parts, request

from auditor.abs.study import abs_audit
from auditor.core.accepted import Acceptance
from auditor.core.errors import UsageError


class Dated(Machine):
    def now(self):
        return "2026-06-15T23:59:59Z"


def accepting(*names, until=None):
    return request(
        accepted=tuple(Acceptance(method=name, reason="why", until=until) for name in names)
    )


def audited(audit_request, machine):
    return abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))


def test_an_accepted_miss_is_slowed_and_shown_but_not_in_the_score_without_it():
    plain = audited(request(), Dated())
    result = audited(accepting("skip", "toy.idle"), Dated())

    assert (result.methods, result.total) == (plain.methods, plain.total)
    assert (plain.accepted, plain.without_accepted) == ((), None)
    assert [
        (accepted_miss.method, accepted_miss.left_out, accepted_miss.location)
        for accepted_miss in result.accepted
    ] == [
        ("toy.skip", True, "configuration"),
        ("toy.idle", True, "configuration"),
    ]
    assert result.without_accepted.counted == result.total.counted - 2
    assert result.without_accepted.covered == result.total.covered == 1


@pytest.mark.parametrize(("day", "expired"), [(15, False), (14, True)])
def test_the_day_of_an_audit_decides_what_has_expired(day, expired):
    result = audited(accepting("skip", until=date(2026, 6, day)), Dated())

    assert result.accepted[0].expired is expired
    assert ("expired-ignore" in [caveat.slug for caveat in result.caveats]) is expired


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("skpi",), "unknown method 'skpi' in toy; the subject has: toy.skip"),
        (("skip", "toy.skip"), "`ignore` lists toy.skip twice"),
    ],
)
def test_a_name_that_is_wrong_is_an_error_before_anything_is_run(names, message):
    machine = Dated()

    with pytest.raises(UsageError, match=message):
        audited(accepting(*names), machine)

    assert machine.ended_trials == []
