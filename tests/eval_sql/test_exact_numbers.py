"""Numbers: syntax, units and rounding as tables, and exact rounding against fractions."""

from __future__ import annotations

import math
import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_sql.config import ColumnRule
from eval_sql.exact.canon import canonicaliser

NINES = "9" * 28


def read(text: str, mode: str, digits: int | None = None, unit: str = "plain", percent: bool = False) -> Decimal | None:
    found = canonicaliser(ColumnRule(0, "", "number", mode, digits, unit, percent))(text)
    return None if found is None else Decimal(found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12", "12"),
        ("+12", "12"),
        (" -12.50 ", "-12.5"),
        ("5.", "5"),
        (".5", "0.5"),
        ("00012", "12"),
        ("-0", "0"),
        ("1e3", "1000"),
        ("1.5E-3", "0.0015"),
        ("1,234,567.25", "1234567.25"),
        ("0,123", "123"),
        ("001,000", "1000"),
        ("1,234.5e3", "1234500"),
        ("１２３.５", "123.5"),
        ("١٢٣", "123"),
        ("𝟓", "5"),
        ("1,２34", "1234"),
        ("1e５", "100000"),
        ("0e999999999", "0"),
        ("1e-999999999", "0"),
    ],
)
def test_syntax(text: str, wanted: str) -> None:
    assert read(text, "decimal_places", 6) == Decimal(wanted)


@pytest.mark.parametrize("text", ["", " ", "NULL", "None", "nan", "NaT", "<na>"])
def test_null(text: str) -> None:
    assert read(text, "integer") is None


BAD = [
    "1_000", "1,23", "1,2345", "0001,000", "1,234.", ",123", "1,,234", "-", "+", ".", "e5", "1e", "1e+",
    "1e5.5", "0x10", "inf", "-Infinity", "snan", "N/A", "$5", "5元", "1.2.3", "--5", "1e9999999999999999999",
    "0e9999999999999999999", "²", "①", "五", "１２３．５", "１，２３４", "−5", "＋5", "5％", "5%", "5%%", "nan%",
    "1 000", "5 5", "%",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_not_a_number(text: str) -> None:
    with pytest.raises(ValueError):
        read(text, "decimal_places", 2)


@pytest.mark.parametrize(
    ("text", "unit", "wanted"),
    [
        ("15%", "plain", "15"),
        ("15%", "percentage_points", "15"),
        ("15%", "fraction", "0.15"),
        ("15", "fraction", "15"),
        ("5 %", "fraction", "0.05"),
        ("5\u3000%", "plain", "5"),
        ("1,234%", "fraction", "12.34"),
        ("1e-3%", "fraction", "0.00001"),
        ("0%", "fraction", "0"),
        ("0e1000002%", "fraction", "0"),
        ("1e-1000040%", "fraction", "0"),
        # Divided to 28 digits half-even before it is rounded half up.
        (f"{'1' * 30}%", "fraction", f"{'1' * 28}"),
    ],
)
def test_percent(text: str, unit: str, wanted: str) -> None:
    assert read(text, "significant_digits", 30, unit, percent=True) == Decimal(wanted)


@pytest.mark.parametrize("text", ["5%%", "%", "nan%", "％", "%5", "1e1000002%", "-9.99e9999999%"])
def test_bad_percent(text: str) -> None:
    with pytest.raises(ValueError):
        read(text, "significant_digits", 12, "fraction", percent=True)


def test_the_division_rounds_first() -> None:
    assert read(f"0.4{NINES}%", "decimal_places", 2, "fraction", percent=True) == Decimal("0.01")
    assert read(f"0.4{NINES[1:]}%", "decimal_places", 2, "fraction", percent=True) == 0
    odd = read("123456789012345678901234567890%", "integer", None, "fraction", percent=True)
    assert odd == Decimal("1234567890123456789012345679")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("5.0", "5"),
        ("1.5e1", "15"),
        ("1e-0", "1"),
        ("-3", "-3"),
        ("1e999999998", "1e999999998"),
        ("9" * 200, "9" * 200),
        ("5.1", None),
        ("1e-1", None),
        ("1e-999999999999", None),
        ("1e999999999", None),
        ("1e999999999999999999", None),
    ],
)
def test_integer(text: str, wanted: str | None) -> None:
    if wanted is None:
        with pytest.raises(ValueError):
            read(text, "integer")
    else:
        assert read(text, "integer") == Decimal(wanted)


@pytest.mark.parametrize(
    ("text", "digits", "wanted"),
    [
        ("-0.004", 2, "0"),
        ("-0.005", 2, "-0.01"),
        ("0.005", 2, "0.01"),
        ("0.0049999999999999999", 2, "0"),
        ("2.5", 0, "3"),
        ("1e97", 2, "1e97"),
        ("1e98", 2, None),
        ("1e70", 30, None),
        ("9" * 98 + ".994", 2, "9" * 98 + ".99"),
        ("9" * 98 + ".995", 2, None),
        ("9" * 100, 0, "9" * 100),
        ("1" + "0" * 100, 0, None),
        ("1e999999999", 2, None),
    ],
)
def test_decimal_places(text: str, digits: int, wanted: str | None) -> None:
    if wanted is None:
        with pytest.raises(ValueError):
            read(text, "decimal_places", digits)
    else:
        assert read(text, "decimal_places", digits) == Decimal(wanted)


@pytest.mark.parametrize(
    ("text", "digits", "wanted"),
    [
        ("0.1000000000005", 12, "0.100000000001"),
        ("0.100000000000499999", 12, "0.1"),
        ("0", 12, "0"),
        ("4", 0, "0"),
        ("49999", 0, "0"),
        ("9", 0, "10"),
        ("50000", 0, "100000"),
        ("99.5", 2, "100"),
        ("1e999980", 6, "1e999980"),
        ("1e1000000", 1, None),
        ("9.5e999999", 1, None),
        ("1e-2000200", 5, None),
        ("1e-1500000", 5, "0"),
        ("1e999999999", 12, None),
    ],
)
def test_significant_digits(text: str, digits: int, wanted: str | None) -> None:
    if wanted is None:
        with pytest.raises(ValueError):
            read(text, "significant_digits", digits)
    else:
        assert read(text, "significant_digits", digits) == Decimal(wanted)


HOSTILE = [
    "1e999999999",
    "-1e-999999999",
    "1e999999999999999999",
    "9" * 2_000_000,
    "9" * 2_000_000 + "x",
    "0." + "3" * 2_000_000,
    "1,234" * 300_000,
]


@pytest.mark.parametrize("mode", ["integer", "decimal_places", "significant_digits"])
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_numbers_cost_nothing(mode: str, text: str) -> None:
    started = time.process_time()
    try:
        read(text, mode, 12, "fraction", percent=True)
        read(text + "%", mode, 12, "fraction", percent=True)
    except ValueError:
        pass
    assert time.process_time() - started < 1


def half_up(value: Fraction) -> int:
    return int(math.copysign(1, value)) * math.floor(abs(value) + Fraction(1, 2))


numbers = st.builds(
    lambda sign, whole, part, exponent: f"{sign}{whole}.{part}e{exponent}",
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**15),
    st.text("0123456789", max_size=20),
    st.integers(-25, 25),
)


@settings(deadline=None)
@given(numbers, st.integers(0, 30))
def test_decimal_places_are_exact(text: str, digits: int) -> None:
    grid = Fraction(10) ** -digits
    wanted = half_up(Fraction(text) / grid) * grid
    assert Fraction(read(text, "decimal_places", digits) or 0) == wanted


@settings(deadline=None)
@given(numbers, st.integers(0, 30))
def test_significant_digits_are_exact(text: str, digits: int) -> None:
    exact = Fraction(text)
    found = Fraction(read(text, "significant_digits", digits) or 0)
    if not exact:
        assert found == 0
    else:
        grid = Fraction(10) ** (Decimal(text).adjusted() - digits + 1)
        assert found == half_up(exact / grid) * grid


@settings(deadline=None)
@given(numbers)
def test_integers_are_exact(text: str) -> None:
    exact = Fraction(text)
    if exact.denominator == 1:
        assert Fraction(read(text, "integer") or 0) == exact
    else:
        with pytest.raises(ValueError):
            read(text, "integer")
