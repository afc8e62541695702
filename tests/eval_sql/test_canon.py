"""The macros of sql/canon and the exact path agree: on odd spellings, on any text, on every Unicode character."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import sys
import unicodedata
from collections.abc import Sequence
from contextlib import closing
from itertools import product
from pathlib import Path

import duckdb
import evaluator_strategies
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_sql import pairs
from eval_sql.columns import integers, lent, lists, strings, table
from eval_sql.config import MAX_DIGITS, ColumnRule, Config
from eval_sql.exact.codes import INTERNED, NULL, coder
from eval_sql.rules import rule_tables
from warehouse.queries import query

Code = int | str | None


def number(mode: str, digits: int | None = None, unit: str = "plain", percent: bool = False) -> ColumnRule:
    return ColumnRule(0, "", "number", mode, digits, unit, percent)


OTHERS = [ColumnRule(0, "", kind) for kind in ("text", "date", "datetime", "boolean")]
SOME_NUMBERS = [
    number("integer"),
    number("integer", None, "fraction", True),
    number("decimal_places", 0),
    number("decimal_places", 2, "plain", True),
    number("decimal_places", 4, "fraction", True),
    number("decimal_places", 30, "fraction", True),
    number("significant_digits", 0),
    number("significant_digits", 2, "percentage_points", True),
    number("significant_digits", 12),
    number("significant_digits", 15, "fraction", True),
    number("significant_digits", 30),
]
ALL_NUMBERS = [
    number(mode, digits, unit, percent)
    for unit, percent in (("plain", False), ("percentage_points", True), ("fraction", True))
    for mode, digits in [("integer", None), *product(("decimal_places", "significant_digits"), range(MAX_DIGITS + 1))]
]


def by_sql(rules: Sequence[ColumnRule], texts: Sequence[str]) -> list[list[Code]]:
    """For each rule the codes of distinct texts as the queries make them, numbered texts as what they number.

    The texts are the rows of a table of one column, which is read under every rule.
    """
    with closing(duckdb.connect()) as cursor:
        cursor.execute(query("score/memory"))
        pairs.prepare(cursor)
        count = len(texts)
        with lent(cursor, "incoming", table(text_id=integers(range(1, count + 1)), text=strings(texts))):
            cursor.execute("INSERT INTO evaluation.text FROM incoming")
        rows = table(row=integers(range(count)), cells=lists(integers(range(1, count + 1)), [1] * count))
        with lent(cursor, "incoming", rows):
            cursor.execute("INSERT INTO evaluation.table_row SELECT 1, * FROM incoming")
        columns = [
            ColumnRule(at, "", rule.type, rule.mode, rule.digits, rule.unit, rule.allow_percent_sign)
            for at, rule in enumerate(rules)
        ]
        new_rules, uses = rule_tables([Config("task_1", False, tuple(columns))])
        with lent(cursor, "incoming", new_rules):
            cursor.execute(
                "INSERT INTO evaluation.rule "
                "SELECT rule_id, type, nullif(mode, ''), nullif(digits, -1), unit, allow_percent_sign::BOOLEAN FROM incoming"
            )
        cursor.execute(query("score/text_readings"))
        wanted = table(column_no=integers(range(len(rules))), rule_id=uses.column("rule_id").combine_chunks())
        with lent(cursor, "incoming", wanted):
            cursor.execute(
                "CREATE TEMP TABLE wanted_column AS "
                "SELECT *, 100000000 AS row_limit, 1 AS file_no, 0 AS column_index FROM incoming"
            )
        pairs.read_codes(cursor)
        # Most texts are unreadable, or are their own canonical text: only the others are fetched.
        found: list[list[Code]] = [list(texts) if rule.type == "text" else [None] * count for rule in rules]
        for place, row, code, text in cursor.execute(
            "SELECT coded.column_no, coded.row, coded.code, text.text "
            "FROM (SELECT *, CASE WHEN type = 'text' THEN code WHEN code >= $1 THEN code - $1 END AS text_id "
            "FROM (SELECT column_no, row, code FROM column_code) JOIN column_kind USING (column_no)) AS coded "
            "LEFT JOIN evaluation.text USING (text_id) "
            "WHERE CASE WHEN type = 'text' THEN coded.code IS DISTINCT FROM coded.row + 1 ELSE coded.code IS NOT NULL END",
            [INTERNED],
        ).fetchall():
            found[place][row] = code if text is None else text
        assert cursor.execute("SELECT count(*) FROM column_code").fetchone() == (count * len(rules),)
    return found


def assert_agree(rules: Sequence[ColumnRule], texts: Sequence[str]) -> None:
    """The queries give every text the code of the exact path, under every rule."""
    wrong = []
    for rule, found in zip(rules, by_sql(rules, texts), strict=True):
        assert len(found) == len(texts)
        exact = coder(rule)
        wanted = list(map(exact, texts))
        if found != wanted:
            wrong += [
                f"{text[:60]!r} under {rule}: SQL {got!r}, exactly {want!r}"
                for text, got, want in zip(texts, found, wanted, strict=True)
                if got != want
            ]
    assert not wrong, f"{len(wrong)} disagree\n" + "\n".join(wrong[:20])


BLANKS = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
NOT_BLANK = "\u200b\ufeff\u180e\u2060"

NULLS = ["", "null", "NULL", "nUll", "none", "NaN", "NaT", "<NA>", "<na>", "N/A", "-", "inf", "nul", "nanx", "<na", "ﬁ", "nulı"]  # fmt: skip
BOOLEANS = ["1", "0", "true", "TRUE", "yes", "yeſ", "YEſ", "y", "是", "false", "falſe", "FALſE", "no", "n", "否", "t", "on", "1.0", "对", "１", "01", "+1", "truE.", "ｙ", "N", "ye s"]  # fmt: skip
TEXTS = [
    "a\r\nb", "a\rb", "a\nb", "\r\na\r", "e\u0301", "é", "\u212b", "Å", "A\u030a", "\uf900", "豈", "ﬁ", "fi", "Ａ", "A", "ß", "ss",
    "가", "\u1100\u1161", "\u1100\u1161\u11a8", "か\u3099", "が", "ｶﾞ", "\u0344", "\u0958", "\u0f73", "𝅗𝅥", "\U0001d15e", "\U0002f800", "ạ\u0307",
    "a\u0307\u0323", "a" + "\u0301" * 70, "a" + "\u0307\u0323" * 600, "é" * 1500, "e\u0301" * 1500, "名前 x", "名前　x", "𝓐", "a\u0338", "≮", "<\u0338",
    "a\u034f\u0301", "\u0301", " \u0301", "\u2126", "Ω", "\u1fef", "`", "\u037e", ";", "\u2000x", "\u2329", "\u3008", "\U0001f600", "\u09c7\u09be",
    "\ud7a3\u11a8", "\uac00\u11a8", "각", "\ufa0e", "\ufa11", "\ufa2e", "\ufb1d", "\uffa0", "\u115f", "\u2adc", "\ufb4f",
]  # fmt: skip
NUMBERS = [
    "0", "-0", "+0", "00", "0.0", "-0.000", "5.", ".5", "-.5", "+5.", ".", "+", "-", "+.", "e5", "1e", "1e+", "1e5", "1E-5", "1e+5", "1e5.5", "1e 5",
    "0,123", "001,000", "1,234.5e3", "1,234.", "0001,000", "1,23", "1,2345", ",123", "1,,234", "1,234,567", "12,34,567", "1,234,", "1,234e2", "-1,234.50%",
    "１２３.５", "١٢٣", "𝟓", "1,２34", "1e５", "．5", "１２３．５", "１，２３４", "−5", "＋5", "5％", "²", "①", "五", "1²", "Ⅷ", "٫5", "1٫5", "\U00011f55",
    "0.1000000000005", "0.100000000000499999", "0.1", "4", "3", "49999", "5", "9", "50000", "99999", "99.5", "9.5", "0.95", "0.995", "9.995", "2.5", "3.5", "-2.5",
    "0.4" + "9" * 28 + "%", "0.4" + "9" * 27 + "%", "123456789012345678901234567890%", "12345678901234567%", "123456789012345678%", "0.00000000000000001%",
    "15%", "5 %", "5\u3000%", "5%%", "nan%", "%", " %", "5 %%", "5\t%", "5\x1c%", "5\x85%", "5 % ", "%5", "5.1", "5.0", "5.000000000000000000", "1e-0",
    "0e999999999", "1e-999999999", "1e999999999", "0e9999999999999999999", "1e9999999999999999999", "0e-9999999999999999999", "1e400", "1e-400", "1e1000000",
    "9.5e999999", "1e-2000200", "1e-1500000", "1e999980", "1e1000002%", "0e1000002%", "-0.004", "-0.005", "0.005", "0.0049999999999999999", "1e97", "1e98", "1e70",
    "9" * 98 + ".994", "9" * 98 + ".995", "9" * 100, "1" + "0" * 100, "9" * 17, "9" * 18, "9" * 19, "9" * 20, "-" + "9" * 18, "-" + "9" * 19, "1" * 18 + ".",
    "1." + "1" * 17, "1." + "1" * 18, "0." + "1" * 17, "0." + "1" * 18, "0." + "0" * 17 + "1", "0." + "0" * 40 + "5", "." + "5" * 18, "000000000000000000001",
    "0000000000000000001.50", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "999999999999999999.5", "4611686018427387904",
    "99999999999999999.5", "999999999999999.5", "9999999999999995", "1e17", "1e18", "1e19", "123e15", "123e16", "123e-15", "123e-18", "123e-19", "5e-19", "5e-1", "4e-1",
    "15e-1", "1e98", "1e99", "1e100", "1e-98", "1e-99", "1e-100", "12345e-103", "1e998", "1e999", "1e1000", "1e-999", "1e-1000", "1e0005", "1e00005", "1e+0005", "1e-0099",
    "1e00000000000000000005", "0" * 30, "0." + "0" * 30, "1_000", "0x10", "inf", "-Infinity", "snan", "$5", "1.2.3", "--5", "+-5", "1 000", "1\xa0000", "1e5%", "1e-2%",
    "100%", "0%", "-0%", "50.5%", "1,234%", "+5%", "5e%", ".%", "1\n", "1\n2", "1\u0661", "\u0661\u00b2", "1\u200b", "\ufeff1", "١٬٢٣٤", "1e٥", "١%", "١ %", "१२.५०", "−١",
]  # fmt: skip
MOMENTS = [
    "2020-01-01", "20200101", "2020-W01-1", "2020W011", "2020-W01", "2020W01", "2020-W53-7", "2021-W53", "2020-W54", "2020-W00", "2020-W01-0", "2020-W01-8", "2020-W101",
    "2020W10-1", "2020-062", "2020062", "2020-0101", "202001-01", "2020-1-1", "2020/01/01", "01/02/2020", "2020-02-30", "2020-02-29", "2019-02-29", "1900-02-29", "2000-02-29",
    "0000-01-01", "0001-01-01", "00010101", "9999-12-31", "99991231", "9999-W52-5", "9999-W52-6", "0000-W01", "0001-W01-1", "10000-01-01", "2020-13-01", "2020-00-10", "2020-01-00",
    "2020-01-32", "1577836800", "20201301", "２０２０-01-01", "2020-01-０1", "2020-01", "202001", "2020", "2020-01-01Z", "2020-01-01z", "2020-01-01+10:00", "20200101Z", "2020-W01-1Z",
    "Z2020-01-01", "2020-01-01T", "2020-01-01T00", "2020-01-01T00:00", "2020-01-01T00:00:00", "2020-01-01 00:00:00", "2020-01-01  00:00:00", "2020-01-01T00:00Z",
    "2020-01-01T00:00:00Z", "2020-01-01 00:00:00Z", "2020-01-01T00:00:00 Z", "2020-01-01T00:00:00ZZ", "2020-01-01T00:00:00z", "2020-01-01T24:00", "2020-01-01T24:00:00",
    "2020-01-01T23:59:60", "2020-01-01T23:60:00", "2020-01-01T23:59:59.999999", "2020-01-01T23:59:59.9999999", "2020-01-01T23:59:59.", "2020-01-01T23:59:59.5Z", "2020-01-01T00:00:00.0Z",
    "2020-01-01T00:00:00.000000", "2020-01-01T00:00:00.000001", "2020-01-01T00:00:00.0000001", "2020-01-01T00:00:00,5", "2020-01-01T10.5", "2020-01-01T10:11.5", "2020-01-01110:00",
    "2020-01-01🐍10:00", "2020-01-01T10:00 +08:00", "2020-01-01T10:00+08:00", "2020-01-01T10:00+0800", "2020-01-01T10:00+08", "2020-01-01T10:00+8", "2020-01-01T10:00-08:00:30",
    "2020-01-01T10:00+08:00:00.5", "2020-01-01T00:00:00+00:00", "2020-01-01T00:00:00-00:00", "2020-01-01T00:00:00+00:00:00.000001", "2020-01-01T00:00:00+24:00", "2020-01-01T00:00:00+23:59",
    "2020-01-01T00:00:00+08:00", "2020-01-01T08:00:00+08:00", "0001-01-01T00:00:00+00:01", "0001-01-01T00:00:00-00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59.999999",
    "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00", "0001-01-01T00:00:00Z", "0000-01-01T00:00:00", "1969-12-31T23:59:59.999999", "1969-12-31T23:59:59Z", "1582-10-10", "1582-10-10T01:02:03",
    "20200101T101112", "20200101T101112,5", "20200101T10", "20200101 10:11:12", "2020-01-01T101112", "2020-W10T10:00", "2020-W10-1T10:00:00Z", "2020W101T10:00", "2020-02-30T10:00:00",
    "2020-01-01\t10:00:00", "2020-01-01\n10:00:00", "2020-01-01_10:00:00", "2020-01-01t10:00:00", "2020-01-01T1:00:00", "2020-01-01T10:0:00", "2020-01-01T10:00:00.1234567Z",
    "2020-01-01 BC", "2020-01-01 (BC)", "infinity", "epoch", "2020-01-01T00:00:00 UTC", "2020-01-01 00:00:00 Europe/Paris", "2020-01-01T٠0:00:00", "20200101T240000", "2020-01-01T00:00:00.",
    "2020-01-01T00:00:0", "2020-01-01TT0:00:00", "2020-01-01T00-00-00", "20200101010", "2020-01-01 ", "2020-01-011", "002020-01-01", "+2020-01-01", "-2020-01-01", "2020-01-01-", "2020-01--01",
]  # fmt: skip
LONG = ["9" * 100_000, "1." + "0" * 100_000, "1e" + "9" * 1000, "x" * 100_000, "é" * 100_000, " " * 100_000, "2020-01-01" * 1000, "%" * 1000, "," * 1000, "1,234" * 1000]  # fmt: skip


def nasty_texts() -> list[str]:
    """Every spelling alone, in white space and beside what is no white space."""
    plain = [*NULLS, *BOOLEANS, *TEXTS, *NUMBERS, *MOMENTS]
    plain += [text for texts in evaluator_strategies.NASTY.values() for text in texts]
    around = [BLANKS[i % len(BLANKS)] + text + BLANKS[(i * 7 + 3) % len(BLANKS)] for i, text in enumerate(plain)]
    beside = [NOT_BLANK[i % 4] + text for i, text in enumerate(plain)]
    beside += [text + NOT_BLANK[i % 4] for i, text in enumerate(plain)]
    cased = [f(text) for text in plain for f in (str.upper, str.lower, str.title)]
    return list(dict.fromkeys([*plain, *around, *beside, *cased, *BLANKS, BLANKS]))


def test_odd_spellings_under_every_rule() -> None:
    assert_agree(OTHERS, nasty_texts())
    assert_agree(ALL_NUMBERS, list(dict.fromkeys([*NULLS, *NUMBERS, *(f"{text}%" for text in NUMBERS), *BOOLEANS])))
    assert_agree(SOME_NUMBERS, nasty_texts())


def test_long_texts() -> None:
    assert_agree([*OTHERS, *SOME_NUMBERS], LONG)


def test_the_public_cases(shared: Path) -> None:
    """Every cell of the conformance cases, but for two families of long files."""
    texts: dict[str, None] = {}
    with gzip.open(shared / "conformance" / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            if case["family"] in ("limits", "large"):
                continue
            for side in ("gold", "prediction"):
                data = base64.b64decode(case.get(f"{side}_b64", "")) or (case.get(f"{side}_csv") or "").encode()
                for row in csv.reader(io.StringIO(data.decode("utf-8", "replace"), newline="")):
                    texts.update(dict.fromkeys(row))
    assert len(texts) > 5000
    assert_agree([*OTHERS, *SOME_NUMBERS], [text for text in texts if "\0" not in text])


digits = st.text("0123456789", max_size=21)
number_like = st.builds(
    "{}{}{}{}{}{}".format,
    st.sampled_from(["", "", "-", "+", " ", "\xa0-"]),
    digits | st.integers(0, 10**15).map("{:,}".format),
    st.sampled_from(["", ".", ",", "．"]),
    digits,
    st.just("") | st.builds("{}{}".format, st.sampled_from(["e", "E-", "e+", "e-0"]), st.integers(0, 120)),
    st.sampled_from(["", "", "%", " %", "\n"]),
)
moment_like = st.builds(
    "{}{}{}{}".format,
    st.dates().map(str) | st.from_regex(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}|[0-9]{4}-?W[0-9]{2}(-?[0-9])?", fullmatch=True),
    st.sampled_from(["", "T", " ", "Z", "x"]),
    st.just("") | st.times().map(str) | st.from_regex(r"[0-2][0-9](:?[0-9]{2}){0,2}([.,][0-9]{1,7})?", fullmatch=True),
    st.sampled_from(["", "", "Z", "+00:00", "+0130", "-23:59", " +08"]),
)
any_text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
odd_text = st.text(
    st.sampled_from("aeE1059.,-+% \r\n\xa0éＡ１٣\u0301\u0323\u3099か\u1100\u1161가豈ſ是TZ:W"), max_size=8
)


@settings(deadline=None, max_examples=12)
@given(
    st.lists(
        st.one_of(number_like, number_like, moment_like, any_text, odd_text), min_size=1, max_size=150, unique=True
    )
)
def test_any_texts(texts: list[str]) -> None:
    assert_agree([*OTHERS, *SOME_NUMBERS], texts)


# Between them they test strip, NFC, NULL, booleans, digits, percent signs and the parts of dates.
FORMS = ["{}", "{0}{0}", "a{}", "{} ", " {}", "1{}", "{}1"]
IN_WORDS = [
    "nu{}l",
    "ye{}",
    "fal{}e",
    "1{}%",
    "1{}2",
    "2020-01-01{}10:00",
    "2020{}01-01",
    "1e{}",
    "1,{}34",
    "a{}\u0301",
    "{}\u0323\u0301",
]
CODE_POINT_RULES = [*OTHERS, number("decimal_places", 2, "fraction", True)]


def characters() -> list[str]:
    return [chr(code) for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]


def is_plain(char: str) -> bool:
    """No white space, number, mark or cased letter, and with no part in any composition."""
    if unicodedata.category(char) not in ("Cn", "Co", "Lo", "Lm", "So", "Sm", "Po", "Ps", "Pe"):
        return False
    return not (
        char.isascii()
        or unicodedata.decomposition(char)
        or char.casefold() != char
        or "\u1100" <= char <= "\u11ff"
        or "\uac00" <= char <= "\ud7a3"
    )


def is_canonical(char: str) -> bool:
    """Whether the character has a canonical decomposition of two."""
    return " " in unicodedata.decomposition(char) and "<" not in unicodedata.decomposition(char)


@pytest.mark.slow
def test_every_character() -> None:
    assert_agree(CODE_POINT_RULES, characters())


def test_every_telling_character_in_every_form() -> None:
    pairs_of = {unicodedata.decomposition(char).split()[0] for char in characters() if is_canonical(char)}
    telling = [char for char in characters() if not is_plain(char) or f"{ord(char):04X}" in pairs_of]
    assert 5_000 < len(telling) < 25_000
    texts = dict.fromkeys(form.format(char) for form in [*FORMS, *IN_WORDS] for char in telling)
    assert_agree(CODE_POINT_RULES, list(texts))


def test_null_is_no_code_of_a_value() -> None:
    (found,) = by_sql([ColumnRule(0, "", "text")], ["null", "", " "])
    assert found == ["null", NULL, NULL]


@pytest.mark.parametrize("rule", [*OTHERS, *SOME_NUMBERS], ids=lambda rule: f"{rule.type} {rule.mode} {rule.digits}")
def test_texts_of_one_value_have_one_code(rule: ColumnRule) -> None:
    spellings = {
        "text": ["é", "e\u0301", " é\n"], "date": ["2020-01-01", "20200101", "2020-W01-3"],
        "datetime": ["2020-01-01T00:00", "2020-01-01Z", "2020-01-01 00:00:00"], "boolean": ["1", "yes", "是"],
        "number": ["1000", "1,000.0", "1e3", "１０００"],
    }[rule.type]  # fmt: skip
    (found,) = by_sql([rule], spellings)
    assert found[0] is not None and set(found) == {found[0]}
