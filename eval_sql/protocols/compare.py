"""Results of SQL against each other: by our rules and by those of BIRD and of Spider's test suite.

What the published rules get wrong, and ours does not: BIRD compares sets, so lost or repeated rows pass, order never
counts, and columns must stand in the gold's order. Spider's test suite takes any two empty results for equal, asks for
order wherever the gold says "order by", be it in a subquery, and asks it of rows that tie. To both, 0.1 + 0.2 is no
0.3.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eval_sql.config import MAX_COLUMNS, Config, parse_config
from eval_sql.draft import Unrepresentable, draft_config, gold_csv
from eval_sql.evaluate import Case, evaluate
from eval_sql.result import TaskResult
from warehouse.sqlite_run import Answer, Cell

# Binary fractions that right computations agree on (eval_sql/draft.py).
_SIGNIFICANT = {"mode": "significant_digits", "digits": 12}
# Each comparison is a task of its own: its name says nothing.
_TASK = "task_1"

Rows = Sequence[Sequence[Cell]]


class Comparison(NamedTuple):
    """A gold table and a predicted one, under a configuration."""

    config: Config
    gold: bytes
    prediction: bytes


@dataclass(frozen=True)
class Gold:
    """A gold result and how it is compared.

    `blocks` numbers its rows such that those which the ORDER BY leaves in any order share a number; None where order
    does not count, or counts for every row. `config` and `table` are of the rows with these numbers as last column.
    `says_order_by`: what Spider's rule goes by.
    """

    answer: Answer
    blocks: list[int] | None
    says_order_by: bool
    config: Config
    table: bytes


def as_gold(answer: Answer, *, ordered: bool, blocks: list[int] | None, says_order_by: bool) -> Gold:
    """A gold result made ready. Raises Unrepresentable when it cannot be a table file."""
    # A table that is as wide as one may be has no room for them: then order counts for every row.
    if blocks is not None and (len(set(blocks)) == len(blocks) or len(answer.names) >= MAX_COLUMNS):
        blocks = None
    rows = _numbered(answer.rows, blocks)
    width = len(answer.names) + (blocks is not None)
    config = _config(rows, width, ordered=ordered and blocks is None)
    return Gold(answer, blocks, says_order_by, config, _table(rows, width))


def shape_mismatch(gold: Gold, answer: Answer) -> tuple[str | None, str | None]:
    """The evaluator's code and a sentence where numbers of columns or rows differ; (None, None) where they do not."""
    for what, wanted, found in (
        ("column", len(gold.answer.names), len(answer.names)),
        ("row", len(gold.answer.rows), len(answer.rows)),
    ):
        if wanted != found:
            return f"{what}_count_mismatch", f"the prediction has {found} {what}s, gold has {wanted}"
    return None, None


def our_comparison(gold: Gold, answer: Answer) -> Comparison:
    """Bags of rows, or sequences where order is asked for, up to the order of columns; numbers to twelve digits.

    The shapes are equal. Raises Unrepresentable when the predicted result cannot be a table file.
    """
    width = len(answer.names) + (gold.blocks is not None)
    return Comparison(gold.config, gold.table, _table(_numbered(answer.rows, gold.blocks), width))


def bird_equal(gold: Gold, answer: Answer) -> bool:
    """The rule of BIRD: equal sets of rows, as Python compares values."""
    return set(gold.answer.rows) == set(answer.rows)


def spider_comparison(gold: Gold, answer: Answer) -> Comparison | bool | None:
    """The rule of Spider's test suite: bags or sequences, up to the order of columns, as Python compares values.

    A verdict where shapes decide; None where a result is too large to be compared so.
    """
    if not gold.answer.rows and not answer.rows:
        return True
    if len(gold.answer.rows) != len(answer.rows) or len(gold.answer.names) != len(answer.names):
        return False
    width = len(answer.names)
    columns = [{"gold_index": place, "gold_name": "", "type": "text"} for place in range(width)]
    body = {"schema_version": "1.0", "task_id": _TASK, "order_sensitive": gold.says_order_by, "columns": columns}
    try:
        tables = [
            _table([list(map(_python_value, row)) for row in rows], width) for rows in (gold.answer.rows, answer.rows)
        ]
    except Unrepresentable:
        return None
    return Comparison(parse_config(json.dumps(body).encode(), _TASK), *tables)


def compare(comparisons: Sequence[Comparison]) -> list[TaskResult]:
    """The evaluator's verdict on each. Runs often give the same result: each is judged once."""
    distinct = list(dict.fromkeys(comparisons))
    verdicts = dict(zip(distinct, evaluate([Case(*comparison) for comparison in distinct]), strict=True))
    return [verdicts[comparison] for comparison in comparisons]


def _python_value(cell: Cell) -> str:
    """One text for all values that Python holds equal, such that the evaluator's rule for texts leaves it as it is."""
    if isinstance(cell, bytes):
        return f"x{cell.hex()}"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return json.dumps(cell)


def _config(rows: Rows, width: int, *, ordered: bool) -> Config:
    """The draft for such values, but no number is rounded to fewer than twelve digits: a gold of 3.0 is not 2.96."""
    body = draft_config(_TASK, _names(width), rows, ordered)
    for column in body["columns"]:
        if column.get("comparison", {}).get("mode") == "decimal_places":
            column["comparison"] = _SIGNIFICANT
    return parse_config(json.dumps(body).encode(), _TASK)


def _table(rows: Rows, width: int) -> bytes:
    return gold_csv(_names(width), rows)


def _names(width: int) -> list[str]:
    # Headers are never compared, and those of predicted SQL may hold anything.
    return [f"c{place}" for place in range(width)]


def _numbered(rows: Rows, blocks: Sequence[int] | None) -> Rows:
    return rows if blocks is None else [[*row, block] for row, block in zip(rows, blocks, strict=True)]
