"""From typed rows, as a database returns them, to a gold CSV and a first configuration for it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from eval_sql.config import (
    MAX_CELL_CHARACTERS,
    MAX_COLUMNS,
    MAX_FILE_BYTES,
    MAX_ROWS,
    ColumnRule,
    Config,
    canonical_config,
    is_task_id,
)
from eval_sql.exact.canon import canonicaliser
from warehouse.errors import BenchlakeError

Cell = None | int | float | str | bytes

# Six decimals is the most that people write on purpose; more of them are the tail of a binary fraction.
_MOST_DECIMALS = 6
# A double carries 15 to 17 digits, and the last of them depend on the order of the additions and on who has rounded
# before. On twelve digits right computations agree, but for values that lie on the edge of a rounding step.
_SIGNIFICANT = 12

_TO_QUOTE = re.compile('[",\r\n\ufeff]')
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)


class Unrepresentable(BenchlakeError):
    """Rows that a gold CSV cannot hold; `code` says why.

    Codes: gold_no_columns, gold_too_wide, gold_too_long, gold_too_large, gold_ragged, gold_blob, gold_not_finite,
    gold_nul, gold_not_utf8.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def gold_csv(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bytes:
    """The rows under a header of names as a gold CSV: UTF-8, LF, NULL as an empty cell, floats by `repr`.

    The strict reader takes every file this returns and finds the same texts in it.
    Raises Unrepresentable for what a gold CSV cannot hold.
    """
    return _csv(_texts(names, rows))


def draft_config(
    task_id: str, names: Sequence[str], rows: Sequence[Sequence[Cell]], order_sensitive: bool
) -> dict[str, Any]:
    """A configuration for the gold that `gold_csv` writes, each column's rule inferred from its values.

    Integers only: number, integer. Integers and floats: number, by decimal places when no value has more than six,
    else by twelve significant digits. Texts that are all ISO dates, or all ISO datetimes: that type. All else is text:
    digits in a text may be a code, and a column of 0 and 1 need not be boolean.
    The draft reads its own gold: a rule that does not gives way to text.
    Raises Unrepresentable as `gold_csv` does, and BenchlakeError for a bad task id.
    """
    if not is_task_id(task_id):
        raise BenchlakeError(f"{task_id!r}: not a task id; write task_ and digits")
    texts = _texts(names, rows)
    rules: list[ColumnRule] = []
    for index, name in enumerate(names):
        text = ColumnRule(index, name, "text")
        column = {line[index] for line in texts[1:]}
        guesses = _guesses(text, [row[index] for row in rows])
        rules.append(next((rule for rule in guesses if _reads(rule, column)), text))
    return canonical_config(Config(task_id, order_sensitive, tuple(rules)))


def _guesses(text: ColumnRule, values: Sequence[Cell]) -> list[ColumnRule]:
    """The rules to try before text, best first."""
    # An empty text is NULL in a CSV, whatever the database thinks of it.
    known = [value for value in values if value is not None and value != ""]
    if not known:
        return []
    number = replace(text, type="number")
    numbers = [value for value in known if isinstance(value, (int, float))]
    if len(numbers) == len(known):
        floats = [value for value in numbers if isinstance(value, float)]
        if not floats:
            return [replace(number, mode="integer")]
        decimals = max(map(_decimals, floats))
        significant = replace(number, mode="significant_digits", digits=_SIGNIFICANT)
        if decimals > _MOST_DECIMALS:
            return [significant]
        return [replace(number, mode="decimal_places", digits=decimals), significant]
    words = [value for value in known if isinstance(value, str)]
    if len(words) == len(known):
        if all(map(_DATE.fullmatch, words)):
            return [replace(text, type="date")]
        if all(map(_DATETIME.fullmatch, words)):
            return [replace(text, type="datetime")]
    return []


def _decimals(value: float) -> int:
    exponent = Decimal(repr(value)).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _reads(rule: ColumnRule, texts: Iterable[str]) -> bool:
    """Whether the evaluator reads all the texts under the rule."""
    read = canonicaliser(rule)
    try:
        for text in texts:
            read(text)
    except ValueError:
        return False
    return True


def _texts(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """The header and the rows as texts, checked against the limits of a table."""
    if not names:
        raise Unrepresentable("gold_no_columns", "the result has no columns; a gold CSV needs one at least")
    if len(names) > MAX_COLUMNS:
        raise Unrepresentable(
            "gold_too_wide", f"the result has {len(names)} columns; a gold CSV has {MAX_COLUMNS} at most"
        )
    if len(rows) > MAX_ROWS:
        raise Unrepresentable("gold_too_long", f"the result has {len(rows)} rows; a gold CSV has {MAX_ROWS} at most")
    lines = [[_text(name, f"the name of column {at}") for at, name in enumerate(names)]]
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise Unrepresentable("gold_ragged", f"row {number} has {len(row)} values; there are {len(names)} columns")
        lines.append([_text(value, f"row {number}, column {at}") for at, value in enumerate(row)])
    return lines


def _text(value: Cell, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        raise Unrepresentable("gold_blob", f"{where} is a blob; a gold CSV holds texts and numbers")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Unrepresentable("gold_not_finite", f"{where} is {value!r}; a gold CSV holds finite numbers")
        return repr(value)
    if isinstance(value, int):
        try:
            return str(int(value))
        except ValueError:  # Python refuses to write out integers of thousands of digits
            raise Unrepresentable("gold_too_large", f"{where} is an integer of too many digits") from None
    if "\0" in value:
        raise Unrepresentable("gold_nul", f"{where} holds a NUL character; a gold CSV cannot")
    if len(value) > MAX_CELL_CHARACTERS:
        raise Unrepresentable("gold_too_large", f"{where} has more than {MAX_CELL_CHARACTERS} characters")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Unrepresentable("gold_not_utf8", f"{where} holds half a surrogate pair; a gold CSV cannot") from None
    return value


def _csv(lines: list[list[str]]) -> bytes:
    """The lines as CSV. Own quoting, because `csv.writer` leaves a lone CR unquoted up to Python 3.12."""
    # An empty line would be a row of no cells, so an empty cell alone in its line is quoted.
    text = "".join((",".join(map(_quoted, line)) or '""') + "\n" for line in lines)
    data = text.encode("utf-8")
    if len(data) > MAX_FILE_BYTES:
        raise Unrepresentable("gold_too_large", f"the gold CSV would have more than {MAX_FILE_BYTES} bytes")
    return data


def _quoted(text: str) -> str:
    # A byte order mark is quoted because the reader drops one that starts the file.
    return '"' + text.replace('"', '""') + '"' if _TO_QUOTE.search(text) else text
