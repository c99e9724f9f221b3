"""A method slowed in its source, for programs that are built and run by somebody else.

The agent slows methods while they are loaded; here the same is written into the file: what begins
and ends a call, around the body, and a class of ours beside it that waits.
"""

import posixpath
from collections.abc import Mapping, Sequence

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from auditor.core.errors import SubjectError
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.subject import Method, SourceFile
from mutators.java.races import quote_literal

_JAVA = Language(tree_sitter_java.language())
WAITER = "BenchAuditSlowed"
"""The class of ours, in the package of the method."""
_BEGIN = f"{{ final long benchAuditBegan = {WAITER}.begin(); try "
_END = f" finally {{ {WAITER}.end(benchAuditBegan); }} }}"
# Thread.onSpinWait by a handle: what is compiled for Java 8 may run on a later one, where the
# handle, which is final, is as fast as a call. What the agent waits with is the same.
_CLASS = """{package}/** Made by bench-audit: makes a method take longer. */
final class {name} {{
    private static final java.lang.invoke.MethodHandle SPIN = spin();
    private static final ThreadLocal<int[]> DEPTH = ThreadLocal.withInitial(() -> new int[1]);
    private static int turns = {turns};
    private static double factor = {factor!r};
    private static boolean guarded = {guarded};

    private {name}() {{}}

    static {{
        try {{
            new java.io.FileOutputStream({trace}).close();
        }} catch (java.io.IOException | SecurityException ignored) {{
            // Then nobody knows that it ran here.
        }}
    }}

    private static java.lang.invoke.MethodHandle spin() {{
        try {{
            return java.lang.invoke.MethodHandles.publicLookup().findStatic(Thread.class,
                    "onSpinWait", java.lang.invoke.MethodType.methodType(void.class));
        }} catch (ReflectiveOperationException tooOld) {{
            throw new IllegalStateException("needs Java 9 to run", tooOld);
        }}
    }}

    static long begin() {{
        if (guarded && DEPTH.get()[0]++ > 0) {{
            return -1;
        }}
        return factor > 0 ? System.nanoTime() & Long.MAX_VALUE : 0;
    }}

    static void end(long began) {{
        if (guarded) {{
            DEPTH.get()[0]--;
        }}
        if (began < 0) {{
            return;
        }}
        try {{
            for (int left = turns; left > 0; left--) {{
                SPIN.invokeExact();
            }}
            if (factor > 0) {{
                long until = System.nanoTime() & Long.MAX_VALUE;
                until += (long) (factor * (until - began));
                while ((System.nanoTime() & Long.MAX_VALUE) < until) {{
                    SPIN.invokeExact();
                }}
            }}
        }} catch (Throwable impossible) {{
            throw new AssertionError(impossible);
        }}
    }}
}}
"""


def slow_method(
    sources: Sequence[SourceFile], method: Method, *, guarded: bool, delay: Delay, trace: str
) -> Mapping[str, bytes]:
    """Return the changed file and the class that waits, by their paths.

    `trace` is a file that is made where the class is loaded. Raises SubjectError where the method
    has no source here, is a constructor, or waits in a way that a source cannot.
    """
    if delay.wait not in {InjectionKind.WORK, InjectionKind.SPIN}:
        raise SubjectError(f"{method.id}: a source cannot wait by {delay.wait}")
    source = _find_source_file(sources, method)
    body = _find_method_body(source, method)
    package = _read_package(source.text)
    text = source.text
    edited = b"".join(
        (
            text[: body.start_byte],
            _BEGIN.encode(),
            text[body.start_byte : body.end_byte],
            _END.encode(),
            text[body.end_byte :],
        )
    )
    works = delay.wait is InjectionKind.WORK
    waiter = _CLASS.format(
        package=f"package {package};\n\n" if package else "",
        name=WAITER,
        turns=round(delay.number) if works else 0,
        factor=0.0 if works else float(delay.number),
        guarded="true" if guarded else "false",
        trace=_escape_non_ascii(quote_literal(trace, '"')),
    )
    folder = posixpath.dirname(source.path)
    return {source.path: edited, posixpath.join(folder, f"{WAITER}.java"): waiter.encode()}


def _escape_non_ascii(text: str) -> str:
    """Return Java's text in ASCII: nobody knows in which encoding a project is compiled."""
    units = text.encode("utf-16-be", errors="surrogatepass")
    numbers = (high << 8 | low for high, low in zip(units[::2], units[1::2], strict=True))
    # A line feed written as \u000a would end the line: these are read before anything else.
    return "".join(
        chr(number)
        if 0x20 <= number < 0x7F
        else f"\\{number:03o}"
        if number < 0x20
        else f"\\u{number:04x}"
        for number in numbers
    )


def _find_source_file(sources: Sequence[SourceFile], method: Method) -> SourceFile:
    span = method.span
    files = [source for source in sources if span is not None and source.path == span.file]
    if not files or not files[0].path.endswith(".java"):
        if span is None and method.trivial is not None:
            raise SubjectError(
                f"{method.id} has no body in a source: {method.trivial}; name another method"
            )
        raise SubjectError(
            f"{method.id} has no Java source in this subject; name the folder or repository that "
            "it is built from"
        )
    return files[0]


def _find_method_body(source: SourceFile, method: Method) -> Node:
    """Return the body of the method that begins in the line that is known of it."""
    if method.span is None:
        raise SubjectError(f"{method.id} has no Java source here")
    root = Parser(_JAVA).parse(source.text).root_node
    first = method.span.first_line - 1
    pending, nodes = [root], []
    while pending:
        node = pending.pop()
        if node.type == "method_declaration" and node.start_point[0] == first:
            nodes.append(node)
        if node.start_point[0] <= first <= node.end_point[0]:
            pending += node.named_children
    bodies = [
        inner_node.child_by_field_name("body")
        for inner_node in nodes
        if _has_name(inner_node, method.name)
    ]
    if len(bodies) == 1 and bodies[0] is not None:
        return bodies[0]
    raise SubjectError(
        f"{method.id} cannot be slowed in its source: it is a constructor or has no line of its "
        "own; name another method"
    )


def _has_name(node: Node, name: str) -> bool:
    inner_node = node.child_by_field_name("name")
    return inner_node is not None and inner_node.text == name.encode()


def _read_package(text: bytes) -> str:
    for child in Parser(_JAVA).parse(text).root_node.named_children:
        if child.type == "package_declaration":
            names = [node for node in child.named_children if "identifier" in node.type]
            package = names[-1].text if names else None
            return package.decode() if package else ""
    return ""
