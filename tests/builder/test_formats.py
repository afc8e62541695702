"""Text formats: every relation they accept comes back exactly (DataSpace Eq. 16), and the rest is refused by name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.render import csv_format, json_format
from builder.render.relation import Relation

FORMATS = [pytest.param(csv_format, id="csv"), pytest.param(json_format, id="json")]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "",
        " ",
        "null",
        "NULL",
        "007",
        "1,5",
        "1.50%",
        '"',
        '""',
        "a\nb",
        "a\r\nb",
        "\r",
        "\n",
        ",",
        "é",
        "中文",
        "\ufeff",
        "-",
        "nan",
    ]
)
integer = st.integers(-(2**63), 2**63 - 1)
real = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([-0.0, 5e-324, 1e300, 0.1, 1e16, 100.0])
kinds = {"integer": integer, "real": real, "number": integer | real, "text": text, "mixed": integer | real | text}


@st.composite
def relations(draw):
    """Relations of one to four columns of one kind each, with NULLs."""
    columns = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4))
    row = st.tuples(*(st.none() | kinds[kind] for kind in columns))
    names = draw(
        st.lists(text.filter(lambda name: "\0" not in name), min_size=len(columns), max_size=len(columns), unique=True)
    )
    return Relation("t", tuple(names), draw(st.lists(row, max_size=8)))


@pytest.mark.parametrize("module", FORMATS)
@settings(max_examples=200, deadline=None)
@given(relation=relations())
def test_round_trip(module, relation):
    if module.obstacle(relation) is not None:
        return
    data = module.write(relation)
    back = module.read(data, "t", relation.column_types())
    assert back.digest() == relation.digest()
    assert back.rows == relation.rows
    assert module.write(relation) == data


@pytest.mark.parametrize("module", FORMATS)
@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([(b"x", 1)], "BLOB"),
        ([(float("inf"), 1)], "inf"),
        ([("a\0b", 1)], "NUL"),
        ([("\udcff", 1)], "UTF-8"),
    ],
)
def test_obstacles_of_both(module, rows, word):
    assert word in (module.obstacle(Relation("t", ("a", "b"), rows)) or "")


def test_obstacles_of_csv():
    assert "storage classes" in (csv_format.obstacle(Relation("t", ("a", "b"), [("1", 1), (1, 1)])) or "")
    assert "blank line" in (csv_format.obstacle(Relation("t", ("a",), [(None,)])) or "")
    assert csv_format.obstacle(Relation("t", ("a",), [("",)])) is None


def test_obstacle_of_json():
    assert "no rows" in (json_format.obstacle(Relation("t", ("a",), [])) or "")


def test_null_and_empty_text_differ():
    relation = Relation("t", ("a", "b"), [("", 1), (None, None)])
    assert csv_format.write(relation) == b'"a","b"\n"",1\n,\n'


@pytest.mark.parametrize(
    ("module", "data"),
    [
        (csv_format, b""),
        (csv_format, b'"a"\n'),
        (csv_format, b'"a","b"\n1\n'),
        (csv_format, b'"a","b"\n"x",1\n'),
        (csv_format, b"\xff\xfe\n"),
        (json_format, b""),
        (json_format, b"{}"),
        (json_format, b"[]"),
        (json_format, b"[1]"),
        (json_format, b'[{"a": 1, "b": 2}, {"b": 1, "a": 2}]'),
        (json_format, b'[{"a": 1}]'),
        (json_format, b"\xff"),
        (json_format, b"[" * 100_000),
    ],
)
def test_a_file_that_does_not_fit(module, data):
    with pytest.raises(ValueError):
        module.read(data, "t", ("integer", "integer"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([(1,)], [(1.0,)]),
        ([(1,)], [("1",)]),
        ([(None,)], [("",)]),
        ([("a",)], [(b"a",)]),
        ([(0.0,)], [(-0.0,)]),
        ([("i1",)], [(1,)]),
        ([(1,)], [(1,), (1,)]),
        ([], [(None,)]),
    ],
)
def test_digest_tells_apart(one, other):
    assert Relation("t", ("a",), one).digest() != Relation("t", ("a",), other).digest()


def test_digest_forgets_order_and_keeps_columns():
    rows = [(1, "a"), (2, "b"), (1, "a")]
    assert Relation("t", ("a", "b"), rows).digest() == Relation("u", ("a", "b"), rows[::-1]).digest()
    assert Relation("t", ("a", "b"), rows).digest() != Relation("t", ("b", "a"), rows).digest()
