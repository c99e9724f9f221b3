"""Go benchmarks that count, prepare, stop the timer, or share state in a wrong way."""

import pytest
from go_making import benchmarks, library

from auditor.core.contracts.lint import Confidence
from mutators.go.lint_rules import GoLinter
from mutators.go.lint_rules.rules import RULES

SMALL = "package m\nfunc Small(x int) int { return x*x + 1 }\n"


def bench(body, name="BenchmarkX", imports=()):
    import_lines = " ".join(f'"{path}";' for path in ("testing", *imports))
    return benchmarks(
        f"package m\nimport ({import_lines})\nfunc {name}(b *testing.B) {{\n{body}\n}}\n"
    )


def list_findings(rule, body, code=SMALL, **more):
    """Return the lines and the texts of what a rule finds; the body begins on line 4."""
    smells = GoLinter().find_smells([library(code), bench(body, **more)]).smells
    return [(smell.span.first_line, smell.text) for smell in smells if smell.rule == rule]


def lines(rule, body, code=SMALL, **more):
    return [line for line, _ in list_findings(rule, body, code, **more)]


def test_rules_have_ids_of_this_language_and_one_line_each():
    assert len({rule.id for rule in RULES}) == len(RULES) == 10
    assert all(rule.id.startswith("go-") and "\n" not in rule.title for rule in RULES)
    assert GoLinter().rules == RULES
    assert GoLinter().comment_prefix == "//"


def test_a_benchmark_without_a_loop_is_found():
    assert list_findings("go-no-bn", "b.ReportAllocs()\nSmall(1)") == [
        (
            3,
            "BenchmarkX does its work once and never uses b.N, so what is reported is the time "
            "of that one run divided by whatever count of iterations was tried.",
        )
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for i := 0; i < b.N; i++ { Small(i); break }", [4]),
        ("for i := 0; i < b.N; i++ { Small(i); return }", [4]),
        ("for i := 0; i < b.N; i++ { if Small(i) > 1 { break } }", []),
        ("for i := 0; i < b.N; i++ { if Small(i) > 1 { continue }; break }", []),
        ('for i := 0; i < b.N; i++ { b.Fatal("no"); return }', []),
        ('for i := 0; i < b.N; i++ { if Small(i) > 1 { b.Skip("no") }; return }', []),
        ("for i := 0; i < b.N; i++ { next: if Small(i) > 1 { goto next }; break }", []),
        ("for i := 0; i < b.N; i++ { for { Small(i); break } }", []),
    ],
)
def test_a_loop_that_always_ends_in_its_first_iteration_is_found(body, expected):
    assert lines("go-no-bn", body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "for i := 0; i < b.N; i++ { Small(i) }",
        "for b.Loop() { Small(1) }",
        "b.RunParallel(func(pb *testing.PB) { for pb.Next() { Small(1) } })",
        'b.Run("a", BenchmarkOther)',
        "helper(b)",
        "x := b; helper2(x)",
        "s := suite{b: b}; s.run()",
        "f := b.Run; helper3(f)",
        'b.Skip("not yet"); Small(1)',
        'Small(1); b.ReportMetric(1, "bytes")',
        "defer func() { repeat(b.N) }()",
        "Small(1",
        'panic("not to be run")',
        "Small(1); os.Exit(1)",
        'log.Fatal("no")',
    ],
)
def test_a_benchmark_that_may_repeat_its_work_is_left_alone(body):
    assert lines("go-no-bn", body) == []


FIB = "func Fib(n int) int { if n < 2 { return n }; return Fib(n-1) + Fib(n-2) }\n"
COUNT = "func Count(n int) int { s := 0; for i := 0; i < n; i++ { s += i }; return s }\n"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("Fib(b.N)", "Fib gets b.N as its argument"),
        ("sink = Fib(int(b.N))", "Fib gets b.N as its argument"),
        ("for range b.N { Count(b.N) }", "gives b.N to Count"),
        ("for n := 0; n < b.N; n++ { Fib(n) }", "gives n to Fib"),
        ("for n := range b.N { Count(n) }", "gives n to Count"),
        ("for range b.N { use(make([]int, b.N)) }", "gives b.N to make"),
        ("x := make([]int, b.N); sort.Ints(x)", "sort.Ints sorts b.N elements"),
        ("x := rand.Perm(b.N); sort.Sort(sort.IntSlice(x))", "sort.Sort sorts b.N elements"),
        ("x := rand.Perm(b.N); sort.Sort(by{sort.IntSlice(x)})", "sort.Sort sorts b.N elements"),
        ("for range b.N { for i := 0; i < b.N; i++ { use(i) } }", "iteration of the loop over b.N"),
        ("for b.Loop() { for range b.N { use(1) } }", "iteration of the loop over b.Loop"),
        (
            "b.RunParallel(func(pb *testing.PB) { for pb.Next() { for range b.N { use(1) } } })",
            "iteration of the loop over pb.Next makes all b.N iterations",
        ),
        (
            "b.RunParallel(func(pb *testing.PB) { for i := 0; i < b.N; i++ { use(i) } })",
            "goroutine of b.RunParallel makes all b.N iterations",
        ),
    ],
)
def test_work_that_grows_with_the_count_is_found(body, named):
    code = "package m\n" + FIB + COUNT

    ((line, text),) = list_findings("go-bn-as-size", body, code, imports=["sort", "math/rand"])

    assert line == 4
    assert named in text


@pytest.mark.parametrize(
    "body",
    [
        "Count(b.N)",
        "unknown(b.N)",
        "keys := make([]int, b.N); for i := 0; i < b.N; i++ { use(keys[i]) }",
        "x := make([]int, b.N); for i := range x { x[i] = i }; use(x)",
        "x := make([]int, b.N); for i := 0; i < b.N; i++ { x[i] = i }; sort.Ints(x)",
        "x := make([]int, 9); for range b.N { sort.Ints(x) }",
        "x := make([]int, b.N); sort.Ints(x[:9])",
        "for i := 0; i < b.N; i += 9 { for j := i; j < min(i+9, b.N); j++ { use(j) } }",
        "for i := 0; i < b.N; i += 9 { for j := 0; j < b.N; j++ { use(j) } }",
        "for range b.N { for j := 0; j < b.N; j++ { if use(j) { break } } }",
        "for c := 0; c < 9; c++ { for i := 0; i < b.N; i++ { use(i) } }",
        'for range b.N { b.Run("a", func(b *testing.B) { for range b.N { use(1) } }) }',
        "for i := 0; i < b.N; i++ { Count(9) }",
        "for i := 0; i < b.N; i++ { Small(i) }",
        "for i := 0; i < b.N; i++ { Find(i) }",
        "for i := 0; i < b.N; i++ { Half(i) }",
        "for i := 0; i < b.N; i++ { Count(i % 10) }",
        "for i := 0; i < b.N; i++ { for j := 0; j < 9; j++ { Count(j) } }",
    ],
)
def test_counts_that_are_no_sizes_are_left_alone(body):
    code = (
        SMALL + FIB + COUNT + "func Find(x int) int { for i := 0; a[i] < x; i++ { }; return 0 }\n"
        "func Half(x int) int { if x > 9 { return Half(x / 2) }; return Half(x / 3) }\n"
    )

    assert lines("go-bn-as-size", body, code, imports=["sort"]) == []


@pytest.mark.parametrize(
    ("body", "path", "text"),
    [
        (
            'cache.Set(fmt.Sprintf("key-%d", i), 1)',
            "fmt",
            "fmt.Sprintf formats a text in the timed loop only to make an argument of cache.Set, "
            "so the number holds the time of both.",
        ),
        (
            'data, _ := os.ReadFile("x.json"); Parse(data)',
            "os",
            "os.ReadFile goes to the file system in the timed loop only to make an argument of "
            "Parse, so the number holds the time of both.",
        ),
        (
            "Small(rand.Intn(10))",
            "math/rand",
            "rand.Intn draws random numbers in the timed loop only to make an argument of Small, "
            "so the number holds the time of both.",
        ),
        (
            're := regexp.MustCompile("a+"); re.MatchString(s)',
            "regexp",
            "regexp.MustCompile compiles the same pattern in each iteration, so the number holds "
            "the time of that too.",
        ),
        (
            "Small(1); time.Sleep(time.Millisecond)",
            "time",
            "time.Sleep sleeps in the timed loop, so the number is mostly the time of sleeping.",
        ),
    ],
)
@pytest.mark.parametrize("head", ["for i := 0; i < b.N; i++", "for i := 0; b.Loop(); i++"])
def test_preparing_in_the_loop_is_found(head, body, path, text):
    body = f"{head} {{\n{body}\n}}"

    assert list_findings("go-setup-in-loop", body, imports=[path]) == [(5, text)]


@pytest.mark.parametrize(
    "body",
    [
        'k := []byte(fmt.Sprintf("%d", i)); cache.Get(k)',
        "k := fmt.Sprint(i); v := k; cache.Set(k, v)",
        "key := strconv.Itoa(rand.Intn(9)); Short(key)",
    ],
)
def test_what_is_prepared_is_followed_through_a_variable_and_conversions(body):
    code = SMALL + "func Short(s string) int { return len(s) }\n"
    imports = ["fmt", "math/rand", "strconv"]

    assert lines(
        "go-setup-in-loop", f"for i := 0; i < b.N; i++ {{ {body} }}", code, imports=imports
    )


def test_a_generator_of_its_own_draws_random_numbers_too():
    body = "r := rand.New(rand.NewSource(1))\nfor range b.N { Small(r.Intn(9)) }"

    assert lines("go-setup-in-loop", body, imports=["math/rand"]) == [5]


@pytest.mark.parametrize(
    "body",
    [
        'sink = fmt.Sprintf("key-%d", i)',
        'cache.Set(fmt.Sprintf("key"), 1)',
        'if Small(i) < 0 { b.Fatal(fmt.Sprintf("%d", i)) }',
        'logger.Info(fmt.Sprintf("%d", i))',
        'client.Set(fmt.Sprintf("%d", i), 1)',
        'bus.PublishAsync(fmt.Sprintf("%d", i), 1)',
        'cache.Set(fmt.Sprintf("%d", i), 1); second(i); third(i)',
        'b.StopTimer(); k := fmt.Sprintf("%d", i); b.StartTimer(); cache.Set(k, 1)',
        'k := fmt.Sprintf("%d", i); b.StartTimer(); cache.Set(k, 1); b.StopTimer()',
        "Unknown(rand.Intn(9))",
        "Long(rand.Intn(9))",
        "time.Sleep(time.Second)",
        "Small(1); time.Sleep(0)",
        "go func() { Small(1); time.Sleep(9) }()",
        "re := regexp.MustCompile(patterns[i]); re.MatchString(s)",
        'sink = regexp.MustCompile("a+")',
        'b.Run(fmt.Sprintf("%d", i), other)',
    ],
)
def test_work_that_may_be_measured_is_left_alone(body):
    code = SMALL + "func Long(x int) int { for i := 0; i < x; i++ { f(i) }; return 1 }\n"
    imports = ["fmt", "os", "math/rand", "regexp", "time"]

    assert (
        lines("go-setup-in-loop", f"for i := 0; i < b.N; i++ {{ {body} }}", code, imports=imports)
        == []
    )


@pytest.mark.parametrize(
    ("name", "body", "path"),
    [
        ("BenchmarkSprintf", "cache.Set(fmt.Sprintf(f, i), 1)", "fmt"),
        ("BenchmarkReadFile", 'data, _ := os.ReadFile("x"); Parse(data)', "os"),
        ("BenchmarkRandSmall", "Small(rand.Intn(3))", "math/rand"),
        ("BenchmarkRegexp", 're := regexp.MustCompile("a"); re.MatchString(s)', "regexp"),
        ("BenchmarkWait", "Small(1); time.Sleep(9)", "time"),
    ],
)
def test_what_the_benchmark_is_about_by_name_is_left_alone(name, body, path):
    body = f"for i := 0; i < b.N; i++ {{ {body} }}"

    assert lines("go-setup-in-loop", body, imports=[path])
    assert lines("go-setup-in-loop", body, name=name, imports=[path]) == []


@pytest.mark.parametrize(("name", "expected"), [("set", True), ("sprint", False)])
def test_the_name_of_a_sub_benchmark_says_what_it_is_about_too(name, expected):
    loop = "for i := 0; i < b.N; i++ { cache.Set(fmt.Sprintf(f, i), 1) }"
    body = f'b.Run("{name}", func(b *testing.B) {{ {loop} }})'

    assert bool(lines("go-setup-in-loop", body, imports=["fmt"])) == expected


def test_a_timer_around_little_work_is_found():
    assert list_findings(
        "go-timer-in-loop",
        "for i := 0; i < b.N; i++ {\nb.StopTimer()\nx := setUp()\nb.StartTimer()\nSmall(x)\n}",
    ) == [
        (
            5,
            "b.StopTimer is called in each iteration, around as little work as Small: stopping "
            "takes longer than that, empties caches, and lets the benchmark run for minutes.",
        )
    ]


@pytest.mark.parametrize(
    "measured",
    [
        "sink = Small(i)",
        "if Small(i) < 0 { b.Fatal(i) }",
        "if i > 1 { Small(i) } else { Small(-i) }",
        "Small(i); b.SetBytes(1)",
        "s.Grow(i)",
        "m[i] = i",
    ],
)
def test_short_work_is_seen_in_several_forms(measured):
    code = (
        SMALL + "type S struct { n int }\nfunc (s *S) grow() { for { s.n++ } }\n"
        "func (s *S) Grow(i int) { if i > s.n { s.grow() }; s.n = i }\n"
    )
    loop = f"b.StopTimer(); s := &S{{}}; use(s); b.StartTimer(); {measured}"

    assert lines("go-timer-in-loop", f"for i := range b.N {{ {loop} }}", code) == [4]


@pytest.mark.parametrize(
    "body",
    [
        "b.StopTimer(); x := setUp(); b.StartTimer(); Unknown(x)",
        "b.StopTimer(); x := setUp(); b.StartTimer(); Long(x)",
        "b.StopTimer(); x := setUp(); b.StartTimer(); Branches(x)",
        "b.StopTimer(); x := setUp(); b.StartTimer(); for _, y := range x { Small(y) }",
        "b.StopTimer(); x := setUp(); b.StartTimer(); Small(x); Unknown(x)",
        "Small(i); if i % 1000 == 0 { b.StopTimer(); x = setUp(); b.StartTimer() }",
        "Small(i)",
        "b.StopTimer()",
        "b.StopTimer(); x := setUp(); b.StartTimer(); if x > 1 { Unknown(x) } else { Small(x) }",
        "b.StopTimer(); x := setUp(); b.StartTimer(); if x > 1 { Small(x) } else { Unknown(x) }",
    ],
)
def test_timers_around_what_may_be_long_are_left_alone(body):
    code = (
        SMALL + "func Long(x int) int { for i := 0; i < x; i++ { f(i) }; return 1 }\n"
        "func Branches(x int) { if x > 1 { for { f(x) } } }\n"
    )

    assert lines("go-timer-in-loop", f"for i := range b.N {{ {body} }}", code) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("for i := 0; i < 100000; i++ { tree.Insert(i) }", "a loop runs 100,000 times"),
        ("for i := range 1 << 20 { tree.Insert(i) }", "a loop runs 1,048,576 times"),
        ("const n = 1e6; for i := 0; i < n; i++ { tree.Insert(i) }", "a loop runs 1,000,000 times"),
        (
            "for i := 0; i < 300; i++ { for j := 0; j < 300; j++ { tree.Insert(j) } }",
            "a loop runs 90,000 times",
        ),
        ("tree := fill(50_000)", "fill loops 50,000 times"),
        ("server := httptest.NewServer(h)", "httptest.NewServer is called"),
        (
            "for i := 0; i < b.N; i++ { keys[i] = fmt.Sprint(i) }",
            "a loop fills keys with as many elements as there are iterations",
        ),
    ],
)
def test_costly_set_up_that_counts_is_found(body, reason):
    code = "package m\nfunc fill(n int) *T { for i := 0; i < n; i++ { insert(i) }; return nil }\n"
    body = f"keys := newKeys()\n{body}\nfor i := 0; i < b.N; i++ {{ tree.Get(keys[i]) }}"

    assert list_findings("go-missing-reset", body, code, imports=["net/http/httptest", "fmt"]) == [
        (
            5,
            f"Before the timed loop, {reason}, and the timer is not reset after it, so its time "
            "and allocations are part of the number.",
        )
    ]


def test_set_up_before_a_parallel_run_counts_too():
    body = (
        "for i := 0; i < 100000; i++ { tree.Insert(i) }\n"
        "b.RunParallel(func(pb *testing.PB) { for pb.Next() { tree.Get(1) } })"
    )

    assert lines("go-missing-reset", body) == [4]


@pytest.mark.parametrize(
    "body",
    [
        "{setup}; b.ResetTimer(); {loop}",
        "b.StopTimer(); {setup}; b.StartTimer(); {loop}",
        "{setup}; b.ReportAllocs(); b.ResetTimer(); {loop}",
        "{setup}; for b.Loop() { tree.Get(1) }",
        '{setup}; b.Run("a", func(b *testing.B) { {loop} })',
        "{loop}; {setup}",
        "defer func() { {setup} }(); {loop}",
        "for i := 0; i < 1000; i++ { tree.Insert(i) }; {loop}",
        "for i := 0; i < 100000; i++ { x[i] = i }; {loop}",
        "for i := 0; i < 100000; i += 1000 { tree.Insert(i) }; {loop}",
        "for len(x) < 100000 { x = grow(x) }; {loop}",
        "for i := 0; i < n; i++ { tree.Insert(i) }; {loop}",
        "for i := 0; i < b.N; i++ { tree.Insert(i) }; {loop}",
        "for i := 0; i < b.N; i++ { keys[i] = fmt.Sprint(i) }; {loop}",
        "tree := fill(); {loop}",
        'data, _ := os.ReadFile("small.json"); {loop}',
        "tree := fill(10); {loop}",
    ],
)
def test_set_up_that_does_not_count_or_is_cheap_is_left_alone(body):
    setup = "for i := 0; i < 100000; i++ { tree.Insert(i) }"
    loop = "for i := 0; i < b.N; i++ { tree.Get(i) }"
    body = body.replace("{setup}", setup).replace("{loop}", loop)
    code = "package m\nfunc fill(n int) *T { for i := 0; i < n; i++ { insert(i) }; return nil }\n"

    assert lines("go-missing-reset", body, code, imports=["fmt", "os"]) == []


def shared(loop, before="m := map[int]int{}", inside=""):
    return (
        f'{before}\nb.Run("a", func(b *testing.B) {{\n{inside}\n'
        f"for i := 0; i < b.N; i++ {{\n{loop}\n}}\n}})"
    )


def test_growth_of_what_sub_benchmarks_share_is_found():
    assert list_findings("go-leaking-state", shared("m[i] = i")) == [
        (
            8,
            "m is declared outside of the sub-benchmark and gets new keys in its loop, so later "
            "iterations and the next sub-benchmarks work on more than the first.",
        )
    ]
    assert list_findings("go-leaking-state", shared("all = append(all, i)", "var all []int")) == [
        (
            8,
            "all is declared outside of the sub-benchmark and is appended to in its loop, so later "
            "iterations and the next sub-benchmarks work on more than the first.",
        )
    ]


def test_a_variable_of_the_package_is_shared_too():
    code = SMALL + "var all []int\n"

    assert lines("go-leaking-state", shared("all = append(all, i)", ""), code) == [8]


@pytest.mark.parametrize(
    "body",
    [
        shared("m[i] = i", "", "m := map[int]int{}"),
        shared("m[i % 100] = i"),
        shared("m[1] = i"),
        shared("m[i] = i; delete(m, i)"),
        shared("m[i] = i", inside="clear(m)"),
        shared("m[i] = i", inside="m = map[int]int{}"),
        shared("m[i] = i", "m := make([]int, 100)"),
        shared("m[i] = i", "m := unknown()"),
        shared("all = append(all[:0], i)", "var all []int"),
        shared("all = append(all, i); all = all[:0]", "var all []int"),
        shared("all = append(other, i)", "var all, other []int"),
        shared("sum += i", "sum := 0"),
        "m := map[int]int{}; for i := 0; i < b.N; i++ { m[i] = i }",
    ],
)
def test_state_that_is_renewed_or_does_not_grow_is_left_alone(body):
    assert lines("go-leaking-state", body) == []


def test_allocations_that_nobody_reports_are_found_once():
    body = "for i := 0; i < b.N; i++ {\nsink = &T{}\nsink = make([]int, 9)\n}"

    assert list_findings("go-no-report-allocs", body) == [
        (
            5,
            "The timed loop allocates with &T{}, and BenchmarkX does not report its allocations, "
            "so a run without -benchmem hides them.",
        )
    ]


@pytest.mark.parametrize(
    "body",
    [
        "b.ReportAllocs(); for range b.N { sink = make([]int, 9) }",
        "sink = make([]int, 9); for range b.N { Small(1) }",
        "for range b.N { sink = &x }",
        "for range b.N { b.StopTimer(); x := make([]int, 9); b.StartTimer(); sort.Ints(x) }",
        "for range b.N { sink = T{} }",
    ],
)
def test_reported_or_unclear_allocations_are_left_alone(body):
    assert lines("go-no-report-allocs", body) == []


def test_a_timer_that_each_iteration_resets_is_found():
    body = "for range b.N {\nb.ResetTimer()\nuse(1)\n}"
    ((line, text),) = list_findings("go-timer-in-loop", body)

    (smell,) = GoLinter().find_smells([library(SMALL), bench(body)]).smells
    assert smell.sure is Confidence.LIKELY
    assert line == 5
    assert "all iterations but the last are left out" in text
    assert lines("go-timer-in-loop", "b.ResetTimer(); for range b.N { use(1) }") == []
    assert (
        lines("go-timer-in-loop", "for i := range b.N { if i == 9 { b.ResetTimer() }; use(1) }")
        == []
    )
