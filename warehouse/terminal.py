"""How results look to people and machines: tables, progress bars, reports. Data to stdout, narration to stderr."""

import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass

from warehouse.shown import shown

NOTHING_TO_DO = "nothing to do: the lake holds all of it already"
# A pipe has no width of its own; cells must not be folded for it.
PIPE_WIDTH = 100_000
# A table is for looking at; longer cells are cut, and --csv or --json give them whole.
MAX_CELL = 1_000
_NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?%?|")

Progress = Callable[[str, int, int], None]


def say(text: str) -> None:
    """One line of narration."""
    sys.stderr.write(f"{shown(text)}\n")


def print_json(value: object) -> None:
    """A value as indented JSON."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_report(report: object, lines: Sequence[str], *, as_json: bool, changed: bool = True) -> None:
    """A report, a dataclass, as lines or as JSON; says so when nothing was changed."""
    if as_json:
        assert is_dataclass(report) and not isinstance(report, type)
        print_json({**asdict(report), "changed": changed})
        return
    for line in lines:
        sys.stdout.write(f"{shown(line)}\n")
    if not changed:
        say(NOTHING_TO_DO)


def report_lines(report: object) -> list[str]:
    """The fields of a report, one a line."""
    assert is_dataclass(report) and not isinstance(report, type)
    return [f"{name.replace('_', ' ')}: {value}" for name, value in asdict(report).items()]


def print_table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Rows under a header; columns of numbers are aligned to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    texts = [["" if cell is None else _cell(cell) for cell in row] for row in rows]
    for place, name in enumerate(names):
        numeric = bool(texts) and all(_NUMBER.fullmatch(row[place]) for row in texts)
        table.add_column(Text(shown(str(name))), justify="right" if numeric else "left", overflow="fold")
    for row in texts:
        table.add_row(*map(Text, row))
    # Through a buffer: rich ends the program itself, with the exit code of a failed check, when a reader goes away.
    buffer = io.StringIO()
    width = Console().width if sys.stdout.isatty() else PIPE_WIDTH
    Console(width=width, highlight=False, file=buffer).print(table)
    sys.stdout.write(buffer.getvalue())


def _cell(cell: object) -> str:
    text = str(cell)
    cut = text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…"
    return "\n".join(shown(line) for line in cut.split("\n"))


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """A progress bar on stderr when that is a terminal; called with (what, done, total)."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda what, done, total: bar.update(task, description=shown(what)[:40], completed=done, total=total)


def counted(bar: Progress, what: str) -> Callable[[int, int], None]:
    """A progress bar for one kind of item, called with (done, total)."""
    return lambda done, total: bar(what, done, total)
