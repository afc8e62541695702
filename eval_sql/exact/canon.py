"""Canonical values: one function for each column rule, from the text of a cell to its value (evaluator.md, Cells)."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache

from eval_sql.config import ColumnRule
from eval_sql.exact.moments import date_text, datetime_text
from eval_sql.exact.numbers import number_reader

_NULLS = frozenset({"", "null", "none", "nan", "nat", "<na>"})
_LONGEST_NULL = 4
_TRUE = dict.fromkeys(("1", "true", "yes", "y", "是"), "true")
_FALSE = dict.fromkeys(("0", "false", "no", "n", "否"), "false")
_BOOLEANS = _TRUE | _FALSE

# `unicodedata.normalize` sorts a run of combining marks in quadratic time: two million of them take an hour.
# Runs from this length on are sorted here first, which changes nothing that NFC can see.
_LONG_RUN = 64


def canonicaliser(rule: ColumnRule) -> Callable[[str], str | None]:
    """The function from a cell's text to its canonical value under the rule: a text, or None for NULL.

    Two cells are equal exactly when their canonical values are. The function raises ValueError when the
    cell cannot be read under the rule. It is pure, so a distinct text needs reading only once.
    """
    if rule.type == "text":
        return text_value
    if rule.type == "number":
        return _nullable(number_reader(rule.mode, rule.digits, rule.unit, rule.allow_percent_sign))
    return _nullable({"date": date_text, "datetime": datetime_text, "boolean": _boolean}[rule.type])


def text_value(text: str) -> str | None:
    """Canonical text: line ends as LF, white space stripped, NFC; None when nothing is left."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.strip()
    if not text.isascii():
        # A run this long has a character at a multiple of its length, so a sample shows whether there is any.
        if len(text) >= _LONG_RUN and not _marks().isdisjoint(text[::_LONG_RUN]):
            text = _long_run().sub(_sorted_marks, text)
        text = unicodedata.normalize("NFC", text)
    return text or None


def _nullable(read: Callable[[str], str]) -> Callable[[str], str | None]:
    def value(text: str) -> str | None:
        text = text.strip()
        # Case folding never makes a text shorter, so a longer one cannot be a null token.
        if len(text) <= _LONGEST_NULL and text.casefold() in _NULLS:
            return None
        return read(text)

    return value


def _boolean(text: str) -> str:
    found = _BOOLEANS.get(text.casefold())
    if found is None:
        raise ValueError("not a boolean")
    return found


@cache
def _marks() -> frozenset[str]:
    """The characters that decompose to combining marks alone."""
    decomposed = (unicodedata.normalize("NFD", char)[0] for char in map(chr, range(sys.maxunicode + 1)))
    return frozenset(chr(code) for code, first in enumerate(decomposed) if unicodedata.combining(first))


@cache
def _long_run() -> re.Pattern[str]:
    return re.compile(f"[{''.join(sorted(_marks()))}]{{{_LONG_RUN},}}")


def _sorted_marks(run: re.Match[str]) -> str:
    # Mark by mark: decomposing the whole run at once is the quadratic step.
    marks = "".join(unicodedata.normalize("NFD", mark) for mark in run[0])
    return "".join(sorted(marks, key=unicodedata.combining))
