"""What an evaluator says about one task, and what it is told about a file that it is not shown."""

from __future__ import annotations

from dataclasses import dataclass

# The version of the reference whose verdicts these are.
EVALUATOR_VERSION = "1.0.0"


@dataclass(frozen=True, slots=True)
class Unusable:
    """A prediction file that is there but cannot be read as a file, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The verdict on one task (evaluator.md, Order of checks, and error codes).

    `column_mapping` holds (gold index, prediction index) pairs and is set only on a pass. Prediction counts are 0
    when there is no readable prediction. `message` says why a task failed, and is empty on a pass.
    `undecided`: the search for a mapping stopped at its bound; the task then counts as wrong, unless a mapping had
    been found, which then need not be the first.
    """

    task_id: str
    passed: bool
    error_code: str | None
    column_mapping: tuple[tuple[int, int], ...] | None
    gold_row_count: int
    prediction_row_count: int
    gold_column_count: int
    prediction_column_count: int
    undecided: bool
    message: str
