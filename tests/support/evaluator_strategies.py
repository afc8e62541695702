"""Tables for property tests of an evaluator: typed columns, other spellings of a table, and changes to one.

`rewritten()` draws a prediction that is right, `mutated()` one whose relation differs under the same mapping.
Cells keep away from the one place where the specification leaves a choice: integers of more than a million digits.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from plain_evaluator import BOOLEANS, NULLS, Config, Value, canonical

Rows = list[list[str]]

BLANKS = ["", "", "", " ", "\t", " \n", "\r\n", "\x1c", "\x85", "\xa0", "\u2028", "\u3000"]
SCRIPTS = ["0123456789", "0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"]
OFFSETS = [0, 0, 60, 480, -300, 330, 345, -720, 840, 1439, -1439, 1 / 60, -0.5]
SEPARATORS = ["T", "T", " ", "t", "_", "x", "🐍", "\u3000"]
HEADERS = ["a", "a", "", " ", "x,y", '"', "b\nc", "名前", "1", "null"]

NASTY = {
    "text": [
        "", " ", "null", "NULL", "nan", "0", "1", "1.0", "01", "true", "2020-01-01", "1e400", "5%", "a", "A", "a ", "a b",
        "a  b", "ﬁ", "fi", "Ａ", "ß", "ss", "é", "e\u0301", "Å", "\u212b", "豈", "\uf900", "\u200b", "\ufeff", "\u180e",
        "a\r\nb", "a\rb", "a\nb", 'say "hi"', '"', "a,b", "-", "=1+1", "\x1c", "x\u2028y", "𝟓", "0001-01-01T00:00:00+01:00",
    ],
    "number": [
        "", "null", "NaN", "0", "-0", "+1", "1", "2", "10", "1.0", "5.", ".5", "0.5", "-0.5", "0.005", "-0.005", "-0.004",
        "2.675", "2.665", "9.995", "99999", "49999", "0.1000000000005", "0.100000000000499999", "0.1", "1,234", "0,123",
        "1234567", "1,234.5e3", "1e3", "10e-1", "1e-30", "1e60", "1e400", "1e-400", "0e999999999", "1e-999999999", "15%",
        "100%", "0.15", "15", "12.5 %", "0.4" + "9" * 28 + "%", "0.4" + "9" * 27 + "%", "9" * 40, "1" * 28 + ".5",
        "0." + "0" * 40 + "5", "１２３.５", "١٢٣", "1e５", "9007199254740993", "9007199254740992", "0.30000000000000004",
    ],
    "date": [
        "", "none", "2020-01-01", "20200101", "2020-W01-3", "2020-01-01T00:00:00", "2020-01-01 00:00Z", "2020-01-01Z",
        "2020-01-01T08:00+08:00", "0001-01-01", "9999-12-31", "2020-02-29", "2019-12-31T24:00", "2020-W10",
        "2020-01-01T00:00:00.0000001", "1900-01-01", "2019-12-31T16:00-08:00",
    ],
    "datetime": [
        "", "NaT", "2020-01-01", "2020-01-01T00:00:00", "2020-01-01T00:00:00Z", "2020-01-01Z", "2020-01-01T10:00", "20200101T10",
        "2020-01-01+10:00", "2020-01-01110:00", "2020-01-01T10:00 +08:00", "2020-01-01T02:00Z", "2020-01-01T10.5",
        "2020-01-01T10:00:00.5", "2020-01-01T10:00:00,500000", "2020-01-01T00:00+00:00:00.000001", "0001-01-01",
        "9999-12-31T23:59:59.999999", "2020-W01-3T10:00",
    ],
    "boolean": ["", "<NA>", "1", "0", "true", "FALSE", "yes", "No", "y", "n", "是", "否", "yeſ", "falſe"],
}  # fmt: skip


class Rewritten(NamedTuple):
    """A task: the mapping gives the prediction's column for each gold column."""

    config: Config
    gold: bytes
    prediction: bytes
    mapping: tuple[int, ...]


def same(rule: Config, one: str, other: str) -> bool:
    """Whether both cells are readable and equal."""
    try:
        return canonical(rule, one) == canonical(rule, other)
    except ValueError:
        return False


# ------------------------------------------------------------------------------------------------- tables


@st.composite
def rules(draw: DrawFn) -> Config:
    """A column of a configuration, without index and name."""
    kind = draw(st.sampled_from(["text", "number", "number", "date", "datetime", "boolean"]))
    if kind != "number":
        return {"type": kind}
    comparison: Config = {"mode": draw(st.sampled_from(["integer", "decimal_places", "significant_digits"]))}
    if comparison["mode"] != "integer":
        comparison["digits"] = draw(st.sampled_from([2, 0, 1, 2, 4, 6, 12, 12, 15, 30]))
    rule: Config = {"type": kind, "comparison": comparison}
    if draw(st.booleans()):
        rule["unit"] = draw(st.sampled_from(["plain", "percentage_points", "fraction"]))
    if draw(st.booleans()):
        rule["allow_percent_sign"] = draw(st.booleans())
    return rule


def cells(rule: Config) -> SearchStrategy[str]:
    """Readable cells of a column, everyday ones and nasty ones."""
    nasty = st.sampled_from([text for text in NASTY[rule["type"]] if same(rule, text, text)])
    if rule["type"] == "text":
        return nasty | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
    if rule["type"] == "number":
        if rule["comparison"]["mode"] == "integer":
            return nasty | st.integers(-10, 10**6).map(str) | st.integers().map(str)
        everyday = st.floats(-(10**9), 10**9).map(repr) | st.decimals(-(10**6), 10**6, places=3).map(str)
        return nasty | everyday.filter(lambda text: same(rule, text, text))
    if rule["type"] == "date":
        return nasty | st.dates().map(str)
    if rule["type"] == "datetime":
        return nasty | st.datetimes().map(str) | st.datetimes(min_value=datetime(2, 1, 1)).map(lambda at: f"{at}Z")
    return nasty


@st.composite
def gold_tables(draw: DrawFn) -> tuple[Config, Rows]:
    """A configuration and rows for it: 1 to 5 columns, often with a rule in common; 0 to 12 rows of few values."""
    kinds = draw(st.lists(rules(), min_size=1, max_size=3))
    width = draw(st.integers(1, 5))
    chosen = [draw(st.sampled_from(kinds)) for _ in range(width)]
    pools = [draw(st.lists(cells(rule), min_size=1, max_size=4)) for rule in chosen]
    rows = [[draw(st.sampled_from(pool)) for pool in pools] for _ in range(draw(st.integers(0, 12)))]
    columns = [{"gold_index": index, "gold_name": f"g{index}"} | rule for index, rule in enumerate(chosen)]
    ordered = draw(st.booleans())
    return {"schema_version": "1.0", "task_id": "task_1", "order_sensitive": ordered, "columns": columns}, rows


def relation(config: Config, rows: Rows) -> Counter[tuple[Value, ...]] | list[tuple[Value, ...]]:
    """The canonical rows: a sequence when order matters, else a multiset."""
    read = [tuple(canonical(rule, text) for rule, text in zip(config["columns"], row, strict=True)) for row in rows]
    return read if config["order_sensitive"] else Counter(read)


# ---------------------------------------------------------------------------------------- other spellings


def reformat(draw: DrawFn, rule: Config, text: str) -> str:
    """Another spelling of a readable cell, with the same canonical value."""
    value = canonical(rule, text)
    if rule["type"] == "text":
        composed, newline = str(value or ""), draw(st.sampled_from(["\n", "\r\n", "\r"]))
        decomposed = unicodedata.normalize("NFD", composed)
        spelled = draw(st.sampled_from([composed, decomposed])).replace("\n", newline)
    elif value is None:
        spelled = draw(st.sampled_from([*sorted(NULLS), "NULL", "None", "NaN", "NaT", "<NA>"]))
    elif isinstance(value, bool):
        token = draw(st.sampled_from([token for token, meaning in BOOLEANS.items() if meaning is value]))
        spelled = draw(st.sampled_from([token, token.upper(), token.title(), token.replace("s", "ſ")]))
    elif isinstance(value, Decimal):
        spelled = respelled_number(draw, rule, text)
    elif isinstance(value, datetime):
        spelled = respelled_moment(draw, value)
    elif isinstance(value, date):
        midnight = datetime(value.year, value.month, value.day, tzinfo=draw(st.sampled_from([None, UTC])))
        whole = draw(st.booleans())
        spelled = respelled_date(draw, value) if whole else respelled_moment(draw, midnight)
    spelled = draw(st.sampled_from(BLANKS)) + spelled + draw(st.sampled_from(BLANKS))
    return spelled if same(rule, spelled, text) else text


def respelled_number(draw: DrawFn, rule: Config, text: str) -> str:
    """The exact number in another notation, sometimes with digits that rounding may drop."""
    percent_allowed, fraction = rule.get("allow_percent_sign", False), rule.get("unit") == "fraction"
    body = text.strip()
    sign, digits, exponent = Decimal(body.rstrip("%").strip().replace(",", "")).as_tuple()
    assert isinstance(exponent, int)
    if body.endswith("%") and fraction:
        exponent -= 2
    percent = percent_allowed and draw(st.booleans())
    if percent and fraction:
        exponent += 2
    number = Decimal((0, digits, exponent))
    style = draw(st.sampled_from(["plain", "zeros", "grouped", "noise", "exponent"]))
    if abs(number.adjusted()) > 60 or abs(exponent) > 60 or style == "exponent":
        figures = "".join(map(str, digits))
        point = draw(st.integers(0, len(figures)))
        power = f"{exponent + len(figures) - point:{draw(st.sampled_from(['', '+', '03']))}}"
        spelled = f"{figures[:point]}.{figures[point:]}{draw(st.sampled_from('eE'))}{power}"
    else:
        whole, _, decimals = f"{number:f}".partition(".")
        if style == "zeros":
            whole, decimals = "00" + whole, decimals + draw(st.sampled_from(["", "0", "000"]))
        if style == "noise":
            decimals += draw(st.sampled_from(["0", "4999", "00000000000000001", "5"]))
        if style == "grouped":
            whole = f"{int(whole):,}"
        dot = decimals or (style == "plain" and draw(st.booleans()))
        spelled = ("" if whole == "0" and decimals and style == "plain" else whole) + ("." if dot else "") + decimals
    zero = not any(digits)
    signs = ["-"] if sign and not zero else ["", "", "+", *(["-"] if zero else [])]
    spelled = draw(st.sampled_from(signs)) + spelled
    if percent:
        spelled += draw(st.sampled_from(["%", " %", "\u3000%"]))
    return spelled.translate(str.maketrans(SCRIPTS[0], draw(st.sampled_from(SCRIPTS))))


def respelled_date(draw: DrawFn, day: date) -> str:
    year, week, weekday = day.isocalendar()
    spellings = [
        f"{day}",
        f"{day}".replace("-", ""),
        f"{year:04}-W{week:02}-{weekday}",
        f"{year:04}W{week:02}{weekday}",
    ]
    return draw(st.sampled_from(spellings))


def respelled_moment(draw: DrawFn, moment: datetime) -> str:
    """A naive moment with another separator or precision, an aware one with another offset too."""
    zone = ""
    if moment.tzinfo is not None:
        minutes = draw(st.sampled_from(OFFSETS))
        try:
            moment = moment.astimezone(timezone(timedelta(minutes=minutes)))
        except OverflowError:
            minutes = 0
        zone = moment.isoformat()[len(moment.replace(tzinfo=None).isoformat()) :]
        zones = [zone, zone.replace(":", ""), f" {zone}", *(["Z"] if minutes == 0 else [])]
        zone = draw(st.sampled_from([*zones, zone[:3]] if minutes % 60 == 0 else zones))
    clock = f"{moment:%H:%M:%S}"
    if moment.microsecond:
        clock += draw(st.sampled_from([".", ","])) + f"{moment.microsecond:06}" + draw(st.sampled_from(["", "0", "9"]))
    else:
        shorter = [clock, clock + ".000", clock + ",0000009", *([clock[:5]] if clock.endswith(":00") else [])]
        clock = draw(st.sampled_from([*shorter, clock[:2]] if clock.endswith(":00:00") else shorter))
    clock = draw(st.sampled_from([clock, clock.replace(":", "")]))
    return respelled_date(draw, moment.date()) + draw(st.sampled_from(SEPARATORS)) + clock + zone


# ----------------------------------------------------------------------------------------------- changes


def mutate(draw: DrawFn, config: Config, rows: Rows) -> Rows:
    """Rows with one cell, multiplicity, association or (when it matters) position changed: another relation.

    That is for the columns as they stand: under another mapping the tables may still be equal.
    """
    rules = config["columns"]
    read = [[canonical(rule, text) for rule, text in zip(rules, row, strict=True)] for row in rows]
    changed = [list(row) for row in rows]
    indices, width = range(len(rows)), len(rules)
    pairs = [(i, k) for i in indices for k in indices[i + 1 :] if read[i] != read[k]]
    swaps = [
        (i, k, c)
        for i, k in pairs
        for c in range(width)
        if read[i][c] != read[k][c] and (config["order_sensitive"] or read[i][:c] + read[i][c + 1 :] != read[k][:c] + read[k][c + 1 :])
    ]  # fmt: skip
    # Rows added or dropped end at the row count, so they come up least.
    possible = {"add": 1, "drop": len(rows), "cell": len(rows), "repeat": len(pairs), "swap": len(swaps)}
    possible["order"] = len(pairs) if config["order_sensitive"] else 0
    kinds = [kind for kind, ways in possible.items() if ways]
    kind = draw(st.sampled_from([kind for kind in kinds if kind not in ("add", "drop")] * 3 + kinds))
    if kind == "add":
        fresh = st.tuples(*map(cells, rules)).map(list)
        changed.append(draw(st.sampled_from(changed) | fresh if rows else fresh))
    elif kind == "drop":
        del changed[draw(st.sampled_from(indices))]
    elif kind == "cell":
        i, c = draw(st.sampled_from(indices)), draw(st.integers(0, width - 1))
        changed[i][c] = draw(cells(rules[c]).filter(lambda text: canonical(rules[c], text) != read[i][c]))
    elif kind == "repeat":
        i, k = draw(st.sampled_from(pairs))
        changed[i] = list(changed[k])
    elif kind == "swap":
        i, k, c = draw(st.sampled_from(swaps))
        changed[i][c], changed[k][c] = changed[k][c], changed[i][c]
    else:
        i, k = draw(st.sampled_from(pairs))
        changed[i], changed[k] = changed[k], changed[i]
    assert relation(config, changed) != relation(config, rows)
    return changed


# ------------------------------------------------------------------------------------------------- files


def to_csv(draw: DrawFn, header: list[str], rows: Rows) -> bytes:
    """A CSV file of these cells with any line ends, quoting and byte order mark."""
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    style = draw(st.sampled_from(["needed", "all", "some"]))

    def cell(text: str) -> str:
        needed = text.startswith('"') or any(mark in text for mark in ",\r\n") or (len(header) == 1 and not text)
        if needed or style == "all" or (style == "some" and draw(st.booleans())):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = newline.join(",".join(map(cell, row)) for row in [header, *rows])
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    return (mark + lines + draw(st.sampled_from(["", newline]))).encode()


def arranged(draw: DrawFn, config: Config, gold: Rows, prediction: Rows) -> Rewritten:
    """Both tables as files, the prediction's cells respelled, its columns and (where it is free) rows in another order."""
    rules = config["columns"]
    order = draw(st.permutations(range(len(rules))))
    spelled = [[reformat(draw, rule, text) for rule, text in zip(rules, row, strict=True)] for row in prediction]
    moved = [[row[column] for column in order] for row in spelled]
    if not config["order_sensitive"]:
        moved = draw(st.permutations(moved))
    mapping = tuple(order.index(column) for column in range(len(rules)))
    headers = [[draw(st.sampled_from(HEADERS)) for _ in rules] for _ in range(2)]
    files = [to_csv(draw, header, rows) for header, rows in zip(headers, (gold, moved), strict=True)]
    return Rewritten(config, files[0], files[1], mapping)


@st.composite
def rewritten(draw: DrawFn) -> Rewritten:
    """A task whose prediction holds the gold relation in other words."""
    config, rows = draw(gold_tables())
    return arranged(draw, config, rows, rows)


@st.composite
def mutated(draw: DrawFn) -> Rewritten:
    """A task whose prediction differs from gold under the mapping given; the oracle knows whether another one fits."""
    config, rows = draw(gold_tables())
    return arranged(draw, config, rows, mutate(draw, config, rows))
