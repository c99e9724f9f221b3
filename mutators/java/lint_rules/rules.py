"""The rules for JMH benchmarks. Each has a page: docs/lint/ID.md."""

from auditor.core.contracts.lint import Confidence, SmellRule

UNUSED_RESULT = SmellRule(
    id="jmh-unused-result",
    title="The result of a computation is not used",
    advice="Return the result from the benchmark, or hand it to a Blackhole.",
    sure=Confidence.LIKELY,
    practice="RETU",
)
CONSTANT_INPUTS = SmellRule(
    id="jmh-constant-inputs",
    title="All inputs of the measured call are constants",
    advice="Read the inputs from fields of a @State class that are not final.",
    sure=Confidence.LIKELY,
    practice="FINAL",
)
FINAL_STATE = SmellRule(
    id="jmh-final-state",
    title="A final field of a state is the input of the measured call",
    advice="Take the word final from the field.",
    sure=Confidence.LIKELY,
    practice="FINAL",
)
LOOP = SmellRule(
    id="jmh-loop",
    title="A loop in a benchmark only repeats the same work",
    advice="Let JMH repeat the work: take the loop away, or state @OperationsPerInvocation and "
    "hand each result to a Blackhole.",
    sure=Confidence.LIKELY,
    practice="LOOP",
)
INVOCATION_SETUP = SmellRule(
    id="jmh-invocation-setup",
    title="A fixture runs around each invocation of a short benchmark",
    advice="Do the work in the benchmark itself, or in a fixture of Level.Iteration.",
    sure=Confidence.LIKELY,
    practice="INVO",
)
NO_FORKS = SmellRule(
    id="jmh-no-forks",
    title="The benchmark runs in the JVM of JMH itself",
    advice="Use at least one fork, better three or more; the default is five.",
    sure=Confidence.CERTAIN,
    practice="FORK",
)
ONE_FORK = SmellRule(
    id="jmh-one-fork",
    title="The benchmark runs in one JVM only",
    advice="Use at least three forks; the default is five.",
    sure=Confidence.LIKELY,
    on=False,
)
NO_WARMUP = SmellRule(
    id="jmh-no-warmup",
    title="The benchmark is measured before it is compiled",
    advice="Use warm-up iterations; the default is five of ten seconds.",
    sure=Confidence.CERTAIN,
)
SHARED_STATE = SmellRule(
    id="jmh-shared-state",
    title="Several threads change a field of one state",
    advice="Give each thread its own state by Scope.Thread, or use a type that is made for this.",
    sure=Confidence.LIKELY,
)
GROWING_STATE = SmellRule(
    id="jmh-growing-state",
    title="Each invocation makes a container of the state longer",
    advice="Take out what was put in, or make the container in the benchmark itself.",
    sure=Confidence.LIKELY,
)
UNSEEDED_RANDOM = SmellRule(
    id="jmh-unseeded-random",
    title="The inputs are different in each fork",
    advice="Give the generator of random numbers a fixed seed.",
    sure=Confidence.POSSIBLE,
    on=False,
)
RULES = (
    UNUSED_RESULT,
    CONSTANT_INPUTS,
    FINAL_STATE,
    LOOP,
    INVOCATION_SETUP,
    NO_FORKS,
    ONE_FORK,
    NO_WARMUP,
    SHARED_STATE,
    GROWING_STATE,
    UNSEEDED_RANDOM,
)
