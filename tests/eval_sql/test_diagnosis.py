"""Symptoms of failed tasks, as tables: a gold table, a prediction, and all that is to be said of it."""

from __future__ import annotations

import base64
import gzip
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import evaluator_strategies as tables
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval_sql.config import ColumnRule, Config, parse_config
from eval_sql.diagnosis import Symptom, symptoms
from eval_sql.evaluate import Case, evaluate
from eval_sql.result import Unusable

T = ColumnRule(0, "t", "text")
I = ColumnRule(0, "i", "number", "integer")  # noqa: E741
N = ColumnRule(0, "n", "number", "decimal_places", 2)
N4 = ColumnRule(0, "n", "number", "decimal_places", 4)
S = ColumnRule(0, "s", "number", "significant_digits", 6)
D = ColumnRule(0, "d", "date")
M = ColumnRule(0, "m", "datetime")
B = ColumnRule(0, "b", "boolean")

# code, gold column, prediction column, rows
Found = tuple[str, int | None, int | None, int | None]


class Row(NamedTuple):
    """What is expected of one pair of tables, each given as lines with | between the cells."""

    about: str
    rules: tuple[ColumnRule, ...]
    gold: str
    prediction: str | Unusable | None
    found: list[Found]
    ordered: bool = False


PEOPLE = "name|score / ann|1.50 / bob|2.25 / cid|3.75"
ABOUT_PEOPLE = (T, N)
VALUES = "v / 1.25 / 2.50 / 7.75"

ROWS = [
    # No table at all.
    Row("no file", (T,), "a / x", None, [("missing_prediction", None, None, None)]),
    Row("a link", (T,), "a / x", Unusable("the file is a symbolic link"), [("unreadable_csv", None, None, None)]),
    Row("ragged", (T,), "a / x", "a / x|y", [("unreadable_csv", None, None, None)]),
    Row("empty file", (T,), "a / x", "", [("unreadable_csv", None, None, None)]),
    # Columns.
    Row("a column less", ABOUT_PEOPLE, PEOPLE, "name / ann / bob / cid", [("missing_column", 1, None, None)]),
    Row("only another's name", ABOUT_PEOPLE, PEOPLE, "x / ann / bob / cid", [("missing_column", 1, None, None)]),
    Row("a column more", (T,), "a / x / y", "a|b / x|7 / y|8", [("extra_column", None, 1, None)]),
    Row("the other column is gold's", (T,), "a / x / y", "b|c / 7|x / 8|y", [("extra_column", None, 0, None)]),
    Row("one of three, renamed and moved", (T, I, D), "t|i|d / p|3|2020-01-01 / q|4|2020-01-02",
        "z|y / 2020-01-01|p / 2020-01-02|q", [("missing_column", 1, None, None)]),
    Row("nothing alike", (T, I), "t|i / p|3 / q|4", "z / ? / !", [
        ("missing_column", 0, None, None), ("missing_column", 1, None, None), ("extra_column", None, 0, None)]),
    Row("an index from 0", (T,), "a / x / y", "|a / 0|x / 1|y", [
        ("extra_column", None, 0, None), ("index_column_added", None, 0, 2)]),
    Row("an index from 1 behind", (T,), "a / x / y / z", "a|nr / x|1 / y|2 / z|3", [
        ("extra_column", None, 1, None), ("index_column_added", None, 1, 3)]),
    Row("a number that does not count rows", (T,), "a / x / y / z", "a|nr / x|1 / y|2 / z|4", [
        ("extra_column", None, 1, None)]),
    Row("one row called index", (T,), "a / x", "Unnamed: 0|a / 0|x", [
        ("extra_column", None, 0, None), ("index_column_added", None, 0, 1)]),
    Row("one row that may be a count", (T,), "a / x", "hits|a / 1|x", [("extra_column", None, 0, None)]),
    # Rows.
    Row("a row less", ABOUT_PEOPLE, PEOPLE, "name|score / ann|1.5 / cid|3.75", [("missing_rows", None, None, 1)]),
    Row("a row more", ABOUT_PEOPLE, PEOPLE, PEOPLE + " / dan|9", [("extra_rows", None, None, 1)]),
    Row("none of the rows", (T,), "a / x / y", "a", [("missing_rows", None, None, 2)]),
    Row("rows where gold has none", (T,), "a", "a / x / y", [("extra_rows", None, None, 2)]),
    Row("two rows for two others", (T, I), "t|i / a|1 / b|2 / c|3", "t|i / a|1 / d|8 / e|9", [
        ("changed_values", 0, 0, 2), ("changed_values", 1, 1, 2), ("extra_rows", None, None, 2),
        ("missing_rows", None, None, 2)]),
    Row("a duplicate more", ABOUT_PEOPLE, PEOPLE, PEOPLE + " / cid|3.75", [("duplicates_added", None, None, 1)]),
    Row("duplicates less", (T,), "a / x / x / x / y", "a / x / y", [("duplicates_lost", None, None, 2)]),
    Row("more of one, less of the other", (T,), "a / x / x / y", "a / x / y / y", [
        ("changed_values", 0, 0, 1)]),
    Row("a repeated row is not a duplicate of what is not there", (T,), "a / x", "a / x / y / y", [
        ("extra_rows", None, None, 2)]),
    Row("values exchanged between rows", ABOUT_PEOPLE, PEOPLE, "name|score / ann|2.25 / bob|1.5 / cid|3.75", [
        ("rows_associated_wrongly", None, None, 2)]),
    Row("a column sorted by itself", (T, I), "t|i / c|1 / b|2 / a|3", "t|i / a|1 / b|2 / c|3", [
        ("rows_associated_wrongly", None, None, 2)]),
    Row("another order", ABOUT_PEOPLE, PEOPLE, "name|score / cid|3.75 / bob|2.25 / ann|1.5", [
        ("wrong_order", None, None, 2)], ordered=True),
    Row("another order of moved columns", ABOUT_PEOPLE, PEOPLE, "s|n / 2.25|bob / 1.5|ann / 3.75|cid", [
        ("wrong_order", None, None, 2)], ordered=True),
    Row("order and rounding", ABOUT_PEOPLE, PEOPLE, "name|score / bob|2.3 / ann|1.5 / cid|3.8", [
        ("rounding", 1, 1, 2), ("wrong_order", None, None, 2)], ordered=True),
    # Header.
    Row("no header", ABOUT_PEOPLE, PEOPLE, "ann|1.50 / bob|2.25 / cid|3.75", [
        ("header_as_row", None, None, 1), ("missing_rows", None, None, 1)]),
    Row("no header, spelled otherwise", (D, I), "d|i / 2020-01-01|7 / 2020-01-02|8", "20200101|7.0 / 2020-01-02|8", [
        ("header_as_row", None, None, 1), ("missing_rows", None, None, 1)]),
    Row("a row less whose header is not it", ABOUT_PEOPLE, PEOPLE, "ann|2 / bob|2.25 / cid|3.75", [
        ("missing_rows", None, None, 1)]),
    Row("the header again", (T,), "a / x / y", "a / a / x / y", [
        ("extra_rows", None, None, 1), ("header_as_row", None, None, 1)]),
    Row("gold's header under another", ABOUT_PEOPLE, PEOPLE, "0|1 / name|score / ann|1.50 / bob|2.25 / cid|3.75", [
        ("unreadable_cells", 1, 1, 1), ("extra_rows", None, None, 1), ("header_as_row", None, None, 1)]),
    Row("gold has its header as a row, too", (T,), "a / a / x", "a / a / x / x", [("duplicates_added", None, None, 1)]),
    # Transposed.
    Row("as pandas has it", ABOUT_PEOPLE, PEOPLE, "|0|1|2 / name|ann|bob|cid / score|1.5|2.25|3.75", [
        ("transposed", None, None, 2)]),
    Row("without names", ABOUT_PEOPLE, PEOPLE, "0|1|2 / ann|bob|cid / 1.5|2.25|3.75", [("transposed", None, None, 2)]),
    Row("a row lost to the header", ABOUT_PEOPLE, PEOPLE, "ann|bob|cid / 1.5|2.25|3.75", [("transposed", None, None, 1)]),
    Row("one row as two columns", (T, I, B), "a|b|c / x|5|yes", "field|value / a|x / b|5 / c|true", [
        ("transposed", None, None, 3)]),
    Row("square, but changed", (I, I), "a|b / 1|2 / 3|4", "a|b / 1|2 / 3|5", [("changed_values", 1, 1, 1)]),
    # Values.
    Row("one value", ABOUT_PEOPLE, PEOPLE, "name|score / ann|1.50 / bob|9.25 / cid|3.75", [("changed_values", 1, 1, 1)]),
    Row("two columns", (T, I), "t|i / a|1 / b|2 / c|3", "t|i / a|7 / z|2 / c|3", [
        ("changed_values", 0, 0, 1), ("changed_values", 1, 1, 1), ("extra_rows", None, None, 2),
        ("missing_rows", None, None, 2)]),
    Row("values that move on by one", (T, I), "t|i / a|1 / b|2 / c|3", "t|i / a|2 / b|3 / c|4", [("changed_values", 1, 1, 3)]),
    Row("a truth value", (T, B), "t|b / a|yes / b|no", "t|b / a|1 / b|1", [("changed_values", 1, 1, 1)]),
    Row("not a number", ABOUT_PEOPLE, PEOPLE, "name|score / ann|1.50 / bob|two / cid|3.75", [("unreadable_cells", 1, 1, 1)]),
    Row("no date", (D,), "d / 2020-02-28 / 2020-02-29", "d / 2020-02-28 / 2021-02-29", [("unreadable_cells", 0, 0, 1)]),
    Row("not whole", (I,), "i / 1 / 5", "i / 1.5 / 5", [("unreadable_cells", 0, 0, 1)]),
    Row("unreadable and changed", (I,), "i / 1 / 5 / 6", "i / x / 7 / 6", [
        ("changed_values", 0, 0, 1), ("unreadable_cells", 0, 0, 1)]),
    # Rounding.
    Row("to one decimal", (N,), VALUES, "v / 1.3 / 2.5 / 7.8", [("rounding", 0, 0, 2)]),
    Row("to none", (N,), VALUES, "v / 1 / 3 / 8", [("rounding", 0, 0, 3)]),
    Row("many to one", (N,), "v / 1.41 / 1.05 / 1.53", "v / 1 / 1 / 2", [("rounding", 0, 0, 3)]),
    Row("gold has fewer", (N4,), "v / 1.5 / 2.1", "v / 1.4966 / 2.1043", [("rounding", 0, 0, 2)]),
    Row("whole numbers with decimals", (I,), "v / 2 / 7", "v / 2.4 / 7", [
        ("rounding", 0, 0, 1), ("unreadable_cells", 0, 0, 1)]),
    Row("significant digits", (S,), "v / 1234.56 / 98765.4", "v / 1234.6 / 98765", [("rounding", 0, 0, 2)]),
    Row("in thousands of thousands", (S,), "v / 123456000 / 987654000", "v / 123460000 / 987650000", [("rounding", 0, 0, 2)]),
    Row("as much rounding as the rule", (N,), "v / 1.25", "v / 1.30 / 1.25", [("extra_rows", None, None, 1)]),
    Row("another number", (N,), VALUES, "v / 1.25 / 2.50 / 3.75", [("changed_values", 0, 0, 1)]),
    Row("all round to nothing", (N,), "v / 0.12 / 0.34", "v / 0.41 / 0.23", [("changed_values", 0, 0, 2)]),
    # Scale.
    Row("percentages for fractions", (N4,), "v / 0.125 / 0.5", "v / 12.5 / 50", [("off_by_100", 0, 0, 2)]),
    Row("fractions for percentages", (N,), "v / 12.5 / 50", "v / 0.125 / 0.5", [("off_by_100", 0, 0, 2)]),
    Row("with signs that are not allowed", (N,), "v / 0.45 / 0.5", "v / 45% / 50%", [
        ("off_by_100", 0, 0, 2), ("unreadable_cells", 0, 0, 2)]),
    Row("signs alone", (N,), "v / 45 / 50", "v / 45% / 50%", [("percent_sign", 0, 0, 2), ("unreadable_cells", 0, 0, 2)]),
    Row("thousands", (N,), "v / 1500 / 2250", "v / 1.5 / 2.25", [("off_by_power_of_ten", 0, 0, 2)]),
    Row("negative and zero", (N,), "v / -5 / 0 / 3", "v / -5000 / 0 / 3000", [("off_by_power_of_ten", 0, 0, 2)]),
    Row("by two", (N,), "v / 1.25 / 2.5 / 9", "v / 2.5 / 5 / 18", [("changed_values", 0, 0, 2)]),
    Row("some by 100", (N,), "v / 1.25 / 2.5 / 9", "v / 125 / 250 / 9", [("off_by_100", 0, 0, 2)]),
    Row("by 100, where that meets other values", (I,), "v / 1 / 100 / 10000 / 7", "v / 100 / 10000 / 1000000 / 700", [
        ("off_by_100", 0, 0, 2)]),
    Row("one of three by 100", (N,), "v / 1.25 / 2.5 / 9", "v / 125 / 3.14 / 17", [("changed_values", 0, 0, 3)]),
    # Text.
    Row("case", (T,), "t / ann / Bob / cid", "t / Ann / bob / cid", [("letter_case", 0, 0, 2)]),
    Row("white space inside", (T,), "t / a b / c", "t / a  b / c", [("white_space", 0, 0, 1)]),
    Row("both", (T,), "t / new york / rome", "t / New  York / rome", [("case_and_space", 0, 0, 1)]),
    Row("case in one, white space in the other", (T,), "t / a b / cd", "t / ab / CD", [
        ("case_and_space", 0, 0, 2), ("letter_case", 0, 0, 1), ("white_space", 0, 0, 1)]),
    Row("white space around is nothing", (T,), "t / a / b", "t /  a / c", [("changed_values", 0, 0, 1)]),
    Row("other letters", (T,), "t / straße / x", "t / strasse / x", [("changed_values", 0, 0, 1)]),
    Row("words for nothing", (T, I), 't|i / x|1 / |2', "t|i / x|1 / NaN|2", [("null_word", 0, 0, 1)]),
    Row("a number as text", (T,), "t / 12 / 7", "t / 12.0 / 7.0", [("number_as_text", 0, 0, 2)]),
    Row("a leading zero as text", (T,), "t / 012 / 7", "t / 12 / 7", [("number_as_text", 0, 0, 1)]),
    # Dates.
    Row("times for dates", (D,), "d / 2020-01-01 / 2020-01-02", "d / 2020-01-01T10:00 / 2020-01-02 03:00:00", [
        ("date_and_datetime", 0, 0, 2), ("unreadable_cells", 0, 0, 2)]),
    Row("dates for times", (M,), "d / 2020-01-01T10:00 / 2020-01-02 03:00:00", "d / 2020-01-01 / 2020-01-02", [
        ("date_and_datetime", 0, 0, 2)]),
    Row("before 1970", (M,), "d / 1960-01-01T10:00", "d / 1960-01-01", [("date_and_datetime", 0, 0, 1)]),
    Row("another time", (M,), "d / 2020-01-01T10:00 / 2020-01-02T01:00", "d / 2020-01-01T11:00 / 2020-01-02T01:00", [
        ("changed_values", 0, 0, 1)]),
    Row("another day", (D,), "d / 2020-01-01 / 2020-01-02", "d / 2020-01-01 / 2020-01-03", [("changed_values", 0, 0, 1)]),
    Row("a time zone", (M,), "d / 2020-01-01T10:00 / 2020-01-02T01:00", "d / 2020-01-01T10:00Z / 2020-01-02T01:00Z", [
        ("time_zone", 0, 0, 2)]),
]  # fmt: skip


def table(text: str) -> bytes:
    """Lines between slashes, cells between bars, as CSV."""
    lines = [line.removeprefix(" ").removesuffix(" ") for line in text.split("/")]
    quoted = [
        ",".join(f'"{cell.strip(" ")}"' if not cell.strip() else cell for cell in line.split("|")) for line in lines
    ]
    return "".join(f"{line}\n" for line in quoted).encode() if text else b""


def case(number: int, row: Row) -> Case:
    rules = tuple(
        ColumnRule(place, rule.gold_name, rule.type, rule.mode, rule.digits, rule.unit, rule.allow_percent_sign)
        for place, rule in enumerate(row.rules)
    )
    prediction = table(row.prediction) if isinstance(row.prediction, str) else row.prediction
    return Case(Config(f"task_{number}", row.ordered, rules), table(row.gold), prediction)


def plain(found: list[Symptom]) -> list[Found]:
    return [(s.code, s.gold_column, s.prediction_column, s.row_count) for s in found]


@pytest.fixture(scope="module")
def all_found() -> list[list[Symptom]]:
    """The symptoms of all rows, in one go."""
    cases = [case(number, row) for number, row in enumerate(ROWS, 1)]
    assert not any(result.passed for result in evaluate(cases))
    return symptoms(cases)


@pytest.mark.parametrize("place", range(len(ROWS)), ids=[row.about for row in ROWS])
def test_symptoms(place: int, all_found: list[list[Symptom]]) -> None:
    assert sorted(plain(all_found[place]), key=str) == sorted(ROWS[place].found, key=str)


def one(rules: tuple[ColumnRule, ...], gold: str, prediction: str) -> list[Symptom]:
    return symptoms([case(1, Row("", rules, gold, prediction, []))])[0]


def test_evidence_is_in_words() -> None:
    """Examples are texts as they stand in the files; a sentence says which columns, how many, and by how much."""
    (scaled,) = one((T, N), PEOPLE, "name|score / ann|150 / bob|225 / cid|375")
    assert scaled == Symptom(
        "off_by_100", 1, 1, 3,
        ['gold "1.50", prediction "150"', 'gold "2.25", prediction "225"', 'gold "3.75", prediction "375"'],
        "gold column 1: 3 of 3 differing values are equal once the prediction's are divided by 100 "
        "(percentages in place of fractions)",
    )  # fmt: skip
    (missing,) = one((T, N), PEOPLE, "name|score / ann|1.5 / cid|3.75")
    assert (missing.examples, missing.sentence) == (
        ['gold row 2: "bob", "2.25"'],
        "1 row of gold not in the prediction",
    )
    (lost,) = one((T, N), PEOPLE, "name / ann / bob / cid")
    assert lost.sentence == 'gold column 1 "score" is in no column of the prediction; matched: gold 0 = prediction 0'
    (unread,) = one((T, N), PEOPLE, "name|score / ann|1.5 / bob|two / cid|3.75")
    assert unread.examples == ['row 2: "two"']


def test_long_cells_are_cut_in_examples() -> None:
    config = Config("task_1", False, (T,))
    (found,) = symptoms([Case(config, b"t\n" + b"x" * 2_000_000 + b"\n", b"t\n" + b"y" * 2_000_000 + b"\n")])[0]
    assert found.code == "changed_values" and len(found.examples[0]) < 200


HOSTILE = [
    b"a,b\n1e999999999,x\n-1e999999999,y\n",
    b"a,b\n" + b"9" * 100_000 + b",x\n" + b"0." + b"0" * 100_000 + b"1,y\n",
    "a,b\n１２３,\x1b[31mred\n٣,\u202eevil\n".encode(),
    b'a,b\n"\r\n\t","\n"\n"""",\'; DROP TABLE symptom; --\n',
    "a,b\n\ud7ff,\U0001f600\n\u0301\u0301\u0301,\u200b\n".encode(),
    b"{},%s\n{0},%(x)s\n{},\\\n",
    b",\n,\n,\n",
    b"a,b\n2020-01-01T24:00,0001-01-01T00:00+01:00\n9999-12-31T23:59:59.9999999Z,nan\n",
    b"a,b\n-0,<NA>\n0e5,NaT\n",
    b"a,b\n" + "\n".join(f"{'1' * 18},{'9' * 19}" for _ in range(2)).encode() + b"\n",
    b"a\n" + b"x\n" * 3,
    b",".join(b"c%d" % i for i in range(64)) + b"\n" + b",".join(b"%d" % i for i in range(64)) + b"\n",
    b"a,b\n",
]


def test_hostile_content() -> None:
    """Whatever is in the cells: each failed pair has its symptoms, and no text acts as anything but text."""
    kinds = [(I, T), (N, M), (S, D), (B, N4), (T, T)]
    golds = [b"1,\n2,\n", b",\n,2020-01-01\n", b"1.5,2020-01-01\n,\n", b"yes,1\nno,2\n", b"x,y\n{},%s\n"]
    cases = [
        Case(case(1, Row("", rules, "", "", [])).config, b"a,b\n" + gold, data)
        for rules, gold in zip(kinds, golds, strict=True)
        for data in HOSTILE
    ]
    failed = [one for one, result in zip(cases, evaluate(cases), strict=True) if not result.passed]
    started = time.perf_counter()
    found = symptoms(failed)
    assert time.perf_counter() - started < 10
    assert len(failed) > 60 and all(found)
    assert all(s.code != "other_difference" for of_one in found for s in of_one)


def test_a_hundred_thousand_rows() -> None:
    """Rows in another order, a scaled column, a date with times, five rows less: in seconds."""
    numbers = range(100_000)
    gold = "n,v,w,d\n" + "".join(f"k{i},{i}.25,{i % 7},2020-01-{i % 28 + 1:02}\n" for i in numbers)
    lines = [f"k{i},{i}25,{i % 7},2020-01-{i % 28 + 1:02}T10:00:00\n" for i in reversed(numbers)]
    config = case(1, Row("", (T, N, I, D), "a", "", [])).config
    started = time.perf_counter()
    (found,) = symptoms([Case(config, gold.encode(), ("n,v,w,d\n" + "".join(lines[5:])).encode())])
    assert time.perf_counter() - started < 30
    assert plain(found)[:3] == [
        ("off_by_100", 1, 1, 99_995), ("date_and_datetime", 3, 3, 99_995), ("unreadable_cells", 3, 3, 99_995)
    ]  # fmt: skip
    assert plain(found)[3:] == [("missing_rows", None, None, 5)]


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(tables.mutated(), min_size=20, max_size=40))
def test_every_failed_pair_has_a_symptom(drawn: list[tables.Rewritten]) -> None:
    """Of tables that differ in one thing: something is found, and it is never only that something is different."""
    cases = [Case(parse_config(json.dumps(one.config).encode(), "task_1"), one.gold, one.prediction) for one in drawn]
    failed = [one for one, result in zip(cases, evaluate(cases), strict=True) if not result.passed]
    for of_one in symptoms(failed) if failed else []:
        assert of_one and all(s.code != "other_difference" and s.sentence for s in of_one)


def body(of: dict[str, Any], side: str) -> bytes | None:
    if f"{side}_b64" in of:
        return base64.b64decode(of[f"{side}_b64"])
    text = of.get(f"{side}_csv")
    return None if text is None else str(text).encode()


def test_every_failed_conformance_case_has_a_symptom(shared: Path) -> None:
    """All that fails there and is small: one batch, each with a symptom that says more than that it differs."""
    failed: list[Case] = []
    with gzip.open(shared / "conformance" / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        for of in map(json.loads, lines):
            gold, prediction = body(of, "gold"), body(of, "prediction")
            if of["expected"].get("passed") is False and gold is not None and len(gold + (prediction or b"")) < 40_000:
                config = parse_config(json.dumps(of["config"]).encode(), of["config"]["task_id"])
                failed.append(Case(config, gold, prediction))
    found = symptoms(failed)
    assert len(found) > 500 and all(found)
    assert [s for of_one in found for s in of_one if s.code == "other_difference"] == []


def test_codes_are_documented() -> None:
    root = Path(__file__).resolve().parent.parent.parent
    page = (root / "docs" / "codes.md").read_text(encoding="utf-8")
    codes = {found[0] for row in ROWS for found in row.found} | {"undecided", "other_difference"}
    sql = "".join(file.read_text(encoding="utf-8") for file in (root / "sql" / "diagnose").glob("*.sql"))
    assert codes >= {"transposed", "time_zone"} and all(f"'{code}'" in sql for code in codes)
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []
