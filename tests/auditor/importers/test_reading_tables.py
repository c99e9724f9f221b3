"""The result files of GoABS and JavaABS; the samples are those of the tools' own documentation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.errors import UsageError
from auditor.importers.research_tools.layout import ProcessValues, ResearchTool
from auditor.importers.research_tools.reading import parse_unit, read_table
from auditor.importers.research_tools.writing import format_table

GO_SAMPLE = """\
Run-SuiteExecution-BenchmarkExecution?-?;Function altered;Benchmark;Runtime in ns 
0-0-0;Baseline;benchmarks_test.go/BenchmarkOneRoute;58.6
0-0-0;Baseline;benchmarks_test.go/BenchmarkOneRoute;60
0-0-0;.{gin.go}.(Engine).handle;benchmarks_test.go/BenchmarkOneRoute;62.3
"""  # noqa: W291 the blank is the tool's
JAVA_SAMPLE = """\
Run;Method altered;Microbenchmark;Result
0;Baseline;io.protostuff.benchmarks.RuntimeSchemaBenchmark.baseline;0.9870666624852784
0;Baseline;io.protostuff.benchmarks.RuntimeSchemaBenchmark.baseline;0.953202183493458
1;src/main/java/rx/Observable.java.lift([Operator<? extends R, ? super T>, int]);a.B.c(n-10);80.25

"""


def table(folder, content, **more):
    path = folder / "in.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, **more)


def seconds(results):
    return {(row.run, row.method, row.benchmark): row.seconds for row in results.rows}


def test_the_sample_of_goabs(tmp_path):
    result = table(tmp_path, GO_SAMPLE)

    assert result.tool is ResearchTool.GO
    name = "benchmarks_test.go/BenchmarkOneRoute"
    assert seconds(result) == {
        (0, None, name): (pytest.approx(58.6e-9), pytest.approx(60e-9)),
        (0, ".{gin.go}.(Engine).handle", name): (pytest.approx(62.3e-9),),
    }


def test_the_sample_of_javaabs(tmp_path):
    result = table(tmp_path, JAVA_SAMPLE, units=[parse_unit("us/op")])

    assert result.tool is ResearchTool.JAVA
    lift = "src/main/java/rx/Observable.java.lift([Operator<? extends R, ? super T>, int])"
    assert [(row.run, row.method, row.benchmark) for row in result.rows] == [
        (0, None, "io.protostuff.benchmarks.RuntimeSchemaBenchmark.baseline"),
        (1, lift, "a.B.c(n-10)"),
    ]
    assert result.rows[1].seconds == (pytest.approx(80.25e-6),)


@pytest.mark.parametrize(
    "row",
    [
        "3-0-0;Baseline;x_test.go/BenchmarkX;58.5",
        "3-0;Baseline;x_test.go/BenchmarkX;58.5",
        "3;Baseline;x_test.go/BenchmarkX;58.5",
        "3-0-1;Baseline;x_test.go/BenchmarkX;1000;58.5",
        "3-0-0;Baseline;x_test.go/BenchmarkX;58.5;16;1",
        "3-0-0;Baseline;x_test.go/BenchmarkX;1000;58.5;16;1",
        '3-0-0;Baseline;"x_test.go/BenchmarkX";1000;5.85e1',
    ],
)
def test_the_layouts_of_goabs_are_told_apart_by_their_columns(tmp_path, row):
    result = table(tmp_path, row)

    assert result.tool is ResearchTool.GO
    assert seconds(result) == {(3, None, "x_test.go/BenchmarkX"): (pytest.approx(58.5e-9),)}


def test_executions_within_a_run_belong_together_in_their_order(tmp_path):
    rows = [f"0-{suite}-{bench};Baseline;b;1;{10 * suite + bench + 1}" for suite, bench in
            ((0, 0), (0, 1), (1, 0))]  # fmt: skip

    (only,) = table(tmp_path, "\n".join(rows)).rows

    assert [round(second * 1e9) for second in only.seconds] == [1, 2, 11]


def test_marks_of_bytes_and_ends_of_lines_do_not_matter(tmp_path):
    plain = table(tmp_path, JAVA_SAMPLE, units=[parse_unit("us/op")])
    windows_table = JAVA_SAMPLE.replace("\n", "\r\n").encode("utf-8-sig")

    result = table(tmp_path, windows_table, units=[parse_unit("us/op")])

    assert result.rows == plain.rows


def test_throughput_is_inverted_value_by_value(tmp_path):
    (only,) = table(tmp_path, "0;Baseline;b;4\n0;Baseline;b;8", units=[parse_unit("ops/ms")]).rows

    assert only.seconds == (pytest.approx(0.25e-3), pytest.approx(0.125e-3))


def test_of_several_units_the_last_that_fits_counts(tmp_path):
    units = [parse_unit("ops/s"), parse_unit("Slow=ms/op"), parse_unit("Slower$=s/op")]

    result = table(tmp_path, "0;Baseline;b;4\n0;Baseline;Slow;8\n0;Baseline;Slower;2", units=units)

    assert [row.seconds[0] for row in result.rows] == pytest.approx([0.25, 8e-3, 2.0])


def test_a_time_that_was_rounded_to_nothing_stays_visible(tmp_path):
    result = table(tmp_path, "0-0-0;Baseline;b;2000000000;0.00\n0-0-0;Baseline;b;2000000000;0.31")

    assert result.rows[0].seconds == (0.0, pytest.approx(0.31e-9))


GOOD = "0-0-0;Baseline;b;1;58.6\n"
JAVA_GOOD = "0;Baseline;b;58.6\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "in.csv holds no results; is it the right file?"),
        ("\n \n", "in.csv holds no results; is it the right file?"),
        ("Run;Method altered;Microbenchmark;Result\n", "in.csv holds no results"),
        ("name,time\nb,3\n", "line 1: neither GoABS's"),
        (GOOD + "0-0-0;Baseline;b;58.6\n", "line 2: 4 columns where the first row has 5"),
        (GOOD + "0-0-0;Baseline;b;1;nan\n", "line 2: 'nan' is not a result"),
        (GOOD + "0-0-0;Baseline;b;1;Infinity\n", "line 2: 'Infinity' is not a result"),
        (GOOD + "0-0-0;Baseline;b;1;1e999\n", "line 2: '1e999' is not a result"),
        (GOOD + "0-0-0;Baseline;b;1;1_0\n", "line 2: '1_0' is not a result"),
        (GOOD + "0-0-0;Baseline;b;1;-3\n", "line 2: '-3' is not a result"),
        (GOOD + "0-0-0;Baseline;b;1;\n", "line 2: '' is not a result"),
        (GOOD + "0-0-0;Baseline;b;1;4,5\n", "line 2: '4,5' has a comma; decimals need a point"),
        (GOOD + "x;Baseline;b;1;4\n", "line 2: 'x' is not a run"),
        (GOOD + "²;Baseline;b;1;4\n", "line 2: '²' is not a run"),
        (GOOD + f"{'9' * 5000};Baseline;b;1;4\n", "line 2: '99999"),
        (GOOD + "0-0-0;;b;1;4\n", "line 2: a row without a method or benchmark"),
        (GOOD + "0-0-0;Baseline; ;1;4\n", "line 2: a row without a method or benchmark"),
        (GOOD + '0-0-0;Baseline;"b;1;4\n', "line 2: not a row of cells separated by ;"),
        (GOOD + "0-0-0;" + "x" * 70_000, "line 2: more than 65536 bytes"),
        (GOOD.encode() + b"0-0-0;Baseline;\xff;1;4\n", "line 2: not UTF-8; convert the file"),
        (GOOD.encode("utf-16"), "line 1: a zero byte"),
        (GOOD + "Run;Function;Benchmark;n;ns\n", "line 2: 'Run' is not a run"),
        (JAVA_GOOD, "line 1: the unit of 'b' is not in the file; give it, such as --unit ops/s"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path, content, message):
    with pytest.raises(UsageError) as refused:
        table(tmp_path, content)

    assert message in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_file_of_the_other_tool_is_refused(tmp_path):
    with pytest.raises(UsageError, match="line 1: neither GoABS's"):
        table(tmp_path, GOOD, tool=ResearchTool.JAVA)


def test_a_run_of_the_other_tool_is_refused(tmp_path):
    with pytest.raises(UsageError, match="line 2: '1-0-0' is not a run"):
        table(tmp_path, JAVA_GOOD + "1-0-0;Baseline;b;3", units=[parse_unit("us/op")])


def test_units_are_not_for_goabs(tmp_path):
    with pytest.raises(UsageError, match="results of GoABS are in ns/op; leave out --unit"):
        table(tmp_path, GOOD, units=[parse_unit("us/op")])


@pytest.mark.parametrize("unit", ["", "us", "ops", "bogus/op", "Slow=", "(=us/op"])
def test_a_unit_that_is_none_is_refused(unit):
    with pytest.raises(UsageError):
        parse_unit(unit)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UsageError, match="it does not exist"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(UsageError, match="it is a folder"):
        read_table(tmp_path)


@given(content=st.binary(max_size=300))
def test_no_bytes_do_more_than_to_be_refused(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("bytes")

    try:
        result = table(folder, content, units=[parse_unit("us/op")])
    except UsageError:
        return
    assert result.rows


NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).filter(
    lambda name: name != "Baseline" and name == name.strip()
)


def build_rows(draw_names, values):
    """Rows as a reader gives them: each key once."""
    return [
        ProcessValues(
            run=run,
            method=method,
            benchmark=name,
            seconds=tuple(values),
            operations=(7,) * len(values),
        )
        for run in (0, 1)
        for method in (None, "m;1")
        for name in draw_names
    ]


@given(
    names=st.lists(NAMES, min_size=1, max_size=3, unique=True),
    values=st.lists(st.floats(1e-10, 1e3), min_size=1, max_size=5),
    tool=st.sampled_from(ResearchTool),
)
def test_what_is_written_is_read_back(tmp_path_factory, names, values, tool):
    rows = build_rows(names, values)
    units = [parse_unit("ns/op")] if tool is ResearchTool.JAVA else []

    result = table(
        tmp_path_factory.mktemp("rows"), format_table(rows, tool), tool=tool, units=units
    )

    assert [(row.run, row.method, row.benchmark) for row in result.rows] == [
        (row.run, row.method, row.benchmark) for row in rows
    ]
    assert [row.seconds for row in result.rows] == [pytest.approx(values, rel=1e-14)] * len(rows)


def test_invocations_are_written_where_all_are_known(tmp_path):
    rows = ProcessValues(
        run=0, part=1, method=None, benchmark="b", seconds=(2e-9,), operations=(10,)
    )
    unknown = ProcessValues(run=0, method="m", benchmark="b", seconds=(3e-9,))

    assert format_table([rows], ResearchTool.GO) == "0-0-1;Baseline;b;10;2.0\n"
    assert format_table([rows, unknown], ResearchTool.GO).splitlines()[0].count(";") == 3


def test_the_unchanged_suite_comes_first_in_each_run():
    rows = [
        ProcessValues(run=run, method=method, benchmark="b", seconds=(1e-9,))
        for method in ("m", None)
        for run in (1, 0)
    ]

    lines = format_table(rows, ResearchTool.JAVA).splitlines()

    assert [line.split(";")[:2] for line in lines[1:]] == [
        ["0", "Baseline"], ["0", "m"], ["1", "Baseline"], ["1", "m"],
    ]  # fmt: skip
