"""CHECK expressions of a CREATE TABLE statement, found in its text and kept as they stand there."""

import re

from warehouse.sqlite_schema import Definition, Table

# SQLite's tokens as far as they can hide a bracket or the word CHECK: quoted names and strings, comments, words.
_TOKEN = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?(?:\*/|\Z)|[A-Za-z0-9_$\x80-\U0010ffff]+|[()]""",
    re.DOTALL,
)


def checks(table: Table) -> list[Definition]:
    """The CHECK constraints of a table, in order of their text; `sql` is the expression without its brackets."""
    found: list[str] = []
    # Word CHECK seen; then, inside its brackets, how deep they are and where they open.
    waiting, depth, start = False, 0, 0
    for token in _TOKEN.finditer(table.sql):
        text = token.group()
        if depth:
            depth += {"(": 1, ")": -1}.get(text, 0)
            if not depth:
                found.append(table.sql[start : token.start()].strip())
        elif text == "(" and waiting:
            waiting, depth, start = False, 1, token.end()
        elif not text.startswith(("--", "/*")):
            waiting = text.lower() == "check"
    return [Definition("check", f"{table.name}:{number}", table.name, number, sql) for number, sql in enumerate(found)]
