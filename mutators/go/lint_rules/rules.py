"""The rules for benchmarks in Go."""

from auditor.core.contracts.lint import Confidence, SmellRule

UNUSED_RESULT = SmellRule(
    id="go-unused-result",
    title="The compiler may remove the measured call, as nobody uses its result",
    advice="Loop with `for b.Loop()`, or assign the result to a variable of the package.",
    sure=Confidence.LIKELY,
    practice="RETU",
)
NO_BN = SmellRule(
    id="go-no-bn",
    title="The benchmark never repeats its work b.N times",
    advice="Put the measured work into `for b.Loop()` or `for i := 0; i < b.N; i++`.",
    sure=Confidence.CERTAIN,
)
BN_AS_SIZE = SmellRule(
    id="go-bn-as-size",
    title="b.N is the size of the work, not the number of its repetitions",
    advice="Choose fixed sizes (one sub-benchmark for each), and repeat the work in a loop.",
    sure=Confidence.LIKELY,
)
SETUP_IN_LOOP = SmellRule(
    id="go-setup-in-loop",
    title="The timed loop prepares its own input",
    advice="Make the inputs before the loop, and call b.ResetTimer after that.",
    sure=Confidence.LIKELY,
)
TIMER_IN_LOOP = SmellRule(
    id="go-timer-in-loop",
    title="Each iteration stops and starts the timer, which costs more than what is measured",
    advice="Make the inputs of many iterations at once, outside of the timed loop.",
    sure=Confidence.POSSIBLE,
    practice="INVO",
)
MISSING_RESET = SmellRule(
    id="go-missing-reset",
    title="Costly set-up counts as time of the benchmark",
    advice="Call b.ResetTimer after the set-up, or loop with `for b.Loop()`.",
    sure=Confidence.LIKELY,
)
LEAKING_STATE = SmellRule(
    id="go-leaking-state",
    title="What one sub-benchmark changes is what the next one meets",
    advice="Make what is changed anew inside of b.Run, before its loop.",
    sure=Confidence.LIKELY,
)
INNER_LOOP = SmellRule(
    id="go-inner-loop",
    title="A loop inside the timed loop only repeats the same call",
    advice="Let b.N repeat the call: take the inner loop away.",
    sure=Confidence.POSSIBLE,
    practice="LOOP",
)
CONSTANT_INPUTS = SmellRule(
    id="go-constant-inputs",
    title="All inputs of the measured call are constants",
    advice="Loop with `for b.Loop()`, or read the inputs from variables of the package.",
    sure=Confidence.LIKELY,
    practice="FINAL",
)
NO_REPORT_ALLOCS = SmellRule(
    id="go-no-report-allocs",
    title="The measured code allocates, and its allocations are not reported",
    advice="Call b.ReportAllocs before the loop, so that every run shows them.",
    sure=Confidence.POSSIBLE,
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
