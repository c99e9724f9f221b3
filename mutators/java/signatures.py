"""Method names as people write them, against methods."""

from auditor.core.subject import Method
from mutators.java.descriptors import parameter_types
from mutators.java.types import JavaType, NotAType, parse_type, split_list


def matches(written: str, method: Method) -> bool:
    """Tell whether `written` means `method`.

    Written is `package.Type.method` or an end of it, with or without parameter types; these may be
    qualified or simple, generic or raw, and as erased. `Type.Type` and `Type.<init>` are
    constructors. The JVM's own name (`package/Type.method(I)V`) is understood too.
    """
    if written == method.descriptor:
        return True
    name, opened, rest = written.strip().partition("(")
    plain = _plain(name)
    if not any(one == plain or one.endswith(f".{plain}") for one in _names(method)):
        return False
    if not opened:
        return True
    if not rest.rstrip().endswith(")"):
        return False
    return _same_types(rest.rstrip()[:-1], method)


def _plain(name: str) -> str:
    dotted = name.strip().replace("::", ".").replace("#", ".").replace("$", ".")
    return dotted.replace(".new", ".<init>") if dotted.endswith(".new") else dotted


def _names(method: Method) -> set[str]:
    owner = _plain(method.owner)
    names = {f"{owner}.{method.name}"}
    if method.name == "<init>":
        names.add(f"{owner}.{owner.rpartition('.')[2]}")
    return names


def _same_types(text: str, method: Method) -> bool:
    try:
        written = [parse_type(part) for part in split_list(text)]
        own = [parse_type(part) for part in method.parameters]
    except NotAType:
        return False
    erased = parameter_types(method.descriptor)
    return _accept(own, written) or _accept(erased, written)


def _accept(own: list[JavaType] | tuple[JavaType, ...], written: list[JavaType]) -> bool:
    return len(own) == len(written) and all(
        type_.accepts(theirs) for type_, theirs in zip(own, written, strict=True)
    )
