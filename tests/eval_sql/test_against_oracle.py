"""The product against the oracle of tests/support, on tables that no one thought of: batches of drawn tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import evaluator_strategies as tables
import plain_evaluator
from evaluator_strategies import Rewritten
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_sql.config import parse_config
from eval_sql.evaluate import Case, evaluate
from eval_sql.result import TaskResult


def judged(tasks: Sequence[tuple[Any, bytes, bytes]]) -> list[TaskResult]:
    """The product's verdicts on (configuration, gold, prediction)."""
    return evaluate(
        [
            Case(parse_config(json.dumps(config).encode(), config["task_id"]), gold, prediction)
            for config, gold, prediction in tasks
        ]
    )


def shown(result: TaskResult) -> tuple[object, ...]:
    mapping = result.column_mapping
    return (
        result.passed, result.error_code, mapping and tuple(k for _, k in mapping), result.gold_row_count,
        result.prediction_row_count, result.gold_column_count, result.prediction_column_count,
    )  # fmt: skip


def assert_like_the_oracle(tasks: Sequence[tuple[Any, bytes, bytes]]) -> list[TaskResult]:
    found = judged(tasks)
    for (config, gold, prediction), result in zip(tasks, found, strict=True):
        assert not result.undecided
        wanted = tuple(plain_evaluator.evaluate(config, gold, prediction))
        assert shown(result) == wanted, (config, gold, prediction)
    return found


# One judgement takes as long as forty, so an example is a batch.
def batches(task: st.SearchStrategy[Rewritten]) -> st.SearchStrategy[list[Rewritten]]:
    return st.lists(task, min_size=1, max_size=40)


@settings(deadline=None, max_examples=20)
@given(batches(tables.rewritten()))
def test_the_same_relation_in_other_words_passes(batch: list[Rewritten]) -> None:
    for task, result in zip(batch, assert_like_the_oracle([task[:3] for task in batch]), strict=True):
        assert result.passed and result.column_mapping is not None
        assert tuple(k for _, k in result.column_mapping) <= task.mapping


@settings(deadline=None, max_examples=25)
@given(batches(tables.mutated()))
def test_one_change_is_seen_where_the_oracle_sees_it(batch: list[Rewritten]) -> None:
    """One cell, multiplicity, association or place changed: another mapping may yet fit, and the oracle knows."""
    assert_like_the_oracle([task[:3] for task in batch])


@st.composite
def rearranged(draw: st.DrawFn) -> tuple[Rewritten, Rewritten]:
    """A prediction, right or wrong, and the same one with cells respelled and columns and free rows in other places."""
    config, rows = draw(tables.gold_tables())
    other = tables.mutate(draw, config, rows) if draw(st.booleans()) else rows
    return tables.arranged(draw, config, rows, other), tables.arranged(draw, config, rows, other)


@settings(deadline=None, max_examples=12)
@given(st.lists(rearranged(), min_size=1, max_size=30))
def test_order_and_spelling_never_change_a_verdict(batch: list[tuple[Rewritten, Rewritten]]) -> None:
    results = judged([task[:3] for both in batch for task in both])
    for both, one, other in zip(batch, results[::2], results[1::2], strict=True):
        assert (one.passed, one.error_code) == (other.passed, other.error_code), both


@st.composite
def crossed(draw: st.DrawFn) -> tuple[Any, bytes, bytes]:
    """The gold of one table and any other table as its prediction: every code, and readings under every rule."""
    config, rows = draw(tables.gold_tables())
    _, others = draw(tables.gold_tables())
    gold = tables.to_csv(draw, ["g"] * len(config["columns"]), rows)
    width = draw(st.sampled_from([len(config["columns"])] * 4 + [len(others[0]) if others else 1]))
    cells = [cell for row in others for cell in row] or ["1"]
    height = draw(st.sampled_from([len(rows)] * 4 + [len(others)]))
    table = [[draw(st.sampled_from(cells)) for _ in range(width)] for _ in range(height)]
    return config, gold, tables.to_csv(draw, ["p"] * width, table)


@settings(deadline=None, max_examples=12)
@given(st.lists(crossed(), min_size=1, max_size=40))
def test_any_two_tables_get_the_oracles_verdict(batch: list[tuple[Any, bytes, bytes]]) -> None:
    assert_like_the_oracle(batch)
