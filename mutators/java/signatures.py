"""Method names as people write them, against methods."""

from auditor.core.subject import Method
from mutators.java.descriptors import parameter_types
from mutators.java.types import JavaType, NotAType, parse_type, split_list


def matches_method(method_name: str, method: Method) -> bool:
    """Tell whether `method_name` means `method`.

    It is `package.Type.method` or an end of it, with or without parameter types; these may be
    qualified or simple, generic or raw, and as erased. `Type.Type` and `Type.<init>` are
    constructors. The JVM's own name (`package/Type.method(I)V`) is understood too.
    """
    if method_name == method.descriptor:
        return True
    name, opened, rest = method_name.strip().partition("(")
    plain = _normalise_name(name)
    if not any(
        full_name == plain or full_name.endswith(f".{plain}")
        for full_name in _list_method_names(method)
    ):
        return False
    if not opened:
        return True
    if not rest.rstrip().endswith(")"):
        return False
    return _same_types(rest.rstrip()[:-1], method)


def _normalise_name(name: str) -> str:
    dotted = name.strip().replace("::", ".").replace("#", ".").replace("$", ".")
    return dotted.replace(".new", ".<init>") if dotted.endswith(".new") else dotted


def _list_method_names(method: Method) -> set[str]:
    owner = _normalise_name(method.owner)
    names = {f"{owner}.{method.name}"}
    if method.name == "<init>":
        names.add(f"{owner}.{owner.rpartition('.')[2]}")
    return names


def _same_types(text: str, method: Method) -> bool:
    try:
        query_types = [parse_type(part) for part in split_list(text)]
        declared_types = [parse_type(part) for part in method.parameters]
    except NotAType:
        return False
    erased = parameter_types(method.descriptor)
    return _accept_types(declared_types, query_types) or _accept_types(erased, query_types)


def _accept_types(
    declared_types: list[JavaType] | tuple[JavaType, ...], query_types: list[JavaType]
) -> bool:
    return len(declared_types) == len(query_types) and all(
        type_.accepts_type(query_type)
        for type_, query_type in zip(declared_types, query_types, strict=True)
    )
