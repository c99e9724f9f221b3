"""Names as people write them, against methods."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.subject import Language, Method
from mutators.java.descriptors import parameter_types
from mutators.java.mutator import matches_method
from mutators.java.types import JavaType, NotAType, parse_type, split_list

FORMAT = Method(
    language=Language.JAVA,
    id="org.example.Text.Inner.format",
    owner="org.example.Text.Inner",
    name="format",
    parameters=("java.util.Map<java.lang.String,? extends T>", "int[]", "T", "java.util.Map.Entry"),
    descriptor="org/example/Text$Inner.format"
    "(Ljava/util/Map;[ILjava/lang/Number;Ljava/util/Map$Entry;)V",
)
CONSTRUCTOR = Method(
    language=Language.JAVA,
    id="org.example.Text.<init>",
    owner="org.example.Text",
    name="<init>",
    parameters=(),
    descriptor="org/example/Text.<init>()V",
)
NAME = "org.example.Text.Inner.format"


@pytest.mark.parametrize(
    "spelling",
    [
        NAME,
        "org.example.Text$Inner.format",
        "org.example.Text.Inner#format",
        "format",
        "Inner.format(Map, int[], T, Entry)",
        f"{NAME}(Map<String,? extends T>, int[], T, Map.Entry)",
        f"{NAME}(java.util.Map<String, ? extends T>,int[],T,Entry)",
        f"{NAME}(Map, int..., T, java.util.Map.Entry)",
        f"{NAME}(Map, int..., T, java.util.Map$Entry)",
        f"{NAME}(final Map values, @Size(max = 3) int[] more, T one, Entry last)",
        f"{NAME}(Map, int[], Number, Map.Entry)",
        FORMAT.descriptor,
    ],
)
def test_types_are_compared_as_types(spelling):
    assert matches_method(spelling, FORMAT)


@pytest.mark.parametrize(
    "spelling",
    [
        "mat",
        "ner.format",
        "org.example.Text.format",
        f"{NAME}()",
        f"{NAME}(Map, int, T, Entry)",
        f"{NAME}(Map<String,? super T>, int[], T, Entry)",
        f"{NAME}(Map<String>, int[], T, Entry)",
        f"{NAME}(other.Map, int[], T, Entry)",
        f"{NAME}(Map, int[], T, Entry",
        f"{NAME}(Map, int[, T, Entry)",
        f"{NAME}(Map, int[], T, )",
        f"{NAME}(ap, int[], T, Entry)",
    ],
)
def test_other_types_are_other_methods(spelling):
    assert not matches_method(spelling, FORMAT)


@pytest.mark.parametrize(
    "spelling",
    ["org.example.Text.<init>()", "org.example.Text.Text", "org.example.Text::new"],
)
def test_a_constructor_can_be_written_in_several_ways(spelling):
    assert matches_method(spelling, CONSTRUCTOR)


def test_a_generic_signature_is_read_as_the_source_has_it():
    signature = (
        "<T:Ljava/lang/Object;U::Ljava/lang/Comparable<-TT;>;>"
        "(Ljava/util/Map<TT;+TU;>.Entry<*>;[[TT;JLjava/util/List<[B>;)TT;"
    )

    assert list(map(str, parameter_types(signature))) == [
        "java.util.Map.Entry<?>",
        "T[][]",
        "long",
        "java.util.List<byte[]>",
    ]


@pytest.mark.parametrize("broken", ["", "()", "(", "(X)V", "(Lorg/example/Text", "(TT)V"])
def test_broken_signatures_do_not_come_through_as_something_else(broken):
    if broken == "()":
        assert parameter_types(broken) == ()
        return
    with pytest.raises(Exception, match="not a method's signature"):
        parameter_types(broken)


NAMES = st.sampled_from(["int", "String", "java.util.List", "T"])
TYPES = st.recursive(
    st.builds(JavaType, NAMES, dimensions=st.integers(0, 2)),
    lambda inner: st.builds(
        JavaType,
        st.just("java.util.Map"),
        st.tuples(inner.filter(lambda java_type: java_type.name != "int")),
    ),
    max_leaves=4,
)


@given(TYPES)
def test_a_type_reads_back_as_it_is_written(java_type):
    assert parse_type(str(java_type)) == java_type


@given(TYPES)
def test_a_type_accepts_its_own_simple_and_raw_names(java_type):
    assert java_type.accepts_type(parse_type(java_type.simple_name))
    assert java_type.accepts_type(parse_type(java_type.raw_name))


@given(st.lists(TYPES, max_size=4))
def test_a_list_is_split_at_its_own_commas_only(types):
    assert split_list(", ".join(map(str, types))) == list(map(str, types))


@given(st.text(max_size=30))
def test_no_text_breaks_the_reader(text):
    with suppress(NotAType):
        assert parse_type(text).dimensions >= 0


@given(st.text(max_size=40))
def test_no_text_breaks_the_comparison(text):
    assert not matches_method(f"{NAME}({text})", CONSTRUCTOR)
