"""The lake: opening, transactions, ledger, artifacts, ingest of foreign formats, export."""

from typing import TYPE_CHECKING

from warehouse.errors import BenchlakeError

if TYPE_CHECKING:
    from warehouse.lake import Lake

__all__ = ["BenchlakeError", "Lake"]


def __getattr__(name: str) -> object:
    """`Lake`, imported when it is first asked for: DuckDB takes a quarter of a second that help texts do not need."""
    if name == "Lake":
        from warehouse.lake import Lake

        return Lake
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
