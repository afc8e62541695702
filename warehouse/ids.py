"""Names and numbers derived from content: ids, seeds, digests, quoted identifiers."""

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no blanks: the one text form whose hash defines a thing."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def content_id(kind: str, /, **parts: Any) -> str:
    """First 16 hex digits of SHA-256 over the canonical JSON of what defines a thing (house.md, Schemas)."""
    return hashlib.sha256(canonical_json([kind, parts]).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def derive_seed(base: int, *names: str | int) -> int:
    """A 63-bit seed from the base seed and names: the only source of randomness (house.md, rule 1)."""
    text = canonical_json([base, *names])
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1


def quote(identifier: str) -> str:
    """An identifier quoted for SQLite and DuckDB: the one way names from outside reach SQL text."""
    return '"' + identifier.replace('"', '""') + '"'


def qualified(schema: str, table: str) -> str:
    """`schema.table`, both quoted."""
    return f"{quote(schema)}.{quote(table)}"
