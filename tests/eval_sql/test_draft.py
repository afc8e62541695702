"""Gold files and configurations drafted from typed rows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_sql.config import parse_config
from eval_sql.draft import Cell, Unrepresentable, draft_config, gold_csv
from eval_sql.evaluate import Case, evaluate
from warehouse.errors import BenchlakeError


@pytest.mark.parametrize(
    ("names", "rows", "wanted"),
    [
        (["a", "b"], [(1, "x"), (None, "")], b"a,b\n1,x\n,\n"),
        (["a"], [(None,), ("",), (" ",)], b'a\n""\n""\n \n'),
        ([""], [], b'""\n'),
        (["\ufeff"], [(1,)], b'"\xef\xbb\xbf"\n1\n'),
        (['q"', "c,d"], [("a\rb", "a\nb")], b'"q""","c,d"\n"a\rb","a\nb"\n'),
        (["a"], [(0.1,), (1e22,), (-0.0,), (1e-7,), (2.0,)], b"a\n0.1\n1e+22\n-0.0\n1e-07\n2.0\n"),
        (["a"], [(True,), (2**70,)], b"a\n1\n1180591620717411303424\n"),
        (["名"], [("é\u2028",)], "名\né\u2028\n".encode()),
    ],
)
def test_gold_csv(names: list[str], rows: list[tuple[Cell, ...]], wanted: bytes) -> None:
    assert gold_csv(names, rows) == wanted


@pytest.mark.parametrize(
    ("names", "rows", "code"),
    [
        ([], [], "gold_no_columns"),
        (["a"] * 65, [], "gold_too_wide"),
        (["a"], [(1,)] * 100_001, "gold_too_long"),
        (["a"], [("x" * (2 * 1024 * 1024 + 1),)], "gold_too_large"),
        (["a"], [("x" * 2_000_000,)] * 11, "gold_too_large"),
        (["a"], [(10**5000,)], "gold_too_large"),
        (["a", "b"], [(1,)], "gold_ragged"),
        (["a"], [(b"x",)], "gold_blob"),
        (["a"], [(float("nan"),)], "gold_not_finite"),
        (["a"], [(float("-inf"),)], "gold_not_finite"),
        (["a"], [("x\0",)], "gold_nul"),
        (["a\0"], [], "gold_nul"),
        (["a"], [("\ud800",)], "gold_not_utf8"),
    ],
)
def test_what_a_gold_csv_cannot_hold(names: list[str], rows: list[tuple[Cell, ...]], code: str) -> None:
    with pytest.raises(Unrepresentable) as error:
        gold_csv(names, rows)
    assert error.value.code == code
    if code != "gold_too_large":
        with pytest.raises(Unrepresentable):
            draft_config("task_1", names, rows, False)


NUMBER = {"type": "number", "unit": "plain", "allow_percent_sign": False}
INTEGER = NUMBER | {"comparison": {"mode": "integer"}}
SIGNIFICANT = NUMBER | {"comparison": {"mode": "significant_digits", "digits": 12}}
TEXT = {"type": "text"}


def places(digits: int) -> dict[str, Any]:
    return NUMBER | {"comparison": {"mode": "decimal_places", "digits": digits}}


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([], TEXT),
        ([None, None], TEXT),
        ([None, ""], TEXT),
        ([1, None, -(2**63)], INTEGER),
        ([0, 1], INTEGER),
        ([1, 2.5], places(1)),
        ([1.0, 2.0], places(1)),
        ([0.25, None, 3], places(2)),
        ([0.123456], places(6)),
        ([0.1234567], SIGNIFICANT),
        ([0.1 + 0.2, 1], SIGNIFICANT),
        ([1e-7], SIGNIFICANT),
        ([1e22], places(0)),
        ([1e300], SIGNIFICANT),
        ([1e300, 0.5], SIGNIFICANT),
        (["1", "2"], TEXT),
        (["001", None], TEXT),
        (["true", "false"], TEXT),
        ([1, "2"], TEXT),
        (["2020-01-01", None, ""], {"type": "date"}),
        (["2020-01-01 10:00", "2020-01-01T10:00:00.25Z"], {"type": "datetime"}),
        (["2020-01-01 00:00:00"], {"type": "datetime"}),
        (["2020-01-01", "2020-01-01 10:00"], TEXT),
        (["2020-02-30"], TEXT),
        (["2020-01-01 24:00"], TEXT),
        (["0001-01-01T00:00+01:00"], TEXT),
        (["20200101"], TEXT),
        (["2020-01-01", "null"], TEXT),
    ],
)
def test_a_rule_is_inferred_from_the_values(values: list[Cell], wanted: dict[str, Any]) -> None:
    draft = draft_config("task_1", ["v"], [(value,) for value in values], False)
    assert draft["columns"] == [{"gold_index": 0, "gold_name": "v"} | wanted]


def test_each_column_has_its_own_rule() -> None:
    draft = draft_config("task_12", ["a", "a"], [(1, "x")], True)
    assert (draft["task_id"], draft["order_sensitive"], draft["schema_version"]) == ("task_12", True, "1.0")
    assert [column["type"] for column in draft["columns"]] == ["number", "text"]
    assert [column["gold_index"] for column in draft["columns"]] == [0, 1]


def test_a_bad_task_id_is_refused() -> None:
    with pytest.raises(BenchlakeError, match="not a task id"):
        draft_config("12", ["a"], [], False)


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
dates = st.one_of(st.dates().map(str), st.datetimes().map(str), st.datetimes().map(lambda d: f"{d.isoformat()}+09:30"))
column_cells: list[st.SearchStrategy[Any]] = [
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1000, 1000).map(lambda value: round(value, 2)),
    st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
    texts,
    dates,
    st.dates().map(str),
    st.sampled_from(["null", "nan", "1", "1.0", " 1", "true", "", " ", "\r", "\ufeff", '"', "1e400", "2020-01-01"]),
    st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts, dates),
]


@st.composite
def results(draw: st.DrawFn) -> tuple[list[str], list[tuple[Cell, ...]]]:
    columns = draw(st.lists(st.sampled_from(column_cells), min_size=1, max_size=5))
    row = st.tuples(*(st.one_of(st.none(), cells) for cells in columns))
    return [draw(texts) for _ in columns], draw(st.lists(row, max_size=6))


# One judgement takes as long as forty, so an example is a batch of tables.
@settings(deadline=None, max_examples=10)
@given(st.lists(st.tuples(results(), st.booleans()), min_size=1, max_size=40))
def test_gold_passes_against_itself_under_its_own_draft(
    batch: list[tuple[tuple[list[str], list[tuple[Cell, ...]]], bool]],
) -> None:
    cases: list[Case] = []
    for (names, rows), ordered in batch:
        gold = gold_csv(names, rows)
        draft = draft_config("task_5", names, rows, ordered)
        cases.append(Case(parse_config(json.dumps(draft).encode(), "task_5"), gold, gold))
    for ((names, rows), _), verdict in zip(batch, evaluate(cases), strict=True):
        assert verdict.passed and verdict.column_mapping == tuple((j, j) for j in range(len(names)))
        assert verdict.gold_row_count == len(rows)
