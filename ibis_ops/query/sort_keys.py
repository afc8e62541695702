"""The keys that a query sorts its rows by, as columns of its result: they show which rows it leaves in any order."""

from contextlib import suppress

import sqlglot
from sqlglot import exp

from ibis_ops.query.outline import MAX_SQL_CHARACTERS


def with_sort_keys(sql: str) -> str | None:
    """A SQLite query with the keys of its outermost ORDER BY as further columns at the end.

    None where there is no such ORDER BY, or where its keys cannot be selected so: DISTINCT, UNION and the like, a
    position among the columns of a star, an alias inside of an expression, a collation. The rewritten query may still
    fail or differ in its rows: compare them with those of the query itself.
    """
    tree: object = None
    if len(sql) <= MAX_SQL_CHARACTERS:
        with suppress(sqlglot.errors.SqlglotError, ValueError, RecursionError):
            tree = sqlglot.parse_one(sql, dialect="sqlite")
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return None
    order = tree.args.get("order")
    keys = [_key(tree, ordered.this) for ordered in order.expressions] if isinstance(order, exp.Order) else []
    known = [key for key in keys if key is not None]
    if not keys or len(known) < len(keys):
        return None
    try:
        return tree.select(*known, copy=True).sql(dialect="sqlite")
    except RecursionError:
        return None


def _key(tree: exp.Select, key: exp.Expression) -> exp.Expression | None:
    """What a term of ORDER BY stands for, fit to be selected."""
    if isinstance(key, exp.Literal) and not key.is_string:
        columns = tree.expressions
        place = int(key.this) if str(key.this).isdigit() else 0
        starred = any(column.is_star for column in columns)
        return columns[place - 1].unalias().copy() if not starred and 0 < place <= len(columns) else None
    aliases = {column.alias.lower(): column.this for column in tree.expressions if isinstance(column, exp.Alias)}
    if isinstance(key, exp.Column) and not key.table and key.name.lower() in aliases:
        found: exp.Expression = aliases[key.name.lower()].copy()
        return found
    inner = key.find_all(exp.Column)
    if key.find(exp.Collate) or any(not column.table and column.name.lower() in aliases for column in inner):
        return None
    return key.copy()
