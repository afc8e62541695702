"""Numbers as exact decimals: syntax, percent, rounding to the configured grid (evaluator.md, Cells).

The reference computes with Python's `decimal` in three settings; the same settings are kept here because their
edges decide verdicts (conformance/README.md, items 1-4 and 16-22). No step writes out the digits that an exponent
stands for, so `1e999999999` is as cheap as `1`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import (
    MAX_EMAX,
    MAX_PREC,
    MIN_EMIN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)

# Each character has one way to match, so a long text that fails does so in one pass.
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def _context(prec: int, rounding: str, emin: int, emax: int) -> Context:
    traps = [InvalidOperation, DivisionByZero, Overflow]
    return Context(prec=prec, rounding=rounding, Emin=emin, Emax=emax, capitals=1, clamp=0, flags=[], traps=traps)


# A percent sign under `fraction` divides in Python's default setting, so it rounds to 28 digits half-even first.
_DIVIDING = _context(28, ROUND_HALF_EVEN, -999_999, 999_999)
# A rounded value has at most 100 digits and a bounded exponent; past that the reference dies and we say unreadable.
_ROUNDING = _context(100, ROUND_HALF_UP, -999_999, 999_999)
_EXACT = _context(MAX_PREC, ROUND_HALF_EVEN, MIN_EMIN, MAX_EMAX)

# The reference writes an integer out in full. From a thousand million digits on it runs out of memory.
_MAX_INTEGER_DIGITS = 999_999_999

_ONE = Decimal(1)
_HUNDRED = Decimal(100)


def number_reader(mode: str | None, digits: int | None, unit: str, percent_allowed: bool) -> Callable[[str], str]:
    """A function from a stripped, non-null text to the canonical text of its number under one column rule.

    Two texts are equal numbers exactly when their canonical texts are equal.
    The function raises ValueError when the text is not a number that the rule can read.
    """
    round_to = _rounder(mode, digits or 0)

    def read(text: str) -> str:
        percent = text.endswith("%")
        if percent:
            if not percent_allowed:
                raise ValueError("a percent sign is not allowed here")
            text = text[:-1].rstrip()
        if not _PLAIN.fullmatch(text):
            if not _GROUPED.fullmatch(text):
                raise ValueError("not a number")
            text = text.replace(",", "")
        try:
            # The context only says that an exponent of 19 digits or more is an error.
            value = Decimal(text, _EXACT)
            if percent and unit == "fraction" and value:
                value = _DIVIDING.divide(value, _HUNDRED)
            if value:
                value = round_to(value)
            # A zero has one canonical text, whatever its sign and exponent.
            return str(value.normalize(_EXACT)) if value else "0"
        except DecimalException:
            raise ValueError("a number out of range") from None

    return read


def _rounder(mode: str | None, digits: int) -> Callable[[Decimal], Decimal]:
    """The rounding of one mode, for values other than zero; it may raise DecimalException or ValueError."""
    if mode == "integer":
        return _integral
    if mode == "decimal_places":
        grid = Decimal((0, (1,), -digits))
        return lambda value: value.quantize(grid, ROUND_HALF_UP, _ROUNDING)

    def significant(value: Decimal) -> Decimal:
        unit = _ONE.scaleb(value.adjusted() - digits + 1, _ROUNDING)
        return value.quantize(unit, ROUND_HALF_UP, _ROUNDING)

    return significant


def _integral(value: Decimal) -> Decimal:
    if value.adjusted() >= _MAX_INTEGER_DIGITS:
        raise ValueError("an integer of too many digits")
    if value != value.to_integral_value(ROUND_HALF_EVEN, _EXACT):
        raise ValueError("not an integer")
    return value
