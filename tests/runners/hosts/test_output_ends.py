from hypothesis import given
from hypothesis import strategies as st

from runners.hosts.output_watch import HeadTailBuffer


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(0, 60))
def test_both_ends_are_kept_whatever_the_pieces(chunks, limit):
    output = b"".join(chunks)
    ends = HeadTailBuffer(limit)
    for chunk in chunks:
        ends.add_chunk(chunk)

    first, last = limit // 2, limit - limit // 2
    assert ends.is_truncated == (len(output) > limit)
    if len(output) <= limit:
        assert ends.retained_bytes == output
    else:
        assert ends.retained_bytes == output[:first] + output[len(output) - last :]


def test_an_endless_stream_takes_no_more_room_than_its_limit():
    ends = HeadTailBuffer(1000)
    for _ in range(10_000):
        ends.add_chunk(b"x" * 997)

    assert ends.is_truncated
    assert len(ends.retained_bytes) == 1000
