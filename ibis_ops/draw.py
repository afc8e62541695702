"""Seeded samples of table rows, drawn for many tasks and tables at once."""

import ibis
import ibis.expr.types as ir

# Up to this many rows for each row of the budget, every row is a candidate; above, candidates are drawn.
DENSE = 8
# Draws per wanted row. From more than DENSE rows a row, fewer distinct ones than wanted come once in 10^8 at most
# (eight draws that all hit one of seventeen rows); the budget is soft.
OVERDRAW = 4
HEX_DIGITS = 13


def draw_rows(plan: ir.Table) -> ir.Table:
    """Draw up to `budget` row ordinals of each table for each task (DataSpace Eq. 14).

    plan: (task, table_name, row_count int64 >= 0, budget int64 >= 0, seed string), one row per task and table.
    Returns (task, table_name, ordinal int64 from 1), distinct; all rows of a table not larger than its budget. The draw
    is a function of seed, table and ordinal alone, the same on any engine with MD5; its cost follows the budget and
    not the size of the table.
    """
    small = plan.filter(plan.row_count <= plan.budget * DENSE)
    every = small.mutate(ordinal=ibis.range(1, small.row_count + 1).unnest())
    large = plan.filter(plan.row_count > plan.budget * DENSE)
    tries = large.mutate(number=ibis.range(0, large.budget * OVERDRAW).unnest())
    fraction = _as_number(_digest(tries, tries.number))
    drawn = tries.mutate(ordinal=(1 + fraction % tries.row_count).cast("int64")).drop("number").distinct()
    candidates = every.union(drawn)
    ranked = candidates.mutate(mark=_digest(candidates, candidates.ordinal))
    order = ibis.window(group_by=["task", "table_name"], order_by=["mark", "ordinal"])
    ranked = ranked.mutate(place=ibis.row_number().over(order))
    return ranked.filter(ranked.place < ranked.budget).select("task", "table_name", "ordinal")


def _digest(table: ir.Table, number: ir.IntegerValue) -> ir.StringValue:
    text = table.seed + "/" + table.table_name + "/" + number.cast("string")
    return text.hexdigest("md5")


def _as_number(digest: ir.StringValue) -> ir.IntegerValue:
    """The first 13 hex digits of a digest as a number below 2^52, in arithmetic that every engine has."""
    digits = ibis.literal("0123456789abcdef")
    parts = [
        digits.find(digest.substr(place, 1)).cast("int64") * 16 ** (HEX_DIGITS - 1 - place)
        for place in range(HEX_DIGITS)
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
