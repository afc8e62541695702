"""Query results: exact in every form, one line when there are none."""

import csv
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from warehouse import Lake
from warehouse.errors import BenchlakeError
from warehouse.results import select

HOSTILE = (
    "", "a,b", 'say "it"', "line\nfeed", "carriage\rreturn", "\r\n", "nul\0byte", " edge ", "NULL", "null", "=1+1",
    "\u2028", "\ufeff",
    "湖𠮷", "\x1b[31m", "'", "\\", "\\n", "\t", "-", "[red]",
)  # fmt: skip


@pytest.fixture(scope="module")
def lake(empty_lake: Path) -> Iterator[Lake]:
    """An empty lake; no test here writes."""
    with Lake.open(empty_lake, read_only=True) as opened:
        yield opened


def as_json(lake: Lake, query: str) -> str:
    out = io.StringIO()
    select(lake, query).write_json(out)
    return out.getvalue()


def as_csv(lake: Lake, query: str) -> str:
    out = io.StringIO(newline="")
    select(lake, query).write_csv(out)
    return out.getvalue()


def values(texts: tuple[str, ...]) -> str:
    rows = ", ".join(
        "('" + "' || chr(0) || '".join(text.replace("'", "''").split("\0")) + f"', {n})" for n, text in enumerate(texts)
    )
    return f"SELECT t FROM (VALUES {rows}) AS v (t, n) ORDER BY n"


def test_numbers_are_exact(lake: Lake) -> None:
    query = (
        "SELECT 0.1::DECIMAL(38, 20) AS a, 12345678901234567890123456789012345678::DECIMAL(38, 0) AS b, "
        "0.0000000001::DECIMAL(38, 10) AS c, 170141183460469231731687303715884105727::HUGEINT AS d, "
        "18446744073709551615::UBIGINT AS e, 0.1::DOUBLE AS f, 5e-324::DOUBLE AS g, -0.0::DOUBLE AS h, "
        "'nan'::DOUBLE AS i, '-inf'::FLOAT AS j, [1.10::DECIMAL(4, 2), NULL] AS k, {'x': 1e-7::DECIMAL(20, 8)} AS l"
    )
    row = json.loads(as_json(lake, query), parse_float=Decimal)[0]
    exact = {
        "a": Decimal("0.10000000000000000000"),
        "b": 12345678901234567890123456789012345678,
        "c": Decimal("0.0000000001"),
        "d": 2**127 - 1,
        "e": 2**64 - 1,
        "f": Decimal("0.1"),
        "g": Decimal("5e-324"),
        "h": Decimal("-0.0"),
        "i": None,
        "j": None,
        "k": [Decimal("1.10"), None],
        "l": {"x": Decimal("0.00000010")},
    }
    assert {name: str(value) for name, value in row.items()} == {name: str(value) for name, value in exact.items()}
    cells = as_csv(lake, query).splitlines()[1].split(",")
    assert cells[:5] == [
        "0.10000000000000000000",
        "12345678901234567890123456789012345678",
        "0.0000000001",
        str(2**127 - 1),
        str(2**64 - 1),
    ]
    assert cells[5:10] == ["0.1", "5e-324", "-0.0", "nan", "-inf"]


def test_other_types(lake: Lake) -> None:
    query = (
        "SELECT true AS a, DATE '2024-02-29' AS b, TIMESTAMP '2024-01-02 03:04:05.6' AS c, TIME '01:02:03' AS d, "
        "'\\x00\\xFF'::BLOB AS e, NULL AS f, MAP {1: 'x'} AS g, INTERVAL 1 DAY AS h, [[]] AS i, "
        "TIMESTAMPTZ '2024-01-02 03:04:05+00' AS j, '12345678-1234-1234-1234-123456789012'::UUID AS k, "
        "'infinity'::DATE AS l"
    )
    row = json.loads(as_json(lake, query))[0]
    assert row["a"] is True and row["f"] is None
    assert (row["b"], row["c"], row["d"], row["e"]) == ("2024-02-29", "2024-01-02 03:04:05.6", "01:02:03", "00ff")
    assert (row["g"], row["i"]) == ({"1": "x"}, [[]])
    assert row["k"] == "12345678-1234-1234-1234-123456789012"
    assert as_csv(lake, "SELECT true AS a, false AS b, NULL AS c, '\\x00'::BLOB AS d, [1, NULL] AS e") == (
        'a,b,c,d,e\ntrue,false,,00,"[1, null]"\n'
    )


def test_hostile_text(lake: Lake) -> None:
    query = values(HOSTILE)
    assert [row["t"] for row in json.loads(as_json(lake, query))] == list(HOSTILE)
    # Row by row, so that a text with a line end cannot hide as two rows.
    read = list(csv.reader(io.StringIO(as_csv(lake, query), newline="")))
    assert read == [["t"], *([text] for text in HOSTILE)]
    assert [row[0] for row in select(lake, query).rows()] == list(HOSTILE)


def test_null_and_empty_text(lake: Lake) -> None:
    query = "SELECT * FROM (VALUES (NULL, '', 1), ('', NULL, 2)) AS v (a, b, c) ORDER BY c"
    assert as_csv(lake, query) == 'a,b,c\n,"",1\n"",,2\n'
    assert as_csv(lake, "SELECT NULL AS a") == 'a\n""\n'
    assert json.loads(as_json(lake, query))[0] == {"a": None, "b": "", "c": 1}


def test_names_of_columns(lake: Lake) -> None:
    query = 'SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS "x""y", 5 AS "l\nf", 6 AS a'
    assert json.loads(as_json(lake, query)) == [{"a": 1, "a_2": 2, "a_1": 3, 'x"y': 4, "l\nf": 5, "a_3": 6}]
    assert as_csv(lake, query) == 'a,a,a_1,"x""y","l\nf",a\n1,2,3,4,5,6\n'


def test_no_rows(lake: Lake, tmp_path: Path) -> None:
    query = "SELECT 1 AS a, 'x' AS b WHERE false"
    assert json.loads(as_json(lake, query)) == []
    assert as_csv(lake, query) == "a,b\n"
    assert select(lake, query).head(5) == ([], False)
    select(lake, query).write_parquet(tmp_path / "x.parquet")
    assert pq.read_table(tmp_path / "x.parquet").column_names == ["a", "b"]


def test_head_and_streams(lake: Lake) -> None:
    assert select(lake, "FROM range(3)").head(3) == ([(0,), (1,), (2,)], False)
    assert select(lake, "FROM range(4)").head(3) == ([(0,), (1,), (2,)], True)
    first, second = select(lake, "FROM range(20000)").rows(), select(lake, "FROM range(20000)").rows()
    # Two results at once do not end each other.
    assert sum(a[0] + b[0] for a, b in zip(first, second, strict=True)) == 2 * sum(range(20000))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELEC 1", "syntax error"),
        ("SELECT 'open", "unterminated"),
        ("FROM nowhere", "nowhere does not exist"),
        ("SELECT nothing FROM ledger.event", "nothing"),
        ("SELECT t::INTEGER FROM (VALUES ('1'), ('x')) v (t)", "Could not convert string 'x'"),
        ("SELECT error('line\nfeed')", "line"),
        ("SELECT error(repeat('x', 10000)) FROM range(100000)", "xxxx"),
        ("SELECT 1 FROM range(10) ORDER BY (SELECT error('late'))", "late"),
        ("SELECT ?", "parameter"),
        ("", "takes one SELECT"),
        ("-- a comment", "takes one SELECT"),
        ("INSERT INTO ledger.setting VALUES ('a', 'b')", "takes one SELECT"),
        ("DROP SCHEMA ledger CASCADE", "takes one SELECT"),
        ("SELECT 1; SELECT 2", "takes one SELECT"),
        ("COPY (SELECT 1) TO 'x.parquet'", "takes one SELECT"),
        ("ATTACH 'x.parquet'", "takes one SELECT"),
        ("SELECT '\udcff'", "not text in UTF-8"),
    ],
)
def test_queries_that_do_not_run(lake: Lake, tmp_path: Path, query: str, message: str) -> None:
    path = tmp_path / "x.parquet"
    for finish in (
        as_json,
        as_csv,
        lambda lake, query: select(lake, query).head(9),
        lambda lake, query: select(lake, query).write_parquet(path),
    ):
        with pytest.raises(BenchlakeError) as caught:
            finish(lake, query)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value).strip()
    assert not list(tmp_path.iterdir())


def test_parquet_is_whole_or_absent(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "it's ünïque, 100%.parquet"
    select(lake, "SELECT 1 AS a").write_parquet(path)
    assert pq.read_table(path).to_pylist() == [{"a": 1}]
    before = path.read_bytes()
    with pytest.raises(BenchlakeError, match="the query does not run"):
        select(
            lake, "SELECT CASE WHEN range = 1500000 THEN error('late') ELSE range END FROM range(2000000)"
        ).write_parquet(path)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1
    select(lake, "SELECT 2 AS a").write_parquet(path)
    assert pq.read_table(path).to_pylist() == [{"a": 2}]
    (tmp_path / "folder").mkdir()
    for bad in (
        tmp_path / "folder",
        tmp_path / "absent" / "x",
        path / "x",
        Path("/"),
        Path(),
        tmp_path / ("x" * 300),
        Path("/dev/full/x"),
    ):
        with pytest.raises(BenchlakeError, match="cannot be written"):
            select(lake, "SELECT 1 AS a").write_parquet(bad)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", path.name]


MOMENTS = (
    "DATE 'infinity'", "DATE '-infinity'", "'0044-03-15 (BC)'::DATE", "DATE '12000-01-01'", "DATE '2020-01-02'",
    "TIMESTAMP 'infinity'", "TIMESTAMP '-infinity'", "'0044-03-15 (BC) 01:02:03'::TIMESTAMP", "TIMESTAMPTZ 'infinity'",
    "TIMESTAMP '2020-01-02 03:04:05.6'", "'2020-01-02 03:04:05.123456789'::TIMESTAMP_NS", "'290000-01-01'::TIMESTAMP_S",
    "NULL::DATE",
)  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
def test_moments_are_as_duckdb_writes_them(lake: Lake, moment: str) -> None:
    """Python's own dates end in the year 9999, begin in the year 1 and know no infinity."""
    wanted = lake.rows(f"SELECT ({moment})::VARCHAR")[0][0]
    query = (
        f"SELECT {moment} AS a, 1 AS n, {moment} AS a, [{moment}] AS l, {{'x y': {moment}, 'n': 1}} AS s, "
        f"MAP {{'k': {moment}}} AS m, [{{'l': [{moment}]}}] AS deep, array_value({moment}) AS r"
    )
    row = json.loads(as_json(lake, query))[0]
    assert row == {
        "a": wanted, "n": 1, "a_1": wanted, "l": [wanted], "s": {"x y": wanted, "n": 1}, "m": {"k": wanted},
        "deep": [{"l": [wanted]}], "r": [wanted],
    }  # fmt: skip
    assert list(csv.reader(io.StringIO(as_csv(lake, query))))[1][0] == (wanted or "")
    assert select(lake, query).head(1)[0][0][0] == wanted
    assert select(lake, "SELECT a FROM (VALUES (DATE '2020-01-02', 2), (DATE '2020-01-01', 1)) v (a, n) ORDER BY n").head(2)[0] == [
        ("2020-01-01",), ("2020-01-02",),
    ]  # fmt: skip
