import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.config.token_shapes import LANDMARKS, SHAPES, mask_tokens, tokens_in

PIECES = [beginning for shape in SHAPES for beginning in shape.beginnings]
PIECES += [b"ant-", b"-----END ", b"PRIVATE KEY-----", b".eyJzdWIiOiIx.", b"b-", b"task-", b"A9" * 10, b"a1" * 12]
PIECES += [b" ", b"\n", b"\\n", b".", b"/", b"_", b"%3D", b"31m", b"x", b"k", b"g"]
texts = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)


@given(texts)
def test_no_landmark_misses_a_token_that_its_pattern_finds(text):
    found = tokens_in(text)
    for shape in SHAPES:
        for token in re.finditer(shape.pattern, text):
            assert token.span() in found


@pytest.mark.parametrize("landmark", LANDMARKS, ids=lambda landmark: landmark.search.pattern.decode())
def test_a_landmark_stands_in_each_beginning_where_its_shape_says(landmark):
    for shape in landmark.shapes:
        for beginning in shape.beginnings:
            found = [match.start() for match in landmark.search.finditer(beginning + b"b-")]
            assert shape.at in found


def test_of_tokens_that_overlap_nothing_is_left():
    outer = b"https://hooks.slack.com/services/" + b"T" * 190
    text = outer + b"/sk-ant-" + b"x" * 300 + b" end"
    assert mask_tokens(text, b"***") == b"https://*** end"
