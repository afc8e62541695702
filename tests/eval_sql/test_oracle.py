"""The oracle of the property tests agrees with the reference on every public case, and bounds what it does."""

from __future__ import annotations

import ast
import base64
import gzip
import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

import evaluator_strategies as tables
import plain_evaluator
import pytest
from hypothesis import given, settings
from plain_evaluator import BadGold, TooManyMappings, Verdict, canonical, evaluate, evaluate_tree

Case = dict[str, Any]

TEXT = {"schema_version": "1.0", "task_id": "task_1", "order_sensitive": False}


def config_of(*types: str) -> dict[str, Any]:
    columns = [{"gold_index": index, "gold_name": "g", "type": name} for index, name in enumerate(types)]
    return TEXT | {"columns": columns}


def number(mode: str, **more: Any) -> dict[str, Any]:
    digits = {} if mode == "integer" else {"digits": more.pop("digits")}
    return {"type": "number", "comparison": {"mode": mode, **digits}, **more}


def body(case: Case, side: str) -> bytes | None:
    if f"{side}_b64" in case:
        return base64.b64decode(case[f"{side}_b64"])
    text = case.get(f"{side}_csv")
    return None if text is None else text.encode("utf-8")


def described(verdict: Verdict) -> dict[str, Any]:
    mapping = verdict.column_mapping
    pairs = mapping and [{"gold_index": j, "prediction_index": k} for j, k in enumerate(mapping)]
    return {
        "passed": verdict.passed,
        "error_code": verdict.error_code,
        "column_mapping": pairs,
        "gold_rows": verdict.gold_rows,
        "prediction_rows": verdict.prediction_rows,
    }


def test_every_public_case_agrees(shared: Path) -> None:
    """All families, limits and large included: two seconds in all. Where the reference dies, either answer will do."""
    wrong, seen = [], 0
    with gzip.open(shared / "conformance" / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            seen += 1
            gold = body(case, "gold")
            assert gold is not None
            verdict = evaluate(case["config"], gold, body(case, "prediction"))
            columns = {"gold": verdict.gold_columns, "prediction": verdict.prediction_columns}
            fits = described(verdict) in case.get("acceptable", [case["expected"]])
            if not fits or columns != case.get("expected_columns", columns):
                wrong.append(f"{case['case_id']} {case.get('note') or ''}: {verdict}")
    assert seen > 2000
    assert not wrong, "\n".join(wrong[:10])


def test_the_oracle_stands_alone() -> None:
    tree = ast.parse(Path(plain_evaluator.__file__).read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


def test_files_are_read_as_the_specification_says(tmp_path: Path) -> None:
    predictions, gold, configs = (tmp_path / name for name in ("predictions", "gold", "configs"))
    elsewhere = tmp_path / "elsewhere"
    for folder in (predictions, gold, configs, elsewhere):
        folder.mkdir()
    (elsewhere / "prediction.csv").write_bytes(b"p\nx\n")
    for task in range(1, 9):
        (configs / f"task_{task}.json").write_text(json.dumps(config_of("text") | {"task_id": f"task_{task}"}))
        (gold / f"task_{task}").mkdir()
        (gold / f"task_{task}" / "gold.csv").write_bytes(b"g\nx\n")
        if task not in (2, 3):
            (predictions / f"task_{task}").mkdir()
    (predictions / "task_1" / "prediction.csv").write_bytes(b"p\nx\n")
    (predictions / "task_3").symlink_to(elsewhere)
    (predictions / "task_4" / "prediction.csv").symlink_to(elsewhere / "prediction.csv")
    (predictions / "task_5" / "prediction.csv").symlink_to(elsewhere / "absent.csv")
    (predictions / "task_6" / "prediction.csv").mkdir()
    with (predictions / "task_7" / "prediction.csv").open("wb") as large:
        large.truncate(plain_evaluator.MAX_BYTES + 1)
    verdicts = evaluate_tree(predictions, gold, configs)
    missing, invalid = "missing_prediction", "invalid_prediction_csv"
    assert [verdict.error_code for verdict in verdicts.values()] == [
        None, missing, None, invalid, missing, invalid, invalid, missing,
    ]  # fmt: skip
    (gold / "task_8" / "gold.csv").write_bytes(b"g\n\n")
    with pytest.raises(BadGold):
        evaluate_tree(predictions, gold, configs)


@pytest.mark.parametrize("text", ["1e999999999", "-1e-999999999", "9" * 2**21, "1." + "0" * 2**21, "1" * 2**20 + "x"])
def test_hostile_numbers_cost_little(text: str) -> None:
    started = process_time()
    for rule in (number("integer"), number("decimal_places", digits=2), number("significant_digits", digits=12)):
        try:
            assert canonical(rule, text) != canonical(rule, "1") or text.startswith("1.0")
        except ValueError:
            continue
    assert process_time() - started < 5


def test_an_ambiguous_table_ends_in_an_error() -> None:
    """Ten columns that all hold a and b; the prediction pairs them in another number of ways."""
    config = config_of(*["text"] * 10)
    gold = "\n".join(["x," * 9 + "x", "a," * 9 + "b", "b," * 9 + "a", ""]).encode()
    other = "\n".join(["x," * 9 + "x", "a," * 8 + "b,b", "b," * 8 + "a,a", ""]).encode()
    assert evaluate(config, gold, gold).column_mapping == tuple(range(10))
    with pytest.raises(TooManyMappings):
        evaluate(config, gold, other)


@given(tables.rewritten())
@settings(deadline=None)
def test_a_rewritten_table_passes(case: tables.Rewritten) -> None:
    verdict = evaluate(case.config, case.gold, case.prediction)
    assert verdict.passed
    assert verdict.column_mapping is not None
    assert verdict.column_mapping <= case.mapping


@given(tables.mutated())
@settings(deadline=None)
def test_a_mutated_table_does_not_pass_under_its_own_mapping(case: tables.Rewritten) -> None:
    verdict = evaluate(case.config, case.gold, case.prediction)
    assert verdict.column_mapping != case.mapping
