"""Column rules as rows of `evaluation.rule`: what decides how a column is read, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from eval_sql.columns import integers, strings, table
from eval_sql.config import ColumnRule, Config

Fields = tuple[str, str | None, int | None, str, bool]


def rule_fields(rule: ColumnRule) -> Fields:
    """(type, mode, digits, unit, allow_percent_sign) of a rule; columns with equal fields are read alike."""
    return rule.type, rule.mode, rule.digits, rule.unit, rule.allow_percent_sign


def rule_tables(configs: Iterable[Config]) -> tuple[pa.Table, pa.Table]:
    """Rules numbered from 1, and for each configuration, by its place, the rule of each gold column.

    Columns: (rule_id, type, mode, digits, unit, allow_percent_sign) with '' and -1 for absent mode and digits, and
    (config_id, gold_index, rule_id).
    """
    ids: dict[Fields, int] = {}
    uses: list[tuple[int, int, int]] = []
    for config_id, config in enumerate(configs):
        for rule in config.columns:
            uses.append((config_id, rule.gold_index, ids.setdefault(rule_fields(rule), len(ids) + 1)))
    rules = table(
        rule_id=integers(list(ids.values())),
        type=strings([fields[0] for fields in ids]),
        mode=strings([fields[1] or "" for fields in ids]),
        digits=integers([-1 if fields[2] is None else fields[2] for fields in ids]),
        unit=strings([fields[3] for fields in ids]),
        allow_percent_sign=integers([fields[4] for fields in ids]),
    )
    config_rules = table(
        config_id=integers([use[0] for use in uses]),
        gold_index=integers([use[1] for use in uses]),
        rule_id=integers([use[2] for use in uses]),
    )
    return rules, config_rules
