"""The sampling policy: what a person may decide about samples."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warehouse.errors import BenchlakeError
from warehouse.ids import canonical_json, content_id
from warehouse.small_files import read_small

# A policy has four keys; tomllib takes quadratic time on some texts.
MAX_POLICY_BYTES = 16 << 10


@dataclass(frozen=True)
class Policy:
    """Seed, soft budget of rows a table (with exceptions by table name), and attempts a question (K)."""

    seed: int = 7
    budget: int = 200
    attempts: int = 3
    tables: dict[str, int] = field(default_factory=dict)

    @property
    def body(self) -> str:
        """The policy as canonical JSON."""
        return canonical_json(
            {"seed": self.seed, "budget": self.budget, "attempts": self.attempts, "tables": self.tables}
        )

    @property
    def id(self) -> str:
        """Content id of the policy."""
        return content_id("sampling_policy", body=self.body)


def load_policy(path: Path | None) -> Policy:
    """Read a policy from a TOML file; no file gives the defaults.

    Keys: seed (0 to 2^63-1), budget (1 to 100,000), attempts (1 to 20), [tables] name = budget. Raises BenchlakeError
    naming the file and the key for anything else.
    """
    if path is None:
        return Policy()
    try:
        data = tomllib.loads(read_small(path, MAX_POLICY_BYTES).decode())
    except (ValueError, RecursionError) as error:
        raise BenchlakeError(f"{path}: not a TOML policy ({error})") from error
    limits = {"seed": (0, 2**63 - 1), "budget": (1, 100_000), "attempts": (1, 20)}
    for key in data:
        if key not in (*limits, "tables"):
            raise BenchlakeError(
                f"{path}: unknown key {key!r}; a sampling policy has seed, budget, attempts and [tables]"
            )
    for key, (low, high) in limits.items():
        if key in data:
            _whole(path, key, data[key], low, high)
    tables = data.get("tables", {})
    if not isinstance(tables, dict):
        raise BenchlakeError(f"{path}: tables must be a table of name = budget")
    for name, value in tables.items():
        _whole(path, f"tables.{name}", value, 0, 100_000)
    return Policy(**{**data, "tables": dict(sorted(tables.items()))})


def _whole(path: Path, key: str, value: Any, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BenchlakeError(f"{path}: {key} must be a whole number from {low} to {high}")
