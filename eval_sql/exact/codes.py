"""The exact path's canonical values as the codes of `sql/canon`: what the macros leave open is decided here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from eval_sql.config import ColumnRule
from eval_sql.exact.canon import canonicaliser

NULL = -9223372036854775807
# Codes of numbers that have no short one are this plus the id of their canonical text.
INTERNED = 4611686018427387904

_MICROSECOND = timedelta(microseconds=1)


def coder(rule: ColumnRule) -> Callable[[str], int | str | None]:
    """The function from a cell's text to its code under the rule.

    An int is the code itself; a str is a canonical text that has no code of its own, to be numbered by the caller;
    None means unreadable. Equal values give equal results, and the same ones as the macros of sql/canon.
    """
    value_of, short = canonicaliser(rule), _short(rule)

    def code(text: str) -> int | str | None:
        try:
            value = value_of(text)
        except ValueError:
            return None
        return NULL if value is None else short(value)

    return code


def _short(rule: ColumnRule) -> Callable[[str], int | str]:
    if rule.type == "text":
        return lambda text: text
    if rule.type == "date":
        return lambda text: (date.fromisoformat(text) - date(1970, 1, 1)).days
    if rule.type == "datetime":
        return _moment
    if rule.type == "boolean":
        return {"true": 1, "false": 0}.__getitem__
    if rule.mode == "significant_digits":
        return lambda text: _significant(text, rule.digits or 0)
    return lambda text: _on_grid(text, rule.digits or 0)


def _moment(text: str) -> int:
    moment = datetime.fromisoformat(text)
    epoch = datetime(1970, 1, 1, tzinfo=moment.tzinfo and UTC)
    return (moment - epoch) // _MICROSECOND * 2 + (moment.tzinfo is not None)


def _on_grid(text: str, digits: int) -> int | str:
    """A number as a multiple of 10^-digits."""
    value = Decimal(text)
    if value and value.adjusted() + digits >= 18:
        return text
    sign, figures, exponent = value.as_tuple()
    size: int = int("".join(map(str, figures))) * 10 ** (int(exponent) + digits)
    return -size if sign else size


def _significant(text: str, digits: int) -> int | str:
    """A number as exactly `digits` digits and the exponent of the first of them."""
    value = Decimal(text)
    if not value:
        return 0
    exponent = value.adjusted()
    if not 1 <= digits <= 15 or not -999 <= exponent <= 1000:
        return text
    sign, figures, _ = value.as_tuple()
    size: int = int("".join(map(str, figures))) * 10 ** (digits - len(figures))
    code = size * 2048 + exponent + 1024
    return -code if sign else code
