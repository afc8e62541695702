"""Canonical values as input and expected tables, for each type."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_sql.config import ColumnRule
from eval_sql.exact.canon import canonicaliser


def value(kind: str, text: str) -> str | None:
    return canonicaliser(ColumnRule(0, "", kind))(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", None),
        (" \t\u00a0\u3000\x1c\x85\u2028\n", None),
        ("null", "null"),
        ("NaN", "NaN"),
        ("  a b ", "a b"),
        ("a\r\nb\rc\n", "a\nb\nc"),
        ("\ufeffa\u200b", "\ufeffa\u200b"),
        ("e\u0301", "é"),
        ("\u212b", "Å"),
        ("\uf900", "豈"),
        ("ﬁ Ａ ß", "ﬁ Ａ ß"),
        ("007", "007"),
    ],
)
def test_text(text: str, wanted: str | None) -> None:
    assert value("text", text) == wanted


@pytest.mark.parametrize("text", ["", " ", "null", "None", "NAN", "nat", "<NA>", "\u3000nUll "])
@pytest.mark.parametrize("kind", ["date", "datetime", "boolean"])
def test_null_tokens(kind: str, text: str) -> None:
    assert value(kind, text) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1", "true"),
        ("TRUE", "true"),
        (" Yes ", "true"),
        ("yeſ", "true"),
        ("y", "true"),
        ("是", "true"),
        ("0", "false"),
        ("falſe", "false"),
        ("No", "false"),
        ("n", "false"),
        ("否", "false"),
    ],
)
def test_boolean(text: str, wanted: str) -> None:
    assert value("boolean", text) == wanted


@pytest.mark.parametrize("text", ["t", "on", "1.0", "对", "１", "01", "true.", "tru e", "-"])
def test_not_a_boolean(text: str) -> None:
    with pytest.raises(ValueError, match="boolean"):
        value("boolean", text)


@pytest.mark.parametrize(
    ("text", "date", "datetime"),
    [
        ("2020-01-02", "2020-01-02", "2020-01-02T00:00:00"),
        ("20200102", "2020-01-02", "2020-01-02T00:00:00"),
        ("2020-W10", "2020-03-02", "2020-03-02T00:00:00"),
        ("2020W101", "2020-03-02", "2020-03-02T00:00:00"),
        (" 2020-01-02 00:00:00 ", "2020-01-02", "2020-01-02T00:00:00"),
        ("2020-01-02T00:00:00.0000001", "2020-01-02", "2020-01-02T00:00:00"),
        ("2020-01-01T08:00:00+08:00", "2020-01-01", "2020-01-01T00:00:00+00:00"),
        ("2020-01-01T00:00Z", "2020-01-01", "2020-01-01T00:00:00+00:00"),
        ("2020-01-01T00:00:00+00:00:00.000001", "2020-01-01", "2020-01-01T00:00:00+00:00"),
        ("2020-01-01Z", "2020-01-01", "2020-01-01T00:00:00"),
        ("2020-01-01+10:00", None, "2020-01-01T10:00:00"),
        ("2020-01-01🐍10:00", None, "2020-01-01T10:00:00"),
        ("2020-01-01110:00", None, "2020-01-01T10:00:00"),
        ("2020-01-01 10.5", None, "2020-01-01T10:00:00.500000"),
        ("2020-01-01T10:00 +08:00", None, "2020-01-01T02:00:00+00:00"),
        ("2020-01-01T00:00:00+08:00", None, "2019-12-31T16:00:00+00:00"),
        ("20200101T101112,5", None, "2020-01-01T10:11:12.500000"),
    ],
)
def test_date_and_datetime(text: str, date: str | None, datetime: str) -> None:
    assert value("datetime", text) == datetime
    if date is None:
        with pytest.raises(ValueError, match="midnight"):
            value("date", text)
    else:
        assert value("date", text) == date


@pytest.mark.parametrize(
    "text",
    [
        "2020-02-30",
        "2020-1-2",
        "2020-062",
        "2020-0101",
        "2020-W101",
        "2020W10-1",
        "9999-W52-6",
        "２０２０-01-01",
        "2020-01-01T00:00z",
        "2020-01-01T24:00",
        "2020-01-01T",
        "01/02/2020",
        "1577836800",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "N/A",
        "9" * 100_000,
    ],
)
@pytest.mark.parametrize("kind", ["date", "datetime"])
def test_not_a_date(kind: str, text: str) -> None:
    with pytest.raises(ValueError):
        value(kind, text)


@settings(deadline=None, max_examples=200)
@given(
    st.text(alphabet="aeか\u1100\u1161\u11a8\u3099\u0301\u0f71", max_size=5),
    st.text(alphabet="\u0301\u0327\u0338\u0345\u0344\u0f73\u0f75\u0f71\u3099", min_size=60, max_size=140),
    st.text(alphabet="ax\u0301\u0327", max_size=5),
)
def test_long_runs_of_marks_are_nfc(before: str, marks: str, after: str) -> None:
    text = before + marks + after
    assert value("text", text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("marks", ["\u0301\u0327", "\u0f73"])
def test_a_million_marks_cost_little(marks: str) -> None:
    started = time.process_time()
    assert value("text", "a" + marks * 500_000) is not None
    assert time.process_time() - started < 10  # sorting them in `unicodedata` takes a quarter of an hour
