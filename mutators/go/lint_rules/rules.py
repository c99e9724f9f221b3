"""The rules for benchmarks in Go."""

from auditor.core.contracts.lint import Rule, Sure

UNUSED_RESULT = Rule(
    id="go-unused-result",
    title="The compiler may remove the measured call, as nobody uses its result",
    advice="Loop with `for b.Loop()`, or assign the result to a variable of the package.",
    sure=Sure.LIKELY,
    practice="RETU",
)
NO_BN = Rule(
    id="go-no-bn",
    title="The benchmark never repeats its work b.N times",
    advice="Put the measured work into `for b.Loop()` or `for i := 0; i < b.N; i++`.",
    sure=Sure.CERTAIN,
)
BN_AS_SIZE = Rule(
    id="go-bn-as-size",
    title="b.N is the size of the work, not the number of its repetitions",
    advice="Choose fixed sizes (one sub-benchmark for each), and repeat the work in a loop.",
    sure=Sure.LIKELY,
)
SETUP_IN_LOOP = Rule(
    id="go-setup-in-loop",
    title="The timed loop prepares its own input",
    advice="Make the inputs before the loop, and call b.ResetTimer after that.",
    sure=Sure.LIKELY,
)
TIMER_IN_LOOP = Rule(
    id="go-timer-in-loop",
    title="Each iteration stops and starts the timer, which costs more than what is measured",
    advice="Make the inputs of many iterations at once, outside of the timed loop.",
    sure=Sure.POSSIBLE,
    practice="INVO",
)
MISSING_RESET = Rule(
    id="go-missing-reset",
    title="Costly set-up counts as time of the benchmark",
    advice="Call b.ResetTimer after the set-up, or loop with `for b.Loop()`.",
    sure=Sure.LIKELY,
)
LEAKING_STATE = Rule(
    id="go-leaking-state",
    title="What one sub-benchmark changes is what the next one meets",
    advice="Make what is changed anew inside of b.Run, before its loop.",
    sure=Sure.LIKELY,
)
INNER_LOOP = Rule(
    id="go-inner-loop",
    title="A loop inside the timed loop only repeats the same call",
    advice="Let b.N repeat the call: take the inner loop away.",
    sure=Sure.POSSIBLE,
    practice="LOOP",
)
CONSTANT_INPUTS = Rule(
    id="go-constant-inputs",
    title="All inputs of the measured call are constants",
    advice="Loop with `for b.Loop()`, or read the inputs from variables of the package.",
    sure=Sure.LIKELY,
    practice="FINAL",
)
NO_REPORT_ALLOCS = Rule(
    id="go-no-report-allocs",
    title="The measured code allocates, and its allocations are not reported",
    advice="Call b.ReportAllocs before the loop, so that every run shows them.",
    sure=Sure.POSSIBLE,
    on=False,
)

RULES = (
    UNUSED_RESULT,
    NO_BN,
    BN_AS_SIZE,
    SETUP_IN_LOOP,
    TIMER_IN_LOOP,
    MISSING_RESET,
    LEAKING_STATE,
    INNER_LOOP,
    CONSTANT_INPUTS,
    NO_REPORT_ALLOCS,
)
