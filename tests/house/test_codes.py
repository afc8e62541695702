"""Every code that the code gives is told to the user: in docs/codes.md, or in the comment of its column."""

import re
from pathlib import Path

from warehouse import Lake, key_edges, sqlite_rows, sqlite_run

ROOT = Path(__file__).resolve().parent.parent.parent
RAISED = re.compile(r"""\b(Refused|NotAQuery|QueryFailed|Unrepresentable|RecordError|Rejected)\(\s*"(\w+)\"""")
GIVEN = re.compile(r"""\bcode(?:"?: |=)"(\w+)\"""")
IN_SQL = re.compile(r"'(\w+)'(?: END)? AS code")
PROBLEM = re.compile(
    r"""\bproblem(?:: str \| None)? ?= ?(?:NO_EDGES, )?"(\w+)"|origin, "(\w+)\"|= NO_EDGES, "(\w+)\""""
)
REASON = re.compile(r"""return f"\{table\.kind\}(_table)"|return "(\w+)" if len\(table\.columns\)""")


def sources(*rooms: str) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for room in rooms for file in sorted((ROOT / room).rglob("*.py")))


def test_rejections_are_documented() -> None:
    text = sources("builder", "warehouse", "ibis_ops", "eval_sql")
    codes = {f"gold_{code}" if kind == "QueryFailed" else code for kind, code in RAISED.findall(text)}
    codes |= set(GIVEN.findall(text)) | set(IN_SQL.findall((ROOT / "sql" / "ingest" / "questions.sql").read_text()))
    # A bad relations file ends the command; nothing is recorded.
    codes -= {"relation_malformed"}
    assert {
        "gold_not_rebuilt",
        "gold_time_dependent",
        "gold_sql_too_large",
        "unsafe_path",
        "question_malformed",
        "question_conflict",
    } <= codes
    page = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []


def test_limits_in_the_documents_are_those_of_the_code() -> None:
    page = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")
    assert f"{sqlite_run.BYTE_LIMIT >> 20} MiB of text" in page
    assert f"a value of more than {sqlite_run.VALUE_LIMIT >> 10} KiB" in page
    assert f"more than {sqlite_run.ROW_LIMIT:,} rows" in page
    assert f"longer than {sqlite_run.TIME_LIMIT_SECONDS:g} s" in page
    schema = (ROOT / "sql" / "schema" / "002_source.sql").read_text(encoding="utf-8")
    assert f"too_many_columns: more than {sqlite_rows.MAX_COLUMNS})" in schema
    assert f"more than {key_edges.MAX_AMBIGUOUS_PAIRS:,} pairs" in schema


def test_problems_and_reasons_are_in_the_comments(lake: Lake) -> None:
    comments = dict(
        lake.rows("SELECT table_name || '.' || column_name, comment FROM duckdb_columns() WHERE schema_name = 'source'")
    )
    text = sources("warehouse")
    problems = {name for found in PROBLEM.findall(text) for name in found if name}
    assert {"no_such_table", "column_count", "parent_not_unique", "too_many_pairs"} <= problems
    assert [name for name in sorted(problems) if name not in comments["db_key.problem"]] == []
    reasons = {"virtual_table", "shadow_table"} | {name for _, name in REASON.findall(text) if name}
    assert "too_many_columns" in reasons
    assert [name for name in sorted(reasons) if name not in comments["db_table.refused"]] == []
    assert "-0.0" in comments["db_column.storage"]
