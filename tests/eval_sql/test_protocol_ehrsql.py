"""EHRSQL: published counts, the rule for tables written as text, SQL run within limits, and the score."""

import json
import re

import pytest
from click.testing import CliRunner
from databases import build
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_counts import EHRSQL

import cli
from eval_sql.protocols import ehrsql
from eval_sql.protocols.databases import opened
from eval_sql.protocols.results import MAX_RESPONSE_BYTES, keep
from warehouse import BenchlakeError, Lake


def code(label: str, prediction: str | None) -> str | None:
    """Why a prediction is wrong; None when it is right."""
    (answer,) = ehrsql.judge({"q": label}, {"run": {"q": prediction}}).answers
    assert answer["passed"] == answer["published"] == (answer["code"] is None)
    return answer["code"]


def test_the_published_prediction_files_come_out(shared):
    folder = shared / "data/ehrsql_mimic_iv_demo"
    files = sorted((folder / "predictions_test").iterdir())
    found = ehrsql.score(folder / "test/answer.json", files)
    assert {row["run"]: row["correct"] for row in found.metrics} == EHRSQL
    assert {row["questions"] for row in found.metrics} == {1167}
    for row in found.metrics:
        assert row["correct"] + row["abstained"] + row["wrong"] == 1167
        for penalty, name in ((0, "rs_0"), (5, "rs_5"), (10, "rs_10"), (1167, "rs_n")):
            assert row[name] == pytest.approx((row["correct"] - penalty * row["wrong"]) / 1167)
    four = next(row for row in found.metrics if row["run"].endswith("four"))
    assert round(100 * four["rs_0"], 2) == 83.03


def test_gold_sql_gives_the_published_answers(shared):
    """Executed with the clock pinned; every sixth question here, all of them in tests/accept."""
    folder = shared / "data/ehrsql_mimic_iv_demo"
    answers = ehrsql.read_answers(folder / "test/answer.json")
    gold = ehrsql.read_answers(folder / "test/label.json")
    some = list(answers)[::6]
    with opened(folder / "mimic_iv.sqlite") as connection:
        found = ehrsql.judge(
            {key: answers[key] for key in some}, {"gold": {key: gold[key] for key in some}}, connection
        )
    assert found.metrics[0]["rs_n"] == 1.0


RULE = [
    ("[['1.50']]", "[['1.5']]", None),
    ("[['0']]", "[['0.0']]", None),
    ("[['1.2344']]", "[['1.2340']]", None),
    ("[['1.2345']]", "[['1.235']]", None),
    ("[['1.2346']]", "[['1.234']]", "wrong_table"),
    ("[['1e2']]", "[[100]]", None),
    ("[['-0.0001']]", "[['0']]", None),
    ("[['x']]", "[['X']]", "wrong_table"),
    ("[['x']]", "[[' x ']]", None),
    ("[['a'], ['b']]", "[['b'], ['a']]", None),
    ("[['a'], ['b']]", "[['a', 'b']]", "wrong_table"),
    ("[['a'], ['a']]", "[['a']]", "wrong_table"),
    ("[['2'], ['10']]", "[['10.0'], ['2.00']]", None),
    ("[]", "[]", None),
    ("[]", "[[]]", "wrong_table"),
    ("[]", "null", "abstained"),
    ("null", "null", None),
    ("null", "[]", "should_abstain"),
    ("null", "error_pred", "should_abstain"),
    ("[['a']]", "error_pred", "not_a_table"),
    ("[['a']]", None, "missing_response"),
    ("null", None, "missing_response"),
    ("""[["it's"]]""", r"[['it\'s']]", None),
    (r"[['a\\nb']]", r"[['a\nb']]", "wrong_table"),
    (r"[['a\\']]", r"[['a\\']]", None),
    (r"[['a\\']]", r"[['a\']]", "not_a_table"),
    ("[['], [']]", "[['], [']]", None),
    ("[['a']]", "[['a']] ", "not_a_table"),
    ("[['a']]", "[['a',]]", "not_a_table"),
    ("[['a']]", "[('a',)]", "not_a_table"),
    ("[['a']]", "[[\x01]]", "not_a_table"),
    ("[[None]]", "[['None']]", None),
    ("[['1" + "0" * 60 + "']]", "[['1" + "0" * 60 + "']]", None),
]


@pytest.mark.parametrize(("label", "prediction", "expected"), RULE)
def test_the_rule(label, prediction, expected):
    assert code(label, prediction) == expected


def test_only_the_first_hundred_sorted_rows_are_compared():
    rows = [[f"{number:03}x"] for number in range(120)]
    assert code(str(rows[:100]), str(rows[::-1])) is None
    assert code(str(rows[:99]), str(rows)) == "wrong_table"


cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
tables = st.lists(st.lists(cells, min_size=1, max_size=3), max_size=4)


@settings(max_examples=15, deadline=None)
@given(st.lists(tables, min_size=1, max_size=20))
def test_what_python_writes_is_read(found):
    """Every list of rows of texts is a table, and equals itself in any order of rows."""
    labels = {str(number): repr(table) for number, table in enumerate(found)}
    reverse = {str(number): repr(table[::-1]) for number, table in enumerate(found)}
    judged = ehrsql.judge(labels, {"same": labels, "reverse": reverse})
    assert [row["code"] for row in judged.answers if row["code"] is not None] == []


@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000, "[['" + "a" * 1_000_000, "[" + "['a'], " * 120_000 + "['a']]", "['" * 400_000, "\\" * 1_000_000,
        "[['" + "\\" * 999_999 + "']]", "[['1" + "0" * 900_000 + "']]", "[['1e99']]", "['a']); DROP TABLE x; --",
    ],
    ids=["open", "quote", "rows", "cells", "backslashes", "escapes", "digits", "exponent", "sql"],
)  # fmt: skip
def test_hostile_text_is_only_wrong(text):
    assert code("[['1']]", text) in ("not_a_table", "wrong_table")


@pytest.fixture
def database(tmp_path):
    return build(
        tmp_path / "d.sqlite", "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 'x'), (0.33349, 'y'), (NULL, 'z')"
    )


SQL = [
    ("SELECT b FROM t WHERE a = 1", "[['x']]", None),
    ("SELECT a FROM t", "[['0.333'], ['1'], ['None']]", None),
    ("SELECT b FROM t WHERE a > = 1", "[['x']]", None),
    ("SELECT current_time", "[['2100-12-31 23:59:00']]", None),
    ("SELECT count(*) FROM t WHERE 70 BETWEEN heart_rate_lower AND heart_rate_upper", "[['3']]", None),
    ("SELECT b FROM t WHERE 0", "[]", None),
    ("error_pred", "[]", "sql_error"),
    ("DROP TABLE t", "[]", "sql_not_allowed"),
    ("ATTACH 'x.sqlite' AS x", "[]", "sql_not_allowed"),
    ("SELECT 1; SELECT 2", "[['1']]", "sql_error"),
    ("SELECT 'a\0b'", "[['a']]", "sql_error"),
    ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "[]", "sql_too_many_rows"),
    ("SELECT printf('%.200000c', 'x') FROM t, t AS u, t AS v", "[]", "sql_too_large"),
    ("null", "[]", "abstained"),
]


@pytest.mark.parametrize(("sql", "answer", "expected"), SQL, ids=[sql[:30] for sql, *_ in SQL])
def test_sql_is_run_as_the_benchmark_runs_it_and_only_reads(database, sql, answer, expected):
    with opened(database) as connection:
        found = ehrsql.judge({"q": answer}, {"run": {"q": sql}}, connection)
    assert [row["code"] for row in found.answers] == [expected]


def write(path, value):
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("labels", "predictions", "message"),
    [
        ({}, {}, "no labels in it"),
        ({"q": "SELECT 1"}, {}, "give the database"),
        ({"q": "[[]]"}, {"q": 1}, "is no text"),
        ({"q": "[[]]"}, [], "holds a list"),
        ({"q": "[[]]"}, {"q": {"q": "x"}}, "is no text"),
        ({"q": "x" * (MAX_RESPONSE_BYTES + 1)}, {}, "give the database"),
    ],
)
def test_bad_files_are_one_line(tmp_path, labels, predictions, message):
    with pytest.raises(BenchlakeError, match=message) as error:
        ehrsql.score(write(tmp_path / "labels.json", labels), [write(tmp_path / "p.json", predictions)])
    assert "\n" not in str(error.value)


def test_labels_may_be_sql(tmp_path, database):
    labels = write(tmp_path / "label.json", {"1": "SELECT b FROM t WHERE a = 1", "2": "null", "3": "SELECT a FROM t"})
    mine = write(tmp_path / "mine.json", {"1": "SELECT b FROM t LIMIT 1", "2": None, "3": "[['x']]", "4": "[['x']]"})
    found = ehrsql.score(labels, [mine], database)
    assert [row["code"] for row in found.answers] == [None, None, "wrong_table"]
    assert found.unknown == 1
    bad = write(tmp_path / "bad.json", {"1": "SELECT c FROM t"})
    with pytest.raises(BenchlakeError, match=re.escape("label of '1' has no result: SQLite: no such column: c")):
        ehrsql.score(bad, [mine], database)


def test_the_command_and_the_lake(tmp_path, database):
    labels = write(tmp_path / "answer.json", {"1": "[['x']]", "2": "null", "3": "[['1']]", "4": "[['1']]"})
    mine = write(tmp_path / "mine.json", {"1": "SELECT b FROM t LIMIT 1", "2": "null", "3": "null", "4": "SELECT"})
    lake = tmp_path / "lake"
    Lake.create(lake).close()
    arguments = ["protocol", "ehrsql", "--predictions", mine, "--labels", labels, "--database", database]
    shown = CliRunner().invoke(cli.main, [*map(str, arguments), "--lake", str(lake)])
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.split()[-9:] == ["mine", "4", "2", "1", "1", "50.00%", "-75.00%", "-200.00%", "-50.00%"]
    with Lake.open(lake) as opened_lake:
        assert opened_lake.rows("SELECT rs_0, rs_5, rs_10, rs_n FROM metrics.reliability_score") == [
            (0.5, -0.75, -2.0, -0.5)
        ]
        assert keep(opened_lake, ehrsql.score(labels, [mine], database)) == 0
    bad = CliRunner().invoke(cli.main, [*map(str, arguments[:-1]), str(tmp_path / "no.sqlite")])
    assert (bad.exit_code, bad.stderr.count("\n")) == (2, 1)
