"""Faults and near misses that lint_recall.py plants, and the places in suites where they fit."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import Template
from textwrap import dedent, indent


@dataclass(frozen=True)
class Site:
    """A benchmark in a file: its span, and the parts of it that plants are made of.

    `parts` lacks what the benchmark does not have, and is empty for the file as a whole.
    """

    file: str
    text: str
    start: int
    end: int
    parts: Mapping[str, str]


@dataclass(frozen=True)
class Plant:
    """An edit: `new` in place of the benchmark, `top` before the first declaration, `tail` last.

    With `swap` it is one replacement of a pattern in the whole file instead.
    """

    rule: str
    fault: bool
    new: str = ""
    top: str = ""
    tail: str = ""
    swap: tuple[str, str] = field(default=("", ""))

    def edit(self, site: Site) -> str | None:
        """Return the text of the file with the plant, None where it does not fit the site."""
        if self.swap[0]:
            text = re.sub(*self.swap, site.text, count=1, flags=re.MULTILINE)
            return text if text != site.text and not site.parts else None
        try:
            middle = Template(self.new).substitute(site.parts)
            tail = Template(self.tail).substitute(site.parts)
        except KeyError:
            return None
        before = site.text[: site.start]
        if self.top:
            before = re.sub(r"^package .*$", rf"\g<0>\n{self.top}", before, count=1, flags=re.M)
        return before + middle + site.text[site.end :] + tail


def sites(language: str, file: str, text: str) -> Iterator[Site]:
    """Yield the benchmarks of a file that plants may replace."""
    result = {"go": _go, "jmh": _java, "py": _python}[language](text)
    if "@Benchmark" in text or "pyperf" in text or "def time_" in text:
        yield Site(file, text, 0, 0, {})
    for start, end, parts in result:
        yield Site(file, text, start, end, parts)


Matches = Iterator[tuple[int, int, dict[str, str]]]


def _closed(text: str, start: int) -> int:
    """Return where the brace that opens before `start` is closed; strings with braces are rare."""
    depth = 1
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return start + match.end()
    return len(text)


_JAVA = re.compile(
    r"(?P<head>@Benchmark(?:\s*@\w+(?:\([^)]*\))?)*)\s*public\s+(?P<type>[\w<>\[\], ?.]+?)\s+"
    r"(?P<name>\w+)\s*\((?P<args>[^)]*)\)[^{;]*\{"
)


def _java(text: str) -> Matches:
    for match in _JAVA.finditer(text):
        end = _closed(text, match.end())
        body = text[match.end() : end - 1].strip()
        parts = {key: value.strip() for key, value in match.groupdict().items()}
        parts["more"] = f", {parts['args']}" if parts["args"] else ""
        parts |= {"body": body, "whole": text[match.start() : end]}
        only = re.fullmatch(r"(?:return|\w+\.consume\()\s*([\w.<>]+\.\w+\([^;{}]*\))\)?;", body)
        if only and "++" not in only[1]:
            call = only[1] if body.startswith("return") else only[1].removesuffix(";")
            if call.count("(") < call.count(")"):
                call = call[:-1]
            parts |= {"call": call, "target": call[: call.index("(")]}
        yield match.start(), end, parts


_GO = re.compile(r"^func (?P<name>Benchmark\w*)\((?P<b>\w+) \*testing\.B\) \{\n", re.MULTILINE)
_GO_LOOP = re.compile(
    r"^\tfor (?:(?P<i>\w+) := 0; \w+ < \w+\.N; \w+\+\+|range \w+\.N|\w+\.Loop\(\)) \{\n",
    re.MULTILINE,
)


def _go(text: str) -> Matches:
    for match in _GO.finditer(text):
        end = _closed(text, match.end())
        body = text[match.end() : end - 1]
        loop = _GO_LOOP.search(body)
        if loop is None:
            continue
        inner = body[loop.end() : _closed(body, loop.end()) - 1]
        if loop["i"] and re.search(rf"\b{loop['i']}\b", inner):
            continue
        parts = {"name": match["name"], "b": match["b"], "before": body[: loop.start()]}
        parts |= {"work": inner.rstrip() + "\n", "whole": text[match.start() : end]}
        yield match.start(), end, parts


_PYTHON = re.compile(
    r"^(?P<margin>(?: {4})?)def (?P<name>(?:test|time|bench)_\w+)\((?P<args>[^()]*)\)[^:\n]*:\n"
    r"(?P<body>(?:(?P=margin) {4}.*\n|\n)+)",
    re.MULTILINE,
)
_FIXED = re.compile(
    r"^ *benchmark\((?P<function>[\w.]+)(?:, (?P<given>[^()\n]*))?\)\n", re.MULTILINE
)


def _python(text: str) -> Matches:
    for match in _PYTHON.finditer(text):
        parts = {key: match[key] for key in ("margin", "name", "args")}
        body = dedent(match["body"]).strip("\n") + "\n"
        fixed = _FIXED.search(body)
        if re.search(r"\bbenchmark\b", match["args"]):
            if fixed is None or fixed.end() != len(body):
                continue
            fixed_args = fixed["given"] or ""
            parts |= {
                "function": fixed["function"],
                "given": fixed_args,
                "before": body[: fixed.start()],
            }
            parts["rest"] = f", {fixed_args}" if fixed_args else ""
            parts["work"] = f"{fixed['function']}({fixed_args})\n"
        elif "pytestmark = pytest.mark.benchmark" in text or match["name"].startswith("time_"):
            if "return" in body or "yield" in body or "for " in body:
                continue
            parts |= {"work": body, "before": ""}
        else:
            continue
        parts["inner"] = indent(parts["work"], "    ")
        yield match.start(), match.end(), parts


PLANTS: list[Plant] = []


def _plants(rule: str, *, top: str = "", tail: str = "", **sorted_: tuple[str, ...]) -> None:
    for kind, texts in sorted_.items():
        PLANTS.extend(
            Plant(rule, kind == "faults", dedent(text), dedent(top), dedent(tail)) for text in texts
        )


def _swaps(rule: str, **sorted_: tuple[tuple[str, str], ...]) -> None:
    for kind, pairs in sorted_.items():
        PLANTS.extend(Plant(rule, kind == "faults", swap=pair) for pair in pairs)


def _loop(inner: str, bound: str = "1000") -> str:
    return f"for (int planted = 0; planted < {bound}; planted++) {{ {inner} }}"


_VOID = "$head public void $name($args) {"
_FED = "$head public void $name(Blackhole planted_hole$more) {"
_plants(
    "jmh-unused-result",
    faults=(
        f"{_VOID} $call; }}",
        f"{_VOID} Object planted = $call; }}",
        f"{_FED} $call; planted_hole.consume(1); }}",
    ),
    near=(
        "$head public Object $name($args) { Object planted = $call; return planted; }",
        f"{_FED} planted_hole.consume($call); }}",
        f"Object plantedKept;\n{_VOID} plantedKept = $call; }}",
        "$head public boolean $name($args) { return $call != null; }",
    ),
)
_plants(
    "jmh-loop",
    faults=(
        f"$head public Object $name($args) {{ Object last = null; {_loop('last = $call;')} "
        "return last; }",
        f"{_FED} {_loop('planted_hole.consume($call);')} }}",
        f"$head public int $name($args) {{ int sum = 0; {_loop('sum += $call.hashCode();', '10 * 1024')}"
        " return sum; }",
        f"static final int TURNS = 500;\n{_FED} "
        f"{_loop('planted_hole.consume($call);', 'TURNS')} }}",
    ),
    near=(
        f"@OperationsPerInvocation(1000)\n{_FED} {_loop('planted_hole.consume($call);')} }}",
        f"int[] inputs = new int[99];\n{_FED} "
        f"{_loop('planted_hole.consume(inputs[planted]);', 'inputs.length')} }}",
        f'@Param({{"1", "9"}}) int turns;\n{_FED} '
        f"{_loop('planted_hole.consume($call);', 'turns')} }}",
        f"@BenchmarkMode(Mode.SingleShotTime)\n{_FED} {_loop('planted_hole.consume($call);')} }}",
    ),
)
_PLANTED = "@State(Scope.Thread) public static class Planted {"
_WITH = "$head public Object $name(Planted planted$more) {"
_plants(
    "jmh-final-state",
    faults=(
        f"{_PLANTED} final int value = 42; }}\n{_WITH} return $target(planted.value); }}",
        f'{_PLANTED} private final String text = "a,b"; }}\n{_WITH} return $target(planted.text); }}',
        "private final long plantedInput = 7 * 6;\n$head public Object $name($args) "
        "{ return $target(plantedInput); }",
    ),
    near=(
        f"{_PLANTED} int value = 42; }}\n{_WITH} return $target(planted.value); }}",
        f"{_PLANTED} final long value = System.nanoTime(); }}\n"
        f"{_WITH} return $target(planted.value); }}",
        f'{_PLANTED} @Param("42") int value; }}\n{_WITH} return $target(planted.value); }}',
        f"{_PLANTED} final Object value = new Object(); }}\n"
        f"{_WITH} return $target(planted.value); }}",
    ),
)
_swaps(
    "jmh-final-state",
    faults=((r"^(\s+private) (long|int|double|String) (\w+ = [-\w\".]+;)$", r"\1 final \2 \3"),),
)
_STATIC = "static int plantedHash(int n) { return n * 31 + (n >>> 7); }\n"
_plants(
    "jmh-constant-inputs",
    faults=(
        f"{_STATIC}$head public int $name($args) {{ return plantedHash(42); }}",
        f"{_STATIC}static final int N = 9;\n{_FED} planted_hole.consume(plantedHash(N + 1)); }}",
        '$head public Object $name($args) { return Integer.parseInt("1234"); }',
        "$head public double $name($args) { double x = 2.5; return Math.sqrt(x); }",
    ),
    near=(
        f"int n = 42;\n{_STATIC}$head public int $name($args) {{ return plantedHash(n); }}",
        "$head public Object $name($args) { return java.util.UUID.randomUUID(); }",
        f"@CompilerControl(CompilerControl.Mode.DONT_INLINE) {_STATIC}"
        "$head public int $name($args) { return plantedHash(42); }",
        "int seen;\nint plantedCount(int n) { seen += n; return seen; }\n"
        "$head public int $name($args) { return plantedCount(1); }",
    ),
)
_NANO = "@BenchmarkMode(Mode.AverageTime) @OutputTimeUnit(TimeUnit.NANOSECONDS)"
_STATE_CLASS = (
    "@State(Scope.Thread) public static class Planted { int n; @LEVEL void up() { n = 3; } }\n"
)
_state_class = _STATE_CLASS.replace
_plants(
    "jmh-invocation-setup",
    faults=(
        f"{_state_class('@LEVEL', '@Setup(Level.Invocation)')}{_NANO} {_WITH} return $call; }}",
        f"{_state_class('@LEVEL', '@TearDown(Level.Invocation)')}{_WITH} return $call; }}",
        f"{_state_class('@LEVEL', '@Setup(value = Level.Invocation)')}"
        "@OutputTimeUnit(TimeUnit.MICROSECONDS) @BenchmarkMode(Mode.Throughput) "
        f"{_WITH} return $call; }}",
    ),
    near=(
        f"{_state_class('@LEVEL', '@Setup(Level.Iteration)')}{_NANO} {_WITH} return $call; }}",
        f"{_state_class('@LEVEL', '@Setup(Level.Invocation)')}"
        f"@BenchmarkMode(Mode.SingleShotTime) {_WITH} return $call; }}",
        f"{_state_class('@LEVEL', '@Setup(Level.Invocation)')}@BenchmarkMode(Mode.AverageTime) "
        f"@OutputTimeUnit(TimeUnit.SECONDS) {_WITH} return $call; }}",
        f"{_state_class('@LEVEL', '@Setup(Level.Invocation)')}@OperationsPerInvocation(100000) "
        f"{_WITH} return $call; }}",
    ),
)
_OPTIONS = (
    "static void planted() throws Exception { new org.openjdk.jmh.runner.Runner(new OptionsBuilder()"
    '.include("x")OPTION.build()).run(); }\n$whole'
)
_plants(
    "jmh-no-forks",
    faults=("@Fork(0) $whole", "@Fork(value = 0) $whole", _OPTIONS.replace("OPTION", ".forks(0)")),
    near=("@Fork(1) $whole", "@Fork(value = 3) $whole", _OPTIONS.replace("OPTION", ".forks(2)")),
)
_plants(
    "jmh-one-fork",
    faults=("@Fork(1) $whole", "@Fork(value = 1, warmups = 1) $whole", "@Fork(value = 1) $whole"),
    near=("@Fork(2) $whole", "@Fork(value = 3) $whole", "@Fork(warmups = 1) $whole"),
)
_plants(
    "jmh-no-warmup",
    faults=(
        "@BenchmarkMode(Mode.AverageTime) @Warmup(iterations = 0) $whole",
        "@BenchmarkMode(Mode.Throughput) @Warmup(iterations = 0, time = 1) $whole",
        _OPTIONS.replace("OPTION", ".warmupIterations(0)"),
    ),
    near=(
        "@Warmup(iterations = 1) $whole",
        "@BenchmarkMode(Mode.SingleShotTime) @Warmup(iterations = 0) $whole",
        _OPTIONS.replace("OPTION", ".warmupIterations(5)"),
    ),
)
_SHARED = "@State(Scope.Benchmark) public static class Planted { DECLARED }\n@Threads(4) "
_shared = _SHARED.replace
_plants(
    "jmh-shared-state",
    faults=(
        f"{_shared('DECLARED', 'int n;')}{_WITH} planted.n++; return $call; }}",
        f"{_shared('DECLARED', 'Object kept;')}{_WITH} planted.kept = $call; return null; }}",
        f"{_shared('DECLARED', 'long[] all = new long[9];')}{_WITH} planted.all[1] = 3; "
        "return $call; }",
    ),
    near=(
        f"@State(Scope.Thread) public static class Planted {{ int n; }}\n@Threads(4) {_WITH} "
        "planted.n++; return $call; }",
        f"{_shared('DECLARED', 'AtomicInteger n;')}{_WITH} planted.n.incrementAndGet(); "
        "return $call; }",
        f"{_shared('DECLARED', 'volatile int n;')}{_WITH} planted.n = 1; return $call; }}",
        f"{_shared('DECLARED', 'int n;').replace('(4)', '(1)')}{_WITH} planted.n++; return $call; }}",
    ),
)
_LIST = "List<Object> kept = new ArrayList<>();"
_plants(
    "jmh-growing-state",
    faults=(
        f"{_PLANTED} {_LIST} }}\n{_WITH} planted.kept.add($call); return planted.kept; }}",
        f"{_PLANTED} StringBuilder kept = new StringBuilder(); }}\n"
        f"{_WITH} planted.kept.append($call); return planted.kept; }}",
        f"{_PLANTED} int n; Map<Integer, Object> kept = new HashMap<>(); }}\n"
        f"{_WITH} return planted.kept.put(planted.n++, $call); }}",
        f"{_PLANTED} Deque<Object> kept; @Setup(Level.Iteration) void up() {{ kept = new ArrayDeque<>();"
        f" }} }}\n{_WITH} planted.kept.addLast($call); return planted; }}",
    ),
    near=(
        f"{_PLANTED} {_LIST} }}\n{_WITH} planted.kept.add($call); planted.kept.clear(); return 1; }}",
        f"{_PLANTED} {_LIST} @Setup(Level.Invocation) void up() {{ kept = new ArrayList<>(); }} }}\n"
        f"{_WITH} planted.kept.add($call); return planted; }}",
        f"$head public Object $name($args) {{ {_LIST} kept.add($call); return kept; }}",
        f"{_PLANTED} Map<String, Object> kept = new HashMap<>(); }}\n{_WITH} "
        'return planted.kept.put("key", $call); }',
    ),
)


def _random_state(maker: str) -> str:
    return (
        "@State(Scope.Thread) public static class Planted { int[] all = new int[99]; @Setup void up() "
        f"{{ {maker}; for (int i = 0; i < 99; i++) {{ all[i] = random.nextInt(); }} }} }}\n"
        f"{_WITH} return $call; }}"
    )


_plants(
    "jmh-unseeded-random",
    faults=(
        _random_state("Random random = new Random()"),
        _random_state("var random = ThreadLocalRandom.current()"),
        _random_state("SplittableRandom random = new SplittableRandom()"),
    ),
    near=(
        _random_state("Random random = new Random(42)"),
        _random_state("SplittableRandom random = new SplittableRandom(7L)"),
        _random_state("Random random = new Random(); random.setSeed(1)"),
    ),
)

_HEAD = "func $name(b *testing.B) {\n"
_N = "\tfor i := 0; i < b.N; i++ {\n"
_SMALL = """
func plantedSmall(x int) int { return x*31 + x>>3 }
func plantedBit(x uint64) bool { return x&(x-1) == 0 }
type plantedPair struct{ a, b int }
func (p plantedPair) sum() int { return p.a + p.b }
var plantedSink int
var plantedInput = 7
func plantedLong(x int) int { for x > 0 { x-- }; return x }
func plantedUse(x any) { plantedKept = x }
var plantedKept any
"""
_plants(
    "go-unused-result",
    tail=_SMALL,
    faults=(
        f"{_HEAD}{_N}\t\t_ = plantedSmall(i)\n\t}}\n}}",
        f"{_HEAD}\tvar r bool\n\tfor range b.N {{\n\t\tr = plantedBit(64)\n\t}}\n\t_ = r\n}}",
        f"{_HEAD}\tp := plantedPair{{1, 2}}\n{_N}\t\tp.sum()\n\t}}\n}}",
        f'{_HEAD}\tb.Run("x", func(b *testing.B) {{\n{_N}\t\tplantedSmall(len("abc"))\n\t}}\n\t}})\n}}',
    ),
    near=(
        f"{_HEAD}{_N}\t\tplantedSink = plantedSmall(i)\n\t}}\n}}",
        f"{_HEAD}\tfor b.Loop() {{\n\t\t_ = plantedSmall(3)\n\t}}\n}}",
        f"{_HEAD}{_N}\t\t_ = plantedLong(i)\n\t}}\n}}",
        f"{_HEAD}{_N}\t\tif plantedSmall(i) == -1 {{\n\t\t\tb.Fatal()\n\t\t}}\n\t}}\n}}",
    ),
)
_plants(
    "go-no-bn",
    faults=(
        "func $name($b *testing.B) {\n$before$work}",
        "func $name($b *testing.B) {\n$before\t$b.ResetTimer()\n$work}",
        'func $name($b *testing.B) {\n\t$b.Run("x", func($b *testing.B) {\n$before$work\t})\n}',
        "func $name($b *testing.B) {\n\tfor i := 0; i < 1000; i++ {\n$work\t}\n}",
    ),
    near=(
        "func $name($b *testing.B) {\n$before\tfor $b.Loop() {\n$work\t}\n}",
        "func $name($b *testing.B) {\n$before\t$b.RunParallel(func(pb *testing.PB) {\n\tfor pb.Next() {\n"
        "$work\t}\n\t})\n}",
        "func $name($b *testing.B) {\n$before\tn := $b.N\n\tfor n > 0 {\n\tn--\n$work\t}\n}",
        "func $name($b *testing.B) {\n\tplanted$name($b)\n}\nfunc planted$name($b *testing.B) {\n"
        "$before\tfor range $b.N {\n$work\t}\n}",
    ),
)
_plants(
    "go-bn-as-size",
    top='import "sort"',
    tail=_SMALL,
    faults=(
        f"{_HEAD}{_N}\t\tplantedSink = plantedLong(b.N)\n\t\tplantedUse(make([]int, b.N))\n\t}}\n}}",
        f"{_HEAD}\tx := make([]int, b.N)\n\tsort.Ints(x)\n}}",
        f"{_HEAD}{_N}\t\tplantedUse(make([]byte, 0, b.N))\n\t}}\n}}",
    ),
    near=(
        f"{_HEAD}{_N}\t\tplantedUse(make([]byte, 64))\n\t}}\n}}",
        f"{_HEAD}\tx := make([]int, b.N)\n{_N}\t\tx[i] = plantedLong(3)\n\t}}\n}}",
        f"{_HEAD}{_N}\t\tplantedSink = plantedSmall(i)\n\t}}\n}}",
    ),
)
_plants(
    "go-setup-in-loop",
    top='import (\n"os"\n"math/rand"\n"time"\n"regexp"\n"fmt"\n)',
    tail=_SMALL,
    faults=(
        f'{_HEAD}{_N}\t\tdata, _ := os.ReadFile("x")\n\t\tplantedUse(data)\n\t}}\n}}',
        f"{_HEAD}{_N}\t\tplantedSink = plantedSmall(rand.Intn(100))\n\t}}\n}}",
        "func $name($b *testing.B) {\n$before\tfor range $b.N {\n\t\ttime.Sleep(time.Millisecond)\n"
        "$work\t}\n}",
        f'{_HEAD}{_N}\t\tplantedUse(fmt.Sprintf("key-%d", i))\n\t}}\n}}',
        "func $name($b *testing.B) {\n$before\tfor range $b.N {\n"
        '\t\tre := regexp.MustCompile("a+b")\n\t\tplantedUse(re)\n$work\t}\n}',
    ),
    near=(
        f'{_HEAD}\tdata, _ := os.ReadFile("x")\n{_N}\t\tplantedUse(data)\n\t}}\n}}',
        f"{_HEAD}{_N}\t\tb.StopTimer()\n\t\tx := rand.Intn(100)\n\t\tb.StartTimer()\n"
        "\t\tplantedSink = plantedLong(x)\n\t}\n}",
        "func BenchmarkSleep$name($b *testing.B) {\n\tfor range $b.N {\n"
        "\t\ttime.Sleep(time.Millisecond)\n$work\t}\n}",
        f"{_HEAD}{_N}\t\tplantedSink = plantedLong(rand.Intn(1000000))\n\t}}\n}}",
    ),
)
_TIMERS = "\t\tb.StopTimer()\n\t\tx := plantedLong(i)\n\t\tb.StartTimer()\n"
_plants(
    "go-timer-in-loop",
    tail=_SMALL,
    faults=(
        f"{_HEAD}{_N}{_TIMERS}\t\tplantedSink = plantedSmall(x)\n\t}}\n}}",
        f"{_HEAD}\tp := plantedPair{{1, 2}}\n{_N}{_TIMERS}\t\tplantedSink = p.sum() + x\n\t}}\n}}",
        f"{_HEAD}{_N}\t\tplantedSink = plantedSmall(i)\n\t\tb.StopTimer()\n\t\tplantedLong(i)\n"
        "\t\tb.StartTimer()\n\t}\n}",
    ),
    near=(
        f"{_HEAD}{_N}{_TIMERS}\t\tplantedSink = plantedLong(x)\n\t}}\n}}",
        f"{_HEAD}{_N}\t\tplantedSink = plantedSmall(i)\n\t}}\n\tb.StopTimer()\n}}",
        f"{_HEAD}{_N}\t\tif i == 1000 {{\n{_TIMERS}\t\t_ = x\n\t\t}}\n\t\tplantedSink = plantedSmall(i)"
        "\n\t}\n}",
    ),
)
_FILL = "\tvar all []int\n\tfor j := 0; j < 5_000_000; j++ {\n\t\tall = append(all, plantedLong(j))\n\t}\n"
_plants(
    "go-missing-reset",
    top='import (\n"net/http/httptest"\n)',
    tail=_SMALL,
    faults=(
        f"func $name(b *testing.B) {{\n{_FILL}{_N}\t\tplantedUse(all)\n\t}}\n}}",
        f"{_HEAD}\tplantedUse(plantedMade(1_000_000))\n{_N}\t\tplantedUse(i)\n\t}}\n}}\n"
        "func plantedMade(n int) []int {\n\tvar x []int\n\tfor j := 0; j < n; j++ {\n"
        "\t\tx = append(x, plantedLong(j))\n\t}\n\treturn x\n}",
        f"{_HEAD}\tserver := httptest.NewServer(nil)\n{_N}\t\tplantedUse(server)\n\t}}\n}}",
    ),
    near=(
        f"func $name(b *testing.B) {{\n{_FILL}\tb.ResetTimer()\n{_N}\t\tplantedUse(all)\n\t}}\n}}",
        f"func $name(b *testing.B) {{\n{_FILL}\tfor b.Loop() {{\n\t\tplantedUse(all)\n\t}}\n}}",
        f"{_HEAD}\tvar all []int\n\tfor j := 0; j < 100; j++ {{\n\t\tall = append(all, plantedLong(j))\n"
        f"\t}}\n{_N}\t\tplantedUse(all)\n\t}}\n}}",
    ),
)
_plants(
    "go-leaking-state",
    top='import "bytes"',
    tail=_SMALL,
    faults=(
        f"{_HEAD}\tvar all []int\n{_N}\t\tall = append(all, i)\n\t\tplantedUse(all)\n\t}}\n}}",
        f'{_HEAD}\tvar all []int\n\tb.Run("x", func(b *testing.B) {{\n{_N}\t\tall = append(all, i)\n\t}}\n'
        "\t})\n}",
        f'{_HEAD}\tvar buf bytes.Buffer\n{_N}\t\tbuf.WriteString("planted")\n\t}}\n}}',
        f'{_HEAD}\tall := map[int]int{{}}\n\tb.Run("x", func(b *testing.B) {{\n{_N}\t\tall[i] = i\n\t}}\n'
        "\t})\n}",
    ),
    near=(
        f"{_HEAD}{_N}\t\tvar all []int\n\t\tall = append(all, i)\n\t\tplantedUse(all)\n\t}}\n}}",
        f'{_HEAD}\tvar buf bytes.Buffer\n{_N}\t\tbuf.Reset()\n\t\tbuf.WriteString("planted")\n\t}}\n}}',
        f"{_HEAD}\tvar all []int\n{_N}\t\tall = append(all[:0], i)\n\t\tplantedUse(all)\n\t}}\n}}",
        f"{_HEAD}\tvar all []int\n{_N}\t\tall = append(all, plantedLong(3))\n\t}}\n\tplantedUse(all)\n}}",
    ),
)
_plants(
    "go-inner-loop",
    tail=_SMALL,
    faults=(
        "func $name($b *testing.B) {\n$before\tfor range $b.N {\n\tfor j := 0; j < 1000; j++ {\n$work\t}"
        "\n\t}\n}",
        "func $name($b *testing.B) {\n$before\tfor $b.Loop() {\n\tfor range 100 {\n$work\t}\n\t}\n}",
        f"{_HEAD}\tconst n = 64\n{_N}\t\tfor j := 0; j < n; j++ {{\n\t\t\tplantedUse(plantedLong(9))\n"
        "\t\t}\n\t}\n}",
    ),
    near=(
        f"{_HEAD}{_N}\t\tfor j := 0; j < 100; j++ {{\n\t\t\tplantedSink = plantedLong(j)\n\t\t}}\n\t}}\n}}",
        "func ${name}100($b *testing.B) {\n$before\tfor range $b.N {\n\tfor j := 0; j < 100; j++ {\n"
        "$work\t}\n\t}\n}",
        f"{_HEAD}\tall := []int{{1, 2}}\n{_N}\t\tfor _, x := range all {{\n"
        "\t\t\tplantedSink = plantedLong(x)\n\t\t}\n\t}\n}",
    ),
)
_plants(
    "go-constant-inputs",
    tail=_SMALL,
    faults=(
        f"{_HEAD}{_N}\t\tplantedSink = plantedSmall(42)\n\t}}\n}}",
        f"{_HEAD}\tconst x = 8\n\tvar r bool\n{_N}\t\tr = plantedBit(x << 2)\n\t}}\n\tplantedUse(r)\n}}",
        f"{_HEAD}{_N}\t\tif plantedSmall(-1) == 3 {{\n\t\t\tb.Fatal()\n\t\t}}\n\t}}\n}}",
    ),
    near=(
        f"{_HEAD}\tfor b.Loop() {{\n\t\tplantedSink = plantedSmall(42)\n\t}}\n}}",
        f"{_HEAD}{_N}\t\tplantedSink = plantedSmall(plantedInput)\n\t}}\n}}",
        f"{_HEAD}{_N}\t\tplantedSink = plantedLong(42)\n\t}}\n}}",
    ),
)
_plants(
    "go-no-report-allocs",
    top='import "fmt"',
    tail=_SMALL,
    faults=(
        f'{_HEAD}{_N}\t\tplantedUse(fmt.Sprint("x", i))\n\t}}\n}}',
        f"{_HEAD}{_N}\t\tplantedUse(make([]byte, 64))\n\t}}\n}}",
        f"{_HEAD}{_N}\t\tplantedUse(&plantedPair{{1, 2}})\n\t}}\n}}",
    ),
    near=(
        f"{_HEAD}\tb.ReportAllocs()\n{_N}\t\tplantedUse(make([]byte, 64))\n\t}}\n}}",
        f"{_HEAD}{_N}\t\tplantedSink = plantedSmall(i)\n\t}}\n}}",
        f"{_HEAD}\tx := make([]byte, 64)\n{_N}\t\tplantedUse(x)\n\t}}\n}}",
    ),
)


_NAMES = """
import functools, heapq, io, random, time, collections
PLANTED_LIST = [3, 1, 2]
PLANTED_QUEUE = collections.deque([3, 1, 2])
PLANTED_HEAP = []
PLANTED_OUT = []
ONE = 1
def planted_small(x):
    return x
def planted_value(x):
    return [x]
def planted_maker(x):
    return lambda: x
def planted_nothing(x):
    PLANTED_OUT.append(x)
def planted_generator(n):
    yield n
@functools.lru_cache
def planted_lru(x):
    return x * 2
@functools.cache
def planted_kept(x):
    return x * 2
"""


@dataclass(frozen=True)
class _Python(Plant):
    """`new` is timed code, or if it names the fixture all that a test does."""

    def edit(self, site: Site) -> str | None:
        """Return the text of the file with the plant, None where it does not fit the site."""
        parts, uses_fixture = site.parts, "benchmark" in self.new
        if not parts or (uses_fixture and "function" not in parts):
            return None
        code = Template(self.new).substitute(parts)
        if "function" in parts and not uses_fixture:
            code = f"def planted():\n{indent(code, '    ')}\nbenchmark(planted)\n"
        body = indent(f"{parts['before']}{code}\n", parts["margin"] + "    ")
        head = f"{parts['margin']}def {parts['name']}({parts['args']}):\n"
        return site.text[: site.start] + head + body + site.text[site.end :] + _NAMES


def _timed(rule: str, **sorted_: tuple[str, ...]) -> None:
    for kind, texts in sorted_.items():
        PLANTS.extend(_Python(rule, kind == "faults", text) for text in texts)


_timed(
    "py-setup-in-timed",
    faults=(
        "import json\n$work",
        "data = [n * 2 for n in range(100_000)]\nplanted_small(data)",
        "planted_small([random.random() for _ in range(99)])",
        "data = list(range(50_000))\nplanted_small(data)",
    ),
    near=(
        "planted_small(PLANTED_LIST)",
        "data = [1, 2]\nplanted_small(data)",
        "import json\nbenchmark($function$rest)",
    ),
)
_timed(
    "py-mutated-argument",
    faults=(
        "PLANTED_LIST.sort()",
        "PLANTED_QUEUE.popleft()",
        "heapq.heappush(PLANTED_HEAP, 1)",
        "PLANTED_LIST.append(1)\nplanted_small(PLANTED_LIST)",
        "benchmark(PLANTED_LIST.insert, 0, 7)",
    ),
    near=(
        "data = list(PLANTED_LIST)\ndata.sort()",
        "PLANTED_OUT.append(planted_small(3))",
        "sorted(PLANTED_LIST)",
        "benchmark.pedantic(PLANTED_LIST.sort, setup=lambda: None, rounds=9)",
    ),
)
_timed(
    "py-one-round",
    faults=(
        "benchmark.pedantic($function, args=($given,), rounds=1, iterations=1)",
        "benchmark.pedantic($function)",
        "benchmark.pedantic($function, rounds=ONE)",
    ),
    near=(
        "benchmark.pedantic($function, rounds=20)",
        "benchmark.pedantic($function, iterations=100)",
        "benchmark.pedantic($function, rounds=len(PLANTED_LIST))",
    ),
)
_timed(
    "py-io-in-timed",
    faults=(
        "print(3)\n$work",
        "with open('planted') as file:\n    planted_small(file)\n$work",
        "time.sleep(0.001)\n$work",
    ),
    near=(
        "print(3)\nbenchmark($function$rest)",
        "io.StringIO('x')\n$work",
        "planted_small('open')\n$work",
    ),
)
_timed(
    "py-result-of-call",
    faults=(
        "benchmark(sorted(PLANTED_LIST))",
        "benchmark(planted_value(3))",
        "benchmark(planted_nothing(3))",
        "benchmark(planted_generator(3))",
    ),
    near=(
        "benchmark(planted_small, 3)",
        "benchmark(planted_maker(3))",
        "benchmark(functools.partial(planted_small, 3))",
    ),
)
_timed(
    "py-unseeded-random",
    faults=(
        "data = list(range(random.randint(10, 99)))\nbenchmark(planted_small, data)",
        "n = random.randrange(99)\nbenchmark(planted_small, 'x' * n)",
        "data = [n for n in range(99) if random.random() > 0.5]\nbenchmark(planted_small, data)",
    ),
    near=(
        "data = [random.random() for _ in range(99)]\nbenchmark(planted_small, data)",
        "rng = random.Random(4)\nbenchmark(planted_small, list(range(rng.randint(1, 9))))",
        "random.shuffle(PLANTED_LIST)\nbenchmark(planted_small, PLANTED_LIST)",
    ),
)
_timed(
    "py-unused-generator",
    faults=(
        "planted_generator(9)",
        "map(planted_small, PLANTED_LIST)",
        "(one for one in PLANTED_LIST)",
        "benchmark(planted_generator, 3)",
    ),
    near=(
        "list(planted_generator(9))",
        "sum(one for one in PLANTED_LIST)",
        "[one for one in map(planted_small, PLANTED_LIST)]",
    ),
)
_timed(
    "py-inner-loop",
    faults=(
        "for _ in range(1000):\n$inner",
        "result = None\nfor _ in range(500):\n    result = planted_small(7)\nplanted_small(result)",
        "for i in range(100):\n    planted_small(PLANTED_LIST)",
    ),
    near=(
        "for i in range(1000):\n    planted_small(i)",
        "for one in PLANTED_LIST:\n    planted_small(one)",
        "for _ in range(99):\n    PLANTED_OUT.append(1)",
        "x = 1\nfor _ in range(99):\n    x = planted_small(x)",
    ),
)
_timed(
    "py-cached-call",
    faults=(
        "planted_lru(3)",
        "planted_kept('a')",
        "benchmark(planted_lru, 3)",
        "planted_lru(ONE)\nplanted_small(2)",
    ),
    near=(
        "planted_small(3)",
        "planted_lru.cache_clear()\nplanted_lru(3)",
        "planted_lru.__wrapped__(3)",
        "planted_lru(planted_small(object()))",
    ),
)
_swaps(
    "py-one-process",
    faults=(
        (r"\bRunner\(\)", "Runner(processes=1)"),
        (r"^(class \w+Suite:\n)", r"\1    rounds = 1\n"),
        (r"^(class \w+Suite:\n)", r"\1    processes = 1\n"),
    ),
    near=(
        (r"\bRunner\(\)", "Runner(processes=4)"),
        (r"\bRunner\(\)", "Runner(values=1)"),
        (r"^(class \w+Suite:\n)", r"\1    rounds = 3\n"),
        (r"^(class \w+Suite:\n)", r"\1    number = 1\n"),
    ),
)
