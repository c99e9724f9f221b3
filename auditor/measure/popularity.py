"""Which methods are used most, by what clients call (abs-score.md)."""

from collections.abc import Callable, Sequence

from auditor.core.caveats import Caveat
from auditor.core.outcome import MethodCalls
from auditor.core.popularity import ClientUse, MethodProfile, Popularity, Ranking, UsageProfile
from auditor.core.subject import Method
from auditor.measure.failures import extract_complaint

_NAMED = 5
_NOISY = 0.8
"""The part of all calls from which on one of several clients decides the sum by itself."""

Key = tuple[float, ...]
_KEYS: dict[Ranking, Callable[[MethodProfile], Key]] = {
    Ranking.SUM: lambda method_profile: (method_profile.outside,),
    Ranking.SHARE: lambda method_profile: (method_profile.share,),
    Ranking.CLIENTS: lambda method_profile: (method_profile.client_count, method_profile.share),
}
_ORDERED_BY = {
    Ranking.SUM: "by the calls of all clients together",
    Ranking.SHARE: "by the mean of their shares in the calls of each client",
    Ranking.CLIENTS: "by the number of clients that call them, then by the mean of their shares",
}


def build_usage_profile(
    methods: Sequence[Method], clients: Sequence[ClientUse], ranking: Ranking, most: int
) -> UsageProfile:
    """Rank public methods by the calls from outside the library, and choose the first `most`.

    A client without a call counts for no share. Ties are by name. Methods without a body are never
    chosen: calls of them count for what ran.
    """
    traced = [client for client in clients if client.reason is None]
    profiles = [_profile_method(method, traced) for method in methods]
    key = _KEYS[ranking]
    profiles.sort(
        key=lambda method_profile: (
            *(-part for part in key(method_profile)),
            -method_profile.declared,
            method_profile.method.id,
        )
    )
    called = [method_profile for method_profile in profiles if method_profile.outside]
    top_methods = called[:most]
    return UsageProfile(
        ranking=ranking,
        chosen_count=len(top_methods),
        methods=tuple(profiles),
        clients=tuple(clients),
        caveats=(
            *_describe_cut(called, top_methods, len(profiles), ranking),
            *_describe_bodiless_methods(profiles),
            *_describe_clients(clients, ranking),
        ),
    )


def _profile_method(method: Method, clients: Sequence[ClientUse]) -> MethodProfile:
    calls_by_client = [
        {call.method: call for call in client.calls}.get(method.id) for client in clients
    ]
    callses = [calls for calls in calls_by_client if calls is not None]
    inside = [calls.inside for calls in callses if calls.inside is not None]
    shares = [
        (0 if calls is None else calls.outside) / client.total_calls
        for calls, client in zip(calls_by_client, clients, strict=True)
        if client.total_calls
    ]
    return MethodProfile(
        method=method,
        outside=sum(calls.outside for calls in callses),
        inside=sum(inside) if inside else None,
        indirect=sum(calls.indirect for calls in callses),
        declared=sum(calls.declared for calls in callses),
        share=sum(shares) / len(shares) if shares else 0.0,
        by_client=tuple(0 if calls is None else calls.outside for calls in calls_by_client),
        arguments=_sample_arguments(callses),
    )


def _sample_arguments(calls: Sequence[MethodCalls]) -> tuple[tuple[str | None, ...], ...]:
    """Return samples of all clients, the simplest first."""
    samples = dict.fromkeys(argument for call in calls for argument in call.arguments)
    return tuple(sorted(samples, key=lambda sample: sample.count(None))[:_NAMED])


def _describe_cut(
    called: Sequence[MethodProfile],
    top_methods: Sequence[MethodProfile],
    public: int,
    ranking: Ranking,
) -> list[Caveat]:
    text = (
        f"clients call {len(called)} of {public} public methods; the first {len(top_methods)} "
        f"count as often used, {_ORDERED_BY[ranking]}"
    )
    key = _KEYS[ranking]
    tied = [
        method_profile
        for method_profile in called[len(top_methods) :]
        if top_methods and key(method_profile) == key(top_methods[-1])
    ]
    if tied:
        text += f"; {len(tied)} more tie with the last one, the cut is by name"
    return [Caveat("methods-used", text)]


def _describe_bodiless_methods(profiles: Sequence[MethodProfile]) -> list[Caveat]:
    declared = [method_profile for method_profile in profiles if method_profile.declared]
    if not declared:
        return []
    text = (
        f"{len(declared)} methods that clients call have no body (interface, abstract or native); "
        "their calls count for the method that ran"
    )
    return [Caveat("methods-declared", text)]


def _describe_clients(clients: Sequence[ClientUse], ranking: Ranking) -> list[Caveat]:
    caveats = []
    failed = [client for client in clients if client.reason is not None]
    if failed:
        failure_text = "; ".join(f"{use.name}: {use.reason}" for use in failed)
        text = f"{len(failed)} of {len(clients)} clients could not be traced: {failure_text}"
        caveats.append(Caveat("clients-failed", text))
    partly = [f"{client.name}: {client.missing}" for client in clients if client.missing]
    if partly:
        text = f"some calls of clients may be missing; {'; '.join(partly)}"
        caveats.append(Caveat("clients-partly", text))
    total_calls = sum(client.total_calls for client in clients)
    loudest = max(clients, key=lambda client: client.total_calls, default=None)
    traced = len(clients) - len(failed)
    if (
        ranking is Ranking.SUM
        and loudest
        and traced > 1
        and loudest.total_calls > _NOISY * total_calls
    ):
        text = (
            f"{loudest.name} makes {100 * loudest.total_calls // total_calls} % of all calls, so "
            "it decides the order; weigh clients equally with --rank share or --rank clients"
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
    existing_methods = [by_id[name] for name in popular.methods if name in by_id]
    slowable_methods = [method for method in existing_methods if method.refusal is None][:most]
    text = (
        f"the methods are the {len(slowable_methods)} public ones that {popular.source} call most, "
        f"of {len(popular.methods)}"
    )
    missing_count = len(popular.methods) - len(existing_methods)
    if missing_count:
        text += f"; {missing_count} of those are not in this revision"
    caveats = [Caveat("methods-profile", text)]
    end_index = (
        existing_methods.index(slowable_methods[-1])
        if len(slowable_methods) == most
        else len(existing_methods)
    )
    refused = {
        method.id: method.refusal
        for method in existing_methods[:end_index]
        if method.refusal is not None
    }
    if refused:
        refusal_text = "; ".join(
            f"{name}: {extract_complaint(reason)}" for name, reason in refused.items()
        )
        text = f"often used methods were left out, as they cannot be slowed: {refusal_text}"
        caveats.append(Caveat("methods-left-out", text))
    return tuple(slowable_methods), tuple(caveats)
