"""Files of question sets as text and JSON, within limits: whatever is wrong with a file is one clear line."""

import json
from pathlib import Path
from typing import cast

from warehouse.errors import BenchlakeError
from warehouse.questions.model import Json

MAX_FILE_BYTES = 256 * 1024 * 1024


class _RepeatedKey(ValueError):
    """A JSON object that gives one name twice."""


def read_text(path: Path, expected: str) -> str:
    """The file's UTF-8 text, without a byte order mark.

    `expected` completes the message. Raises BenchlakeError: missing, a folder, unreadable, too large or not UTF-8.
    """
    try:
        if path.is_dir():
            raise BenchlakeError(f"{path}: is a folder; expected {expected}")
        if not path.is_file():
            state = "is not a regular file" if path.exists() else "no such file"
            raise BenchlakeError(f"{path}: {state}; expected {expected}")
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BenchlakeError(f"{path}: cannot be read ({error.strerror}); expected {expected}") from error
    if len(raw) > MAX_FILE_BYTES:
        raise BenchlakeError(f"{path}: larger than {MAX_FILE_BYTES:,} bytes, the limit; split the file")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BenchlakeError(f"{path}: not UTF-8 at byte {error.start}; expected {expected}") from error


def load_json(path: Path, expected: str, *, unique_keys: bool = False) -> Json:
    """The file's JSON value; with `unique_keys` an object that gives one name twice is refused.

    Raises BenchlakeError as `read_text`, and when the text is not JSON or is nested too deep.
    """
    text = read_text(path, expected)
    try:
        return cast(Json, json.loads(text, object_pairs_hook=_unique if unique_keys else None))
    except RecursionError as error:
        raise BenchlakeError(f"{path}: JSON is nested too deep; expected {expected}") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BenchlakeError(f"{path}: not JSON at {where} ({error.msg}); expected {expected}") from error
    except _RepeatedKey as error:
        raise BenchlakeError(f"{path}: the name {error} is given twice; expected {expected}") from error
    except ValueError as error:
        # json passes on what int() says of a number with thousands of digits.
        raise BenchlakeError(f"{path}: holds a number that is too long; expected {expected}") from error


def load_list(path: Path, expected: str) -> list[Json]:
    """The file's JSON list. Raises BenchlakeError as `load_json`, and for any other JSON value."""
    value = load_json(path, expected)
    if not isinstance(value, list):
        raise BenchlakeError(f"{path}: holds {kind_of(value)}; expected {expected}")
    return value


def load_object(path: Path, expected: str) -> dict[str, Json]:
    """The file's JSON object, no name twice. Raises BenchlakeError as `load_json`, and for any other JSON value."""
    value = load_json(path, expected, unique_keys=True)
    if not isinstance(value, dict):
        raise BenchlakeError(f"{path}: holds {kind_of(value)}; expected {expected}")
    return value


def kind_of(value: Json) -> str:
    """What a JSON value is, as a noun for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object"


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _RepeatedKey(ascii(name[:80]))
            seen.add(name)
    return found
