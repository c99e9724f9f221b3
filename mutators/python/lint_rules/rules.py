"""The rules for Python benchmarks."""

from auditor.core.contracts.lint import Confidence, SmellRule

SETUP_IN_TIMED = SmellRule(
    id="py-setup-in-timed",
    title="Set-up inside the timed function",
    advice="Make imports and inputs before the timed call, and hand it what it needs.",
    sure=Confidence.LIKELY,
)
MUTATED_ARGUMENT = SmellRule(
    id="py-mutated-argument",
    title="The timed call changes what later calls are given",
    advice="Give every call an input of its own: pedantic(..., setup=...), number = 1 in asv, or a"
    " copy inside the timed function that is measured by itself as well.",
    sure=Confidence.LIKELY,
)
ONE_ROUND = SmellRule(
    id="py-one-round",
    title="One round, so nothing shows how far the time scatters",
    advice="Ask for several rounds, or call benchmark(f), which chooses their number.",
    sure=Confidence.CERTAIN,
)
IO_IN_TIMED = SmellRule(
    id="py-io-in-timed",
    title="Input or output inside the timed function",
    advice="Read before and write after the timed call; measure I/O in a benchmark of its own.",
    sure=Confidence.LIKELY,
)
RESULT_OF_CALL = SmellRule(
    id="py-result-of-call",
    title="benchmark() is given the result of a call, not the function",
    advice="Hand over the function and its arguments: benchmark(f, x) in place of benchmark(f(x)).",
    sure=Confidence.CERTAIN,
)
UNSEEDED_RANDOM = SmellRule(
    id="py-unseeded-random",
    title="The amount of input is drawn at random without a seed",
    advice="Draw from a generator with a fixed seed, or fix the amount.",
    sure=Confidence.LIKELY,
)
UNUSED_GENERATOR = SmellRule(
    id="py-unused-generator",
    title="A lazy object is made and nobody consumes it",
    advice="Consume it inside the timed function, e.g. by collections.deque(..., maxlen=0).",
    sure=Confidence.CERTAIN,
    practice="RETU",
)
INNER_LOOP = SmellRule(
    id="py-inner-loop",
    title="A loop in the timed code only repeats the same call",
    advice="Let the harness repeat the call: take the loop away.",
    sure=Confidence.POSSIBLE,
    practice="LOOP",
)
CACHED_CALL = SmellRule(
    id="py-cached-call",
    title="A cache answers all timed calls but the first",
    advice="Measure the undecorated function (f.__wrapped__), or clear the cache in each call.",
    sure=Confidence.LIKELY,
    practice="FINAL",
)
ONE_PROCESS = SmellRule(
    id="py-one-process",
    title="The benchmark is measured in one process only",
    advice="Leave the number of processes to the harness, or ask for several.",
    sure=Confidence.CERTAIN,
    practice="FORK",
)

RULES = (
    SETUP_IN_TIMED,
    MUTATED_ARGUMENT,
    ONE_ROUND,
    IO_IN_TIMED,
    RESULT_OF_CALL,
    UNSEEDED_RANDOM,
    UNUSED_GENERATOR,
    INNER_LOOP,
    CACHED_CALL,
    ONE_PROCESS,
)
