"""Relational closure: the parents of selected rows, for all tasks and tables at once (DataSpace A.2.4)."""

from collections.abc import Callable

import ibis
import ibis.expr.types as ir

Keep = Callable[[ir.Table], tuple[ir.Table, int]]


def parents(frontier: ir.Table, edges: ir.Table, selected: ir.Table) -> ir.Table:
    """Rows that the foreign keys of `frontier` point at and `selected` lacks.

    frontier, selected: (task, table_name, _rowid); edges: (child_table, child_rowid, parent_table, parent_rowid).
    Returns (task, table_name, _rowid), distinct.
    """
    match = [frontier.table_name == edges.child_table, frontier["_rowid"] == edges.child_rowid]
    reached = (
        frontier.join(edges, match).select("task", table_name=edges.parent_table, _rowid=edges.parent_rowid).distinct()
    )
    return reached.anti_join(selected, ["task", "table_name", "_rowid"])


def close(start: ir.Table, edges: ir.Table, keep: Keep) -> tuple[ir.Table, int]:
    """The least set that holds `start` and the parent of every row in it, by foreign key.

    start: (task, table_name, _rowid, reason); edges as in `parents`. `keep` executes an expression and returns the
    resulting table with its row count: the fixed point needs each round's result, this module has no connection.
    Returns the closed set with reason 'closure' on added rows, and the number of rounds that added any. Ends on cycles
    and self-references, because every round adds rows of a finite source or stops.
    """
    selected, _ = keep(start)
    frontier = selected
    rounds = 0
    while True:
        found = parents(frontier.select("task", "table_name", "_rowid"), edges, selected)
        frontier, count = keep(found.mutate(reason=ibis.literal("closure")))
        if not count:
            return selected, rounds
        rounds += 1
        selected, _ = keep(selected.union(frontier))
