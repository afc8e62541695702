"""Seeded draws: set, size and distribution."""

import ibis
import pyarrow as pa
import pytest

from ibis_ops.draw import draw_rows


@pytest.fixture(scope="module")
def con():
    backend = ibis.duckdb.connect()
    yield backend
    backend.disconnect()


def drawn(con, rows):
    schema = pa.schema(
        [
            ("task", pa.string()),
            ("table_name", pa.string()),
            ("row_count", pa.int64()),
            ("budget", pa.int64()),
            ("seed", pa.string()),
        ]
    )
    names = [field.name for field in schema]
    plan = ibis.memtable(pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schema=schema))
    found = con.to_pyarrow(draw_rows(plan)).to_pylist()
    result: dict[tuple[str, str], list[int]] = {}
    for row in found:
        result.setdefault((row["task"], row["table_name"]), []).append(row["ordinal"])
    return {key: sorted(value) for key, value in result.items()}


@pytest.mark.parametrize(
    ("row_count", "budget", "expected"),
    [
        (0, 10, 0),
        (5, 10, 5),
        (10, 10, 10),
        (11, 10, 10),
        (320, 10, 10),
        (321, 10, 10),
        (10_000_000, 10, 10),
        (2**40, 1, 1),
        (100, 0, 0),
    ],
)
def test_size_and_range(con, row_count, budget, expected):
    ordinals = drawn(con, [("t", "a", row_count, budget, "1")]).get(("t", "a"), [])
    assert len(ordinals) == len(set(ordinals)) == expected
    assert all(1 <= ordinal <= row_count for ordinal in ordinals)


def test_small_tables_are_whole(con):
    assert drawn(con, [("t", "a", 7, 7, "1")])[("t", "a")] == list(range(1, 8))


def test_function_of_seed_and_table_only(con):
    one = drawn(con, [("t", "a", 5000, 20, "1")])
    many = drawn(
        con, [("u", "b", 300, 5, "9"), ("t", "a", 5000, 20, "1"), ("t", "b", 5000, 20, "1"), ("v", "a", 5000, 20, "2")]
    )
    assert many[("t", "a")] == one[("t", "a")]
    assert many[("t", "b")] != many[("t", "a")]
    assert many[("v", "a")] != many[("t", "a")]


@pytest.mark.parametrize("row_count", [200, 4000])
def test_no_row_is_favoured(con, row_count):
    """Over many seeds each quarter of the table is drawn about equally often, on both paths."""
    found = drawn(con, [(str(seed), "a", row_count, 10, str(seed)) for seed in range(400)])
    quarters = [0, 0, 0, 0]
    for ordinals in found.values():
        for ordinal in ordinals:
            quarters[(ordinal - 1) * 4 // row_count] += 1
    assert sum(quarters) == 4000
    assert all(880 <= quarter <= 1120 for quarter in quarters), quarters
