"""Which methods are used most, by what clients call (abs-score.md)."""

from collections.abc import Callable, Sequence

from auditor.core.caveats import Caveat
from auditor.core.outcome import MethodCalls
from auditor.core.popularity import ClientUse, MethodProfile, Popularity, Ranking, UsageProfile
from auditor.core.subject import Method
from auditor.measure.failures import line

_NAMED = 5
_NOISY = 0.8
"""The part of all calls from which on one of several clients decides the sum by itself."""

Key = tuple[float, ...]
_KEYS: dict[Ranking, Callable[[MethodProfile], Key]] = {
    Ranking.SUM: lambda method_profile: (method_profile.outside,),
    Ranking.SHARE: lambda one: (one.share,),
    Ranking.CLIENTS: lambda one: (one.clients, one.share),
}
_ORDERED_BY = {
    Ranking.SUM: "by the calls of all clients together",
    Ranking.SHARE: "by the mean of their shares in the calls of each client",
    Ranking.CLIENTS: "by the number of clients that call them, then by the mean of their shares",
}


def profile(
    methods: Sequence[Method], clients: Sequence[ClientUse], ranking: Ranking, most: int
) -> UsageProfile:
    """Rank public methods by the calls from outside the library, and choose the first `most`.

    A client without a call counts for no share. Ties are by name. Methods without a body are never
    chosen: calls of them count for what ran.
    """
    traced = [client for client in clients if client.reason is None]
    profiles = [_of(method, traced) for method in methods]
    key = _KEYS[ranking]
    profiles.sort(
        key=lambda method_profile: (
            *(-part for part in key(method_profile)),
            -method_profile.declared,
            method_profile.method.id,
        )
    )
    called = [method_profile for method_profile in profiles if method_profile.outside]
    chosen = called[:most]
    return UsageProfile(
        ranking=ranking,
        chosen=len(chosen),
        methods=tuple(profiles),
        clients=tuple(clients),
        caveats=(
            *_cut(called, chosen, len(profiles), ranking),
            *_declared(profiles),
            *_said(clients, ranking),
        ),
    )


def _of(method: Method, clients: Sequence[ClientUse]) -> MethodProfile:
    mine = [{call.method: call for call in client.calls}.get(method.id) for client in clients]
    callses = [calls for calls in mine if calls is not None]
    inside = [calls.inside for calls in callses if calls.inside is not None]
    shares = [
        (0 if calls is None else calls.outside) / client.total
        for calls, client in zip(mine, clients, strict=True)
        if client.total
    ]
    return MethodProfile(
        method=method,
        outside=sum(calls.outside for calls in callses),
        inside=sum(inside) if inside else None,
        indirect=sum(calls.indirect for calls in callses),
        declared=sum(calls.declared for calls in callses),
        share=sum(shares) / len(shares) if shares else 0.0,
        by_client=tuple(0 if calls is None else calls.outside for calls in mine),
        arguments=_arguments(callses),
    )


def _arguments(calls: Sequence[MethodCalls]) -> tuple[tuple[str | None, ...], ...]:
    """Return samples of all clients, the simplest first."""
    found = dict.fromkeys(argument for call in calls for argument in call.arguments)
    return tuple(sorted(found, key=lambda one: one.count(None))[:_NAMED])


def _cut(
    called: Sequence[MethodProfile], chosen: Sequence[MethodProfile], public: int, ranking: Ranking
) -> list[Caveat]:
    text = (
        f"{len(chosen)} methods are often used: the first of {len(called)} that clients call, of "
        f"{public} public ones, {_ORDERED_BY[ranking]}"
    )
    key = _KEYS[ranking]
    tied = [
        method_profile
        for method_profile in called[len(chosen) :]
        if chosen and key(method_profile) == key(chosen[-1])
    ]
    if tied:
        text += f"; {len(tied)} more come out as the last one, the cut is by name"
    return [Caveat("methods-used", text)]


def _declared(profiles: Sequence[MethodProfile]) -> list[Caveat]:
    declared = [method_profile for method_profile in profiles if method_profile.declared]
    if not declared:
        return []
    text = (
        f"{len(declared)} methods that clients call have no body (interface, abstract or native); "
        "their calls count for the method that ran"
    )
    return [Caveat("methods-declared", text)]


def _said(clients: Sequence[ClientUse], ranking: Ranking) -> list[Caveat]:
    caveats = []
    failed = [client for client in clients if client.reason is not None]
    if failed:
        those = "; ".join(f"{use.name}: {use.reason}" for use in failed)
        text = f"{len(failed)} of {len(clients)} clients could not be traced: {those}"
        caveats.append(Caveat("clients-failed", text))
    partly = [f"{client.name}: {client.missing}" for client in clients if client.missing]
    if partly:
        text = f"some calls of clients may be missing; {'; '.join(partly)}"
        caveats.append(Caveat("clients-partly", text))
    whole = sum(client.total for client in clients)
    loudest = max(clients, key=lambda client: client.total, default=None)
    traced = len(clients) - len(failed)
    if ranking is Ranking.SUM and loudest and traced > 1 and loudest.total > _NOISY * whole:
        text = (
            f"{loudest.name} makes {100 * loudest.total // whole} % of all calls, so it decides "
            "the order; weigh clients equally with --rank share or --rank clients"
        )
        caveats.append(Caveat("one-client", text))
    return caveats


def most_used(
    methods: Sequence[Method], popular: Popularity, most: int
) -> tuple[tuple[Method, ...], tuple[Caveat, ...]]:
    """Return the first methods of a profile that can be slowed, and how they were chosen.

    What cannot be slowed leaves its place to the next, and so does what this revision has not.
    """
    by_id = {method.id: method for method in methods}
    known = [by_id[name] for name in popular.methods if name in by_id]
    chosen = [method for method in known if method.refusal is None][:most]
    text = (
        f"the methods are the {len(chosen)} public ones that {popular.source} call most, of "
        f"{len(popular.methods)}"
    )
    gone = len(popular.methods) - len(known)
    if gone:
        text += f"; {gone} of those are not in this revision"
    caveats = [Caveat("methods-profile", text)]
    until = known.index(chosen[-1]) if len(chosen) == most else len(known)
    refused = {method.id: method.refusal for method in known[:until] if method.refusal is not None}
    if refused:
        those = "; ".join(f"{name}: {line(reason)}" for name, reason in refused.items())
        text = f"often used methods were left out, as they cannot be slowed: {those}"
        caveats.append(Caveat("methods-left-out", text))
    return tuple(chosen), tuple(caveats)
