"""Names from outside, in messages."""

from pathlib import Path


def shown(name: str | Path) -> str:
    """A name for a message: on one line, and nothing in it that acts on a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(name))


def plural(count: int, thing: str) -> str:
    """A count of things in words: "1 row", "2 rows"."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
