"""Routing: which format shows which table. It sees tables, never the question, its SQL or its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warehouse.ids import derive_seed

FORMATS = ("csv", "json", "sqlite")


@dataclass(frozen=True)
class Descriptor:
    """What routing may know of a table: its name, its size, and why a format cannot hold it (by format)."""

    name: str
    row_count: int
    obstacles: Mapping[str, str]


def route(tables: Sequence[Descriptor], seed: int) -> dict[str, tuple[str, ...]]:
    """The formats to try for each table, best first (DataSpace Algorithm 5, without coverage across tasks).

    Tables are taken in seeded order; each prefers the compatible format that this workspace has used least, ties
    broken by seed. Every table has at least one: SQLite holds anything.
    """
    used = dict.fromkeys(FORMATS, 0)
    order = sorted(tables, key=lambda table: derive_seed(seed, "order", table.name))
    chosen = {}
    for table in order:
        fitting = [name for name in FORMATS if name not in table.obstacles]
        ranked = sorted(fitting, key=lambda name: (used[name], derive_seed(seed, "format", table.name, name)))
        chosen[table.name] = tuple(ranked)
        if ranked:
            used[ranked[0]] += 1
    return chosen
