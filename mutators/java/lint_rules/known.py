"""What is known of methods by their names alone: those that only compute, those that change."""

import re

_NUMBERS = ("Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short")
_PURE_STATIC = {
    **dict.fromkeys((*_NUMBERS, "Math", "StrictMath", "BigInteger", "BigDecimal"), ""),
    "Arrays": "asList binarySearch compare copyOf copyOfRange deepEquals deepHashCode equals "
    "hashCode mismatch stream toString",
    "List": "copyOf of",
    "Map": "copyOf entry of",
    "Objects": "compare equals hash hashCode toString",
    "Optional": "of ofNullable",
    "Pattern": "compile matches quote",
    "Set": "copyOf of",
    "String": "copyValueOf format join valueOf",
    "UUID": "fromString nameUUIDFromBytes",
}
_MAKING = {
    **dict.fromkeys(("List", "Map", "Optional", "Set", "UUID"), ""),
    "Arrays": "asList copyOf copyOfRange stream toString",
    "Objects": "toString",
    "Pattern": "compile quote",
    "String": "copyValueOf format join",
}
"""Of those that are static the ones that make an object, which no compiler does beforehand."""
_EITHER = "equals hashCode toString"
_COLLECTION = "contains containsAll isEmpty iterator size spliterator stream toArray"
_LIST = f"{_COLLECTION} get indexOf lastIndexOf subList listIterator getFirst getLast"
_MAP = "containsKey containsValue entrySet get getOrDefault isEmpty keySet size values"
_SORTED_MAP = f"{_MAP} ceilingEntry ceilingKey firstKey floorEntry floorKey headMap higherEntry "
_PURE = {
    **dict.fromkeys((*_NUMBERS, "BigDecimal", "BigInteger", "String", "UUID"), ""),
    **dict.fromkeys(("Collection", "HashSet", "Set", "LinkedHashSet"), _COLLECTION),
    **dict.fromkeys(("ArrayList", "LinkedList", "List"), _LIST),
    **dict.fromkeys(("ConcurrentHashMap", "ConcurrentMap", "HashMap", "Map"), _MAP),
    **dict.fromkeys(
        ("NavigableMap", "SortedMap", "TreeMap"),
        f"{_SORTED_MAP}higherKey lastKey lowerEntry lowerKey subMap tailMap",
    ),
    **dict.fromkeys(("Duration", "Instant", "LocalDate", "LocalDateTime", "ZonedDateTime"), ""),
    "BitSet": "cardinality get isEmpty length nextClearBit nextSetBit previousSetBit size",
    "Optional": "get isEmpty isPresent orElse",
    "Pattern": "flags matcher pattern split",
    "StringBuilder": "charAt indexOf length substring",
}
"""Methods that only compute, by the type; with no names, all of that type are such."""
_READS_TEXT = frozenset(
    {"charAt", "codePointAt", "compareTo", "contains", "endsWith", "equals", "hashCode", "indexOf"}
    | {"isBlank", "isEmpty", "lastIndexOf", "length", "startsWith"}
)
_LEFT_OUT = frozenset({"getChars", "getBytes", "random", "notify", "notifyAll", "wait"})
_CHANGES = re.compile(
    r"(accept|acquire|add|advance|after|allocate|append|apply|assert|await|before|begin|bind|block"
    r"|borrow|call|cancel|check|claim|clear|close|commit|compact|compareAnd|complete|compute|connect"
    r"|consume|copy|decode|decr|delete|dequeue|deregister|dispatch|do|drain|drop|emit|encode|end"
    r"|enqueue|ensure|enter|evict|exchange|execute|exit|expect|fail|fill|fire|flip|flush|fork|forEach|free"
    r"|getAnd|go|handle|incr|init|insert|intern|invoke|join|load|lock|log|mark|measure|merge|move"
    r"|next|notify|offer|on|open|park|perform|poll|pop|post|prepare|print|printf|println|process|publish|pull|push|put|read"
    r"|receive|recycle|refresh|register|release|remove|replace|request|require|reset|resize|retain|return|rewind"
    r"|rotate|run|save|schedule|seek|send|set|shuffle|shutdown|signal|skip|sleep|sort|spin|start"
    r"|stop|store|submit|subscribe|swap|sync|take|test|throw|touch|transfer|transform|trigger|try"
    r"|unlock|unpark|unregister|unset|unsubscribe|update|verify|visit|wait|walk|write|yield)"
    r"(?![a-z])\w*|(info|debug|warn|error|trace|fatal)"
)
_RETURNS = re.compile(
    r"(apply|call|compute|execute|invoke|load|process|read|run|transform)([A-Z]\w*)?"
)
_ONLY_ASKS = re.compile(
    r"(calculate|compare|contains|count|equals|format|has|hashCode|indexOf|is|lastIndexOf|length"
    r"|matches|size)(?![a-z])\w*"
)
_ASKS = re.compile(
    r"(get|to|as|is|has|parse|format|of|from|find|lookup|resolve|create|build|make|convert|map"
    r"|concat|hash|encode|decode|split|substring|trim|clone|current|peek|max|min|abs|sum|count"
    r"|size|length|contains|equals|compare|matches|indexOf|calculate|compute|eval|evaluate"
    r"|stringify|escape|unescape)(?![a-z])\w*"
)


def is_pure_method(kind: str, name: str, *, static: bool) -> bool:
    """Tell whether a method of the JDK only computes a result."""
    if name in _LEFT_OUT or (static and kind == "Math" and name == "random"):
        return False
    names = (_PURE_STATIC if static else _PURE).get(kind)
    if names is None:
        return False
    return not names or name in names.split() or (not static and name in _EITHER.split())


def is_factory_method(kind: str, name: str) -> bool:
    """Tell whether a static method of the JDK is there for the object that it makes."""
    names = _MAKING.get(kind)
    return names is not None and (not names or name in names.split())


def makes_text(name: str) -> bool:
    """Tell whether a method of a String makes another object, which no compiler does beforehand."""
    return name not in _READS_TEXT


def suggests_change(name: str) -> bool:
    """Tell whether a method's name says that it changes or waits for something."""
    return _CHANGES.fullmatch(name) is not None


def suggests_dual_use(name: str) -> bool:
    """Tell whether a method of such a name may be called for what it changes or for its result."""
    return _RETURNS.fullmatch(name) is not None


def suggests_query(name: str) -> bool:
    """Tell whether a method's name says that it is called for its result: `getX`, `parseInt`."""
    return name not in _LEFT_OUT and _ASKS.fullmatch(name) is not None


def suggests_pure_query(name: str) -> bool:
    """Tell whether a method's name says that it only looks: `contains`, `size`, `isEmpty`."""
    return _ONLY_ASKS.fullmatch(name) is not None
