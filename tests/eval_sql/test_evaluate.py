"""The verdict through the one door: order of checks, and what must and must not change a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_sql.config import ColumnRule, Config
from eval_sql.draft import gold_csv
from eval_sql.evaluate import Case, evaluate
from eval_sql.result import Unusable
from eval_sql.suite import task_result
from warehouse.errors import BenchlakeError

TEXT_AND_DATE = Config("task_1", False, (ColumnRule(0, "a", "text"), ColumnRule(1, "b", "date")))
GOLD = b"a,b\nx,2020-01-01\ny,2020-01-02\n"


@pytest.mark.parametrize(
    ("prediction", "code", "counts", "says"),
    [
        (None, "missing_prediction", (0, 0), "no prediction file"),
        (Unusable("the file is a symbolic link"), "invalid_prediction_csv", (0, 0), "symbolic link"),
        (b"", "invalid_prediction_csv", (0, 0), "no header"),
        (b"a,b,c\n1,2\n", "invalid_prediction_csv", (0, 0), "data row 1 has 2 cells, the header has 3"),
        (b"a\nx\n", "column_count_mismatch", (1, 1), "1 columns, gold has 2"),
        (b"a,b,c\n", "column_count_mismatch", (0, 3), "3 columns, gold has 2"),
        (b"a,b\nx,1e400\n", "row_count_mismatch", (1, 2), "1 rows, gold has 2"),
        (b"a,b\nx,2020-01-01\ny,soon\n", "type_normalization_failed", (2, 2), "read as gold column 1"),
        (b"a,b\nx,2020-01-02\ny,2020-01-01\n", "relation_mismatch", (2, 2), "multiset of rows"),
    ],
)
def test_the_first_check_that_fails_is_the_verdict(
    prediction: bytes | Unusable | None, code: str, counts: tuple[int, int], says: str
) -> None:
    result = task_result(TEXT_AND_DATE, GOLD, prediction)
    assert (result.passed, result.error_code, result.column_mapping) == (False, code, None)
    assert (result.prediction_row_count, result.prediction_column_count) == counts
    assert (result.gold_row_count, result.gold_column_count) == (2, 2)
    assert says in result.message and "\n" not in result.message


def test_a_pass_reports_its_mapping() -> None:
    result = task_result(TEXT_AND_DATE, GOLD, b"q,p\n20200102, y\n2020-01-01T00:00,x\n")
    assert (result.passed, result.error_code, result.message) == (True, None, "")
    assert result.column_mapping == ((0, 1), (1, 0))


def test_tables_without_rows_are_equal() -> None:
    result = task_result(TEXT_AND_DATE, b"a,b\n", b"x,y\n")
    assert result.column_mapping == ((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("gold", "says"),
    [
        (b"", "no header row"),
        (b"a\nx\n", "1 columns, the configuration has 2"),
        (b"a,b\nx,2020-01-01\ny,1e400\n", "column 1, data row 2 is not a date: '1e400'"),
        (b"a,b\n" + b"x,\n" * 100_001, "more than 100000 data rows"),
    ],
)
def test_a_bad_gold_file_ends_the_run(gold: bytes, says: str) -> None:
    with pytest.raises(BenchlakeError) as error:
        task_result(TEXT_AND_DATE, gold, None)
    assert str(error.value).startswith("gold of task_1: ") and says in str(error.value)


# For each kind of column: its rule, gold texts, equal spellings of them, and a text that is equal to none.
Kind = tuple[ColumnRule, st.SearchStrategy[str], Callable[[str], list[str]], str]


def number(mode: str, digits: int | None = None, unit: str = "plain", percent: bool = False) -> ColumnRule:
    return ColumnRule(0, "", "number", mode, digits, unit, percent)


def nullable(texts: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from(["", *texts])


def numeric(*spellings: Callable[[str], str]) -> Callable[[str], list[str]]:
    return lambda text: [f(text) for f in spellings] if text else ["", "null", "NaN", " <NA> "]


KINDS: list[Kind] = [
    (
        ColumnRule(0, "", "text"),
        st.text(alphabet="aé0, \"\n'", max_size=4),
        lambda t: [t, f" {t}\t", t.replace("é", "e\u0301"), t.replace("\n", "\r\n"), t.replace("\n", "\r")],
        "changed",
    ),
    (
        number("integer"),
        nullable(["0", "7", "-12", "1234567"]),
        numeric(str, lambda t: t + ".0", lambda t: f"{int(t):,}", lambda t: f"+{t}" if t[0] != "-" else t),
        "987654321",
    ),
    (
        number("decimal_places", 2, percent=True),
        nullable(["0", "0.01", "-2.5", "1234.56"]),
        numeric(str, lambda t: t + "%", lambda t: f"{t}e0", lambda t: f"{float(t) + 0.004:.3f}"),
        "987654321",
    ),
    (
        number("significant_digits", 12, "fraction", True),
        nullable(["0.5", "0.25", "3", "0.123456789012"]),
        numeric(str, lambda t: t + "e00", lambda t: f"{t}e2%", lambda t: t + ("0000000000001" if "." in t else "")),
        "987654321",
    ),
    (
        ColumnRule(0, "", "date"),
        nullable(["2020-01-01", "2020-02-29", "1999-12-31"]),
        numeric(str, lambda t: t.replace("-", ""), lambda t: t + " 00:00", lambda t: t + "T08:00+08:00"),
        "1900-01-02",
    ),
    (
        ColumnRule(0, "", "datetime"),
        nullable(["2020-01-01 10:00:00", "2020-01-01 00:00:01.5"]),
        numeric(str, lambda t: t.replace(" ", "T"), lambda t: t + "000" if "." in t else t + ".000"),
        "1900-01-02 03:04",
    ),
    (
        ColumnRule(0, "", "boolean"),
        nullable(["true", "false"]),
        numeric(str, str.upper, lambda t: "1" if t == "true" else "0", lambda t: "是" if t == "true" else "否"),
        "",
    ),
]


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Config, list[Kind], list[list[str]], list[list[str]]]:
    """A task, its gold rows, and the same rows respelled, without any change of order."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5))
    rules = tuple(
        ColumnRule(at, f"g{at}", r.type, r.mode, r.digits, r.unit, r.allow_percent_sign)
        for at, (r, *_) in enumerate(kinds)
    )
    height = draw(st.integers(0, 6))
    gold = [[draw(texts) for _, texts, _, _ in kinds] for _ in range(height)]
    respelled = [
        [draw(st.sampled_from(spell(cell))) for cell, (_, _, spell, _) in zip(row, kinds, strict=True)] for row in gold
    ]
    return Config("task_1", draw(st.booleans()), rules), kinds, gold, respelled


def as_csv(rows: list[list[str]], width: int) -> bytes:
    return gold_csv([f"h{at}" for at in range(width)], rows)


@dataclass(frozen=True)
class Prediction:
    """A case, and the mapping by which the prediction's columns were moved."""

    case: Case
    moved_by: list[int]


@st.composite
def respelled_tasks(draw: st.DrawFn) -> Prediction:
    config, kinds, gold, respelled = draw(tasks())
    width = len(kinds)
    columns = draw(st.permutations(range(width)))
    rows = respelled if config.order_sensitive else draw(st.permutations(respelled))
    moved = [[row[k] for k in columns] for row in rows]
    return Prediction(Case(config, as_csv(gold, width), as_csv(moved, width)), [columns.index(j) for j in range(width)])


@st.composite
def changed_tasks(draw: st.DrawFn) -> Case:
    config, kinds, gold, changed = draw(tasks().filter(lambda task: bool(task[2])))
    width = len(kinds)
    row, column = draw(st.integers(0, len(gold) - 1)), draw(st.integers(0, width - 1))
    changed[row][column] = kinds[column][3] or ("false" if gold[row][column] == "true" else "true")
    columns = draw(st.permutations(range(width)))
    moved = [[cells[k] for k in columns] for cells in changed]
    return Case(config, as_csv(gold, width), as_csv(moved, width))


# One judgement takes as long as forty, so an example is a batch of tasks.
@settings(deadline=None, max_examples=8)
@given(st.lists(respelled_tasks(), min_size=1, max_size=40))
def test_order_and_spelling_never_change_the_verdict(batch: list[Prediction]) -> None:
    for prediction, result in zip(batch, evaluate([prediction.case for prediction in batch]), strict=True):
        assert result.passed, (prediction, result)
        # Any mapping that passes comes no later than the one the columns were moved by.
        assert result.column_mapping is not None
        assert [k for _, k in result.column_mapping] <= prediction.moved_by


@settings(deadline=None, max_examples=8)
@given(st.lists(changed_tasks(), min_size=1, max_size=40))
def test_one_changed_cell_always_changes_the_verdict(batch: list[Case]) -> None:
    for case, result in zip(batch, evaluate(batch), strict=True):
        assert not result.passed, case
        assert result.error_code in ("type_normalization_failed", "relation_mismatch")
