"""Closure against a plain queue-based one on random graphs, and on the shapes that could hang it."""

import ibis
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ibis_ops.closure import close

START = pa.schema([("task", pa.string()), ("table_name", pa.string()), ("_rowid", pa.int64()), ("reason", pa.string())])
EDGES = pa.schema(
    [
        ("child_table", pa.string()),
        ("child_rowid", pa.int64()),
        ("parent_table", pa.string()),
        ("parent_rowid", pa.int64()),
    ]
)


@pytest.fixture(scope="module")
def con():
    backend = ibis.duckdb.connect()
    yield backend
    backend.disconnect()


def closed(con, start, edges):
    count = 0

    def keep(expression):
        nonlocal count
        count += 1
        table = con.create_table(f"kept_{count}", expression, overwrite=True)
        return table, int(con.to_pyarrow(table.count()).as_py())

    first = ibis.memtable(
        pa.Table.from_pylist([dict(zip(START.names, (*row, "budget"), strict=True)) for row in start], schema=START)
    )
    links = con.create_table(
        "links",
        pa.Table.from_pylist([dict(zip(EDGES.names, row, strict=True)) for row in edges], schema=EDGES),
        overwrite=True,
    )
    table, rounds = close(first, links, keep)
    rows = [tuple(row.values()) for row in table.to_pyarrow().to_pylist()]
    assert len(rows) == len({row[:3] for row in rows}), "a row is selected twice"
    return {row[:3]: row[3] for row in rows}, rounds


def plain(start, edges):
    parents: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for child_table, child, parent_table, parent in edges:
        parents.setdefault((child_table, child), []).append((parent_table, parent))
    found = set(start)
    queue = list(start)
    while queue:
        task, table, row = queue.pop()
        for parent in parents.get((table, row), []):
            if (task, *parent) not in found:
                found.add((task, *parent))
                queue.append((task, *parent))
    return found


node = st.tuples(st.sampled_from("abc"), st.integers(1, 6))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.sets(st.tuples(st.sampled_from("tu"), st.sampled_from("abc"), st.integers(1, 6)), max_size=6),
    edges=st.sets(st.tuples(node, node).map(lambda pair: (*pair[0], *pair[1])), max_size=20),
)
def test_equals_the_plain_closure(con, start, edges):
    found, _ = closed(con, sorted(start), sorted(edges))
    assert set(found) == plain(sorted(start), edges)
    assert {key for key, reason in found.items() if reason == "budget"} == start


@pytest.mark.parametrize(
    ("edges", "rounds", "size"),
    [
        pytest.param([], 0, 1, id="no edges"),
        pytest.param([("a", 1, "a", 1)], 0, 1, id="a row that references itself"),
        pytest.param([("a", 1, "b", 1), ("b", 1, "a", 1)], 1, 2, id="two rows that reference each other"),
        pytest.param([("a", i, "a", i + 1) for i in range(1, 30)], 29, 30, id="a long self-referencing chain"),
        pytest.param([("a", i, "a", i % 30 + 1) for i in range(1, 31)], 29, 30, id="a ring"),
        pytest.param([("a", 1, "b", i) for i in range(1, 6)] + [("a", 1, "c", 1)], 1, 7, id="a polymorphic key"),
        pytest.param([("b", 1, "a", 1)], 0, 1, id="children do not come along"),
    ],
)
def test_shapes(con, edges, rounds, size):
    found, seen = closed(con, [("t", "a", 1)], edges)
    assert (len(found), seen) == (size, rounds)


def test_tasks_do_not_mix(con):
    found, _ = closed(con, [("t", "a", 1), ("u", "a", 2)], [("a", 1, "b", 1), ("a", 2, "b", 2)])
    assert set(found) == {("t", "a", 1), ("t", "b", 1), ("u", "a", 2), ("u", "b", 2)}
