"""The outline of a gold query: what its outermost block says about order, rows and time."""

from dataclasses import dataclass

import sqlglot
from sqlglot import exp

MAX_SQL_CHARACTERS = 1 << 20
DATE_FUNCTIONS = frozenset({"date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"})


class NotAQuery(Exception):
    """SQL text that is not one reading query: `code` is sql_unparsable or sql_not_a_query."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Outline:
    """`ordered`: the outermost query has an ORDER BY; `limit`: its LIMIT when that is a number;
    `clock`: the expression that reads the present time, None when there is none."""

    ordered: bool
    limit: int | None
    clock: str | None


def outline(sql: str) -> Outline:
    """Parse one SQLite query and outline it. Raises NotAQuery."""
    if len(sql) > MAX_SQL_CHARACTERS:
        raise NotAQuery("sql_unparsable", f"the SQL is longer than {MAX_SQL_CHARACTERS} characters")
    try:
        statements = [tree for tree in sqlglot.parse(sql, dialect="sqlite") if tree is not None]
    except (sqlglot.errors.SqlglotError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise NotAQuery("sql_unparsable", f"the SQL does not parse: {first[:200]}") from error
    except RecursionError as error:
        raise NotAQuery("sql_unparsable", "the SQL is nested too deeply") from error
    statements = [tree for tree in statements if not isinstance(tree, exp.Semicolon)]
    if len(statements) != 1:
        raise NotAQuery("sql_not_a_query", f"the SQL holds {len(statements)} statements, not one")
    tree = statements[0]
    if not isinstance(tree, exp.Query):
        raise NotAQuery("sql_not_a_query", f"the statement is {tree.key.upper()}, not a query")
    outer: exp.Query = tree
    while isinstance(outer, exp.Subquery) and not outer.args.get("order") and isinstance(outer.this, exp.Query):
        outer = outer.this
    return Outline(outer.args.get("order") is not None, _limit(outer), _clock(tree))


def _limit(tree: exp.Query) -> int | None:
    limit = tree.args.get("limit")
    value = limit.args.get("expression") if isinstance(limit, exp.Limit) else None
    if isinstance(value, exp.Literal) and not value.is_string and str(value.this).isdigit():
        return int(value.this)
    return None


def _clock(tree: exp.Query) -> str | None:
    for node in tree.walk():
        if isinstance(node, exp.CurrentDate | exp.CurrentTime | exp.CurrentTimestamp):
            return node.sql(dialect="sqlite")
        if (
            isinstance(node, exp.Literal)
            and node.is_string
            and node.this.strip().lower() == "now"
            and isinstance(node.parent, exp.Func)
        ):
            return node.parent.sql(dialect="sqlite")
        if isinstance(node, exp.Func) and _name(node) in DATE_FUNCTIONS and not list(node.iter_expressions()):
            return node.sql(dialect="sqlite")
    return None


def _name(node: exp.Func) -> str:
    return node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_name().lower()
