"""How far every stage is, and what the lake holds: the two questions everybody asks first."""

from typing import Any

from warehouse.errors import BenchlakeError
from warehouse.ids import qualified
from warehouse.lake import Lake
from warehouse.queries import query
from warehouse.shown import shown

STAGES = ("ingest", "sample", "render", "run", "score")


def require_corpus(lake: Lake, corpus: str | None) -> None:
    """Raise BenchlakeError, naming the corpora that the lake has, when it does not have this one; None is any."""
    if corpus is None:
        return
    corpora = (
        "SELECT corpus FROM source.db UNION SELECT corpus FROM ledger.outcome "
        "UNION SELECT corpus FROM evaluation.suite_task"
    )
    known = {row[0] for row in lake.rows(corpora)}
    if corpus not in known:
        names = ", ".join(sorted(name for name in known if name is not None)) or "none"
        raise BenchlakeError(f"the lake has no corpus {shown(repr(corpus))}; it has: {shown(names)[:500]}")


def stage_status(lake: Lake, corpus: str | None = None) -> dict[str, dict[str, Any]]:
    """For every stage: {"accepted": n, "rejected": n, "pending": n, "codes": {code: n}}.

    Items are questions (ingest, sample), tasks (render) and tasks of runs (run, score); for score, accepted means
    passed. Raises BenchlakeError when the corpus does not exist.
    """
    require_corpus(lake, corpus)
    status: dict[str, dict[str, Any]] = {
        stage: {"accepted": 0, "rejected": 0, "pending": 0, "codes": {}} for stage in STAGES
    }
    rows = lake.rows(
        "SELECT stage, status, code, sum(items)::BIGINT FROM ledger.stage_status "
        "WHERE $1 IS NULL OR corpus = $1 GROUP BY ALL ORDER BY ALL",
        [corpus],
    )
    for stage, state, code, items in rows:
        status[stage][state] += items
        if code is not None:
            status[stage]["codes"][code] = status[stage]["codes"].get(code, 0) + items
    return status


def event_count(lake: Lake) -> int:
    """Events in the ledger: a command after which it is the same has changed nothing."""
    return int(lake.rows("SELECT count(*) FROM ledger.event")[0][0])


def list_tables(lake: Lake) -> list[dict[str, Any]]:
    """Every table and view of the lake: schema, name, kind, rows, grain and comment, in order of schema and name."""
    found = lake.rows(query("integrity/relations"))
    counts: dict[tuple[str, str], int] = {}
    for start in range(0, len(found), 100):
        parts = [
            f"SELECT {number}, (SELECT count(*) FROM {qualified(row[0], row[1])})"
            for number, row in enumerate(found[start : start + 100], start=start)
        ]
        for number, count in lake.rows(" UNION ALL ".join(parts)):
            counts[(found[number][0], found[number][1])] = count
    return [
        {
            "schema": schema, "name": name, "kind": kind, "rows": counts[(schema, name)], "grain": grain,
            "comment": comment,
        }
        for schema, name, kind, comment, grain in found
    ]  # fmt: skip
