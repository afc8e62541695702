"""Dates and datetimes in the forms of `datetime.fromisoformat` since Python 3.11 (evaluator.md, Cells)."""

from __future__ import annotations

from datetime import UTC, datetime


def date_text(text: str) -> str:
    """YYYY-MM-DD for an ISO date, or for a datetime that is midnight once taken to UTC; else ValueError."""
    moment = _moment(text)
    if moment.hour or moment.minute or moment.second or moment.microsecond:
        raise ValueError("not midnight")
    return moment.date().isoformat()


def datetime_text(text: str) -> str:
    """ISO text of a date or datetime; an aware one is taken to UTC and ends in +00:00. ValueError if unreadable."""
    return _moment(text).isoformat()


def _moment(text: str) -> datetime:
    # Every Z is replaced, wherever it stands, as in the reference: 2020-01-01Z becomes 2020-01-01+00:00, in which
    # the + is the separator and 00:00 the time, so it is a naive midnight.
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("outside the years 1 to 9999 in UTC") from None
