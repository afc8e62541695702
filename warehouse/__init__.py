"""The lake: opening, transactions, ledger, artifacts, ingest of foreign formats, export."""

from warehouse.errors import BenchlakeError
from warehouse.lake import Lake

__all__ = ["BenchlakeError", "Lake"]
