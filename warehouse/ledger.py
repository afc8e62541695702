"""The ledger: append only, one hash chain per writer (house.md, Schemas)."""

import hashlib
import secrets
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import duckdb

from warehouse.ids import canonical_json

GENESIS = "0" * 64


class Writer:
    """One process's chain of events: each row carries the hash of this writer's row before."""

    def __init__(self) -> None:
        self.writer = secrets.token_hex(8)
        self._sequence = 0
        self._previous = GENESIS
        self._pending: tuple[int, str] | None = None

    def append(self, cursor: duckdb.DuckDBPyConnection, stage: str, detail: dict[str, Any]) -> None:
        """Append an event inside the caller's transaction; `settle` makes it the chain's head after the commit."""
        at = datetime.now(UTC)
        sequence = self._sequence + 1
        text = canonical_json(detail)
        micros = int((at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000_000)
        digest = event_hash(self.writer, sequence, micros, stage, text, self._previous)
        cursor.execute(
            "INSERT INTO ledger.event VALUES (?, ?, make_timestamptz(?), ?, ?, ?, ?)",
            [self.writer, sequence, micros, stage, text, self._previous, digest],
        )
        self._pending = (sequence, digest)

    def settle(self) -> None:
        """The transaction that held the pending event is committed."""
        if self._pending is not None:
            self._sequence, self._previous = self._pending
            self._pending = None


def event_hash(writer: str, sequence: int, micros: int, stage: str, detail: str, previous: str) -> str:
    """SHA-256 over the event's fields, joined by line feeds; `sql/integrity/ledger_chain.sql` computes the same."""
    text = "\n".join((writer, str(sequence), str(micros), stage, detail, previous))
    return hashlib.sha256(text.encode()).hexdigest()


def broken_links(cursor: duckdb.DuckDBPyConnection) -> list[tuple[str, int, str]]:
    """Events whose hash or link is wrong: (writer, sequence, reason)."""
    query = files("sql").joinpath("integrity/ledger_chain.sql").read_text(encoding="utf-8")
    return cursor.execute(query).fetchall()
