"""Which rows a batch of tasks gets: seeded budgets, then closure, over the lake's integer keys."""

from dataclasses import dataclass

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.compute as pc

from builder.sample.policy import Policy
from ibis_ops.closure import close
from ibis_ops.draw import draw_rows
from warehouse.ids import qualified
from warehouse.lake import Lake
from warehouse.queries import query


@dataclass(frozen=True)
class Selection:
    """Rows of one batch: an Arrow table (task, table_name, _rowid, reason), and by task and table how many selected
    rows that break a declared key in the source: {task: {(table, position): count}}.
    """

    rows: pa.Table
    violations: dict[str, dict[tuple[str, int], int]]

    def of(self, task: str) -> dict[str, pa.Table]:
        """Rows of one task by table name, in order of _rowid."""
        own = self.rows.filter(pc.equal(self.rows["task"], task))
        names = pc.unique(own["table_name"]).to_pylist()
        return {name: own.filter(pc.equal(own["table_name"], name)) for name in names}


class Selector:
    """Selects rows of one database; keeps its key edges at hand for all batches."""

    def __init__(self, lake: Lake, db: str) -> None:
        self.db = db
        self._ibis = lake.ibis()
        self._cursor = self._ibis.con
        self._cursor.execute(f"CREATE TEMP TABLE edge AS {query('sample/edges')}", [db])
        self._map_ordinals()
        self._kept = 0

    def _map_ordinals(self) -> None:
        """Map ordinals to row ids where a table's row ids have gaps; the others need no map."""
        self._cursor.execute("CREATE TEMP TABLE ordinal_rowid (table_name VARCHAR, ordinal BIGINT, _rowid BIGINT)")
        gaps = self._cursor.execute(query("sample/gaps"), [self.db]).fetchall()
        for schema, lake_table, name in gaps:
            self._cursor.execute(
                "INSERT INTO ordinal_rowid SELECT ?, row_number() OVER (ORDER BY _rowid), _rowid "
                f"FROM {qualified(schema, lake_table)}",
                [name],
            )

    def select(self, tasks: list[tuple[str, int]], policy: Policy) -> Selection:
        """Rows for (task, seed) pairs under a policy."""
        batch = pa.table({
            "task": pa.array([task for task, _ in tasks], pa.string()),
            "seed": pa.array([str(seed) for _, seed in tasks], pa.string()),
            "budget": pa.array([policy.budget] * len(tasks), pa.int64()),
        })  # fmt: skip
        budgets = pa.table({
            "table_name": pa.array(list(policy.tables), pa.string()),
            "budget": pa.array(list(policy.tables.values()), pa.int64()),
        })  # fmt: skip
        cursor = self._cursor
        cursor.register("batch", batch)
        cursor.register("table_budget", budgets)
        cursor.execute(f"CREATE OR REPLACE TEMP TABLE plan AS {query('sample/plan')}", [self.db])
        plan = self._temporary("plan")
        self._kept = 0
        drawn = draw_rows(plan.select("task", "table_name", "row_count", "budget", "seed"))
        start = self._to_rowids(drawn, plan).mutate(reason=ibis.literal("budget"))
        edges = self._temporary("edge")
        closed, _ = close(start, edges, self._keep)
        rows = closed.order_by(["task", "table_name", "_rowid"]).to_pyarrow()
        cursor.register("selected", rows)
        broken: dict[str, dict[tuple[str, int], int]] = {}
        for task, table, position, count in cursor.execute(query("sample/violations"), [self.db]).fetchall():
            broken.setdefault(task, {})[(table, position)] = count
        for name in ("batch", "table_budget", "selected"):
            cursor.unregister(name)
        for number in range(1, self._kept + 1):
            cursor.execute(f"DROP TABLE IF EXISTS temp.kept_{number}")
        return Selection(rows, broken)

    def close(self) -> None:
        """Give the cursor back."""
        self._ibis.disconnect()

    def _to_rowids(self, drawn: ir.Table, plan: ir.Table) -> ir.Table:
        spans = plan.select("task", "table_name", "first_rowid", "dense")
        joined = drawn.join(spans, ["task", "table_name"])
        dense = joined.filter(joined.dense).select(
            "task", "table_name", _rowid=(joined.first_rowid + joined.ordinal - 1).cast("int64")
        )
        ordinals = self._temporary("ordinal_rowid")
        sparse = joined.filter(~joined.dense).select("task", "table_name", "ordinal")
        mapped = sparse.join(ordinals, ["table_name", "ordinal"]).select("task", "table_name", "_rowid")
        return dense.union(mapped)

    def _keep(self, expression: ir.Table) -> tuple[ir.Table, int]:
        """Execute an expression into a temporary table; the statement itself answers with the number of rows."""
        self._kept += 1
        name = f"kept_{self._kept}"
        made = self._cursor.execute(f"CREATE TEMP TABLE {name} AS {self._ibis.compile(expression)}").fetchone()
        return self._temporary(name), int(made[0])

    def _temporary(self, name: str) -> ir.Table:
        return self._ibis.table(name, database=("temp", "main"))
