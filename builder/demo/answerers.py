"""Three scripted answerers for the demo: one right, two with typical faults. They read the released workspace files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from builder.render.certificate import Record, answer_from_files
from eval_sql.draft import gold_csv
from warehouse.errors import BenchlakeError
from warehouse.ids import derive_seed
from warehouse.sqlite_run import Answer, Cell, QueryFailed

Answerer = Callable[[Path, Record, Path, int], bytes | None]


def rebuilder(context: Path, record: Record, scratch: Path, seed: int) -> bytes | None:
    """Rebuilds every relation from the files and runs the gold SQL on them: right wherever the files suffice."""
    answer = answer_from_files(context, record, scratch)
    return gold_csv(answer.names, answer.rows)


def careless(context: Path, record: Record, scratch: Path, seed: int) -> bytes | None:
    """Finds the right table, then hands it in with one of the usual slips, or with none (by seed).

    The slips are those that lead the failures of strong agents: extra or missing columns, lost order, rounding,
    rows cut off (DataSpace, Table 13: M1 to M4).
    """
    answer = answer_from_files(context, record, scratch)
    slips: tuple[Callable[[Answer], Answer], ...] = (_as_is, _index_column, _drop_column, _reverse, _round, _head)
    slip = slips[derive_seed(seed, "careless", record["task_id"]) % len(slips)]
    changed = slip(answer)
    return gold_csv(changed.names, changed.rows)


def shallow(context: Path, record: Record, scratch: Path, seed: int) -> bytes | None:
    """Reads the text files and never opens a database: no prediction where a table it needs is in SQLite."""
    try:
        answer = answer_from_files(context, record, scratch, frozenset({"csv", "json"}))
    except (BenchlakeError, QueryFailed):
        return None
    return gold_csv(answer.names, answer.rows)


ANSWERERS: dict[str, Answerer] = {"rebuilder": rebuilder, "careless": careless, "shallow": shallow}


def _as_is(answer: Answer) -> Answer:
    return answer


def _index_column(answer: Answer) -> Answer:
    return Answer(("", *answer.names), [(number, *row) for number, row in enumerate(answer.rows)])


def _drop_column(answer: Answer) -> Answer:
    if len(answer.names) == 1:
        return _index_column(answer)
    return Answer(answer.names[:-1], [row[:-1] for row in answer.rows])


def _reverse(answer: Answer) -> Answer:
    return Answer(answer.names, answer.rows[::-1])


def _round(answer: Answer) -> Answer:
    def coarse(row: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(round(cell) if isinstance(cell, float) else cell for cell in row)

    return Answer(answer.names, [coarse(row) for row in answer.rows])


def _head(answer: Answer) -> Answer:
    return Answer(answer.names, answer.rows[: max(1, len(answer.rows) * 2 // 3)])
