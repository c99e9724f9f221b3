"""Calls that give back at once what another call has returned: `borrow`, `return`.

What is borrowed and kept would soon be all that there is, and calls that only take run dry.
"""

from collections.abc import Sequence as Many
from dataclasses import replace

from auditor.concurrency.judge.arguments import ArgumentGenerator, StatementScope
from auditor.concurrency.judge.catalogue import PRIMITIVES
from auditor.core.contracts.concurrent_test import Member, MemberKind, Variable


def releasing_methods(member: Member, methods: Many[Member]) -> list[Member]:
    """Return the methods that have a parameter of just the type that a method returns."""
    if (
        member.returns in PRIMITIVES
        or member.returns == "void"
        or member.kind is not MemberKind.METHOD
    ):
        return []
    return [
        method
        for method in methods
        if method.kind is MemberKind.METHOD
        and member.returns in method.parameters
        and method != member
    ]


def add_release_call(
    arguments: ArgumentGenerator, taker: Member, variable: Variable, scope: StatementScope
) -> bool:
    """Add the call that takes `variable`, the last statement's value; return whether it has one."""
    type_ = scope.more[-1].member.returns
    if arguments.add_call(taker, scope, scope.receiver) is None:
        return False
    last = scope.more[-1]
    position = taker.parameters.index(type_)
    new_arguments = (*last.arguments[:position], variable, *last.arguments[position + 1 :])
    scope.more[-1] = replace(last, arguments=new_arguments)
    return True
