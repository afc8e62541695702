"""CSV bytes to tables: the strict reader's rules and the limits."""

from __future__ import annotations

import csv
import threading

import pytest

from eval_sql.table_csv import NotATable, read_table

MIB = 1024 * 1024


def rows(data: bytes) -> list[tuple[str, ...]]:
    table = read_table(data)
    found = list(zip(*([column.texts[at] for at in column.index] for column in table.columns), strict=True))
    assert len(found) == table.row_count
    return found


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"a,b\n1,2\n3,4\n", [("1", "2"), ("3", "4")]),
        (b"a,b\r\n1,2\r3,4", [("1", "2"), ("3", "4")]),
        (b"a,b", []),
        (b"\xef\xbb\xbfa\n1\n", [("1",)]),
        (b'\xef\xbb\xbf\xef\xbb\xbf"a"\n1\n', [("1",)]),
        (b'a\n" x ""y"",\r\n"\n', [(' x "y",\r\n',)]),
        (b'a\nx"y\n "z"\n', [('x"y',), (' "z"',)]),
        (b'a\n""\n \n', [("",), (" ",)]),
        ("a\nx\u2028y\x85z\x0b\x0c\n".encode(), [("x\u2028y\x85z\x0b\x0c",)]),
        (b"a,a\n,\n", [("", "")]),
        (b"a\n" + b"x\n" * 100_000, [("x",)] * 100_000),
        (b"a" + b",a" * 63 + b"\n" + b"," * 63, [("",) * 64]),
        (b"a\n" + b"x" * 2 * MIB, [("x" * 2 * MIB,)]),
    ],
)
def test_a_table_is_read(data: bytes, wanted: list[tuple[str, ...]]) -> None:
    assert rows(data) == wanted


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "no_header"),
        (b"\xef\xbb\xbf", "no_header"),
        (b"\n1\n", "no_header"),
        (b"a\n1\n\n", "ragged_row"),
        (b"a,b\n1\n", "ragged_row"),
        (b"a\n1,2\n", "ragged_row"),
        (b'a\n"x"y\n', "csv_syntax"),
        (b'a\n"x" \n', "csv_syntax"),
        (b'a\n"x\n', "csv_syntax"),
        (b"a\n\xff\n", "not_utf8"),
        (b"a\n\xed\xa0\x80\n", "not_utf8"),
        ("a\n1\n".encode("utf-16"), "nul"),
        (b"a\0\n1\n", "nul"),
        (b"a\n" + b"x\n" * 100_001, "too_many_rows"),
        (b"a" + b",a" * 64 + b"\n", "too_many_columns"),
        (b"," * 20 * MIB, "too_many_columns"),
        (b"a\n" + b"x" * (2 * MIB + 1), "csv_syntax"),
        (b"x" * (2 * MIB + 1), "csv_syntax"),
        (b"a\n" + b"x" * 20 * MIB, "too_large"),
    ],
)
def test_what_is_not_a_table_is_refused_with_a_code(data: bytes, code: str) -> None:
    with pytest.raises(NotATable) as error:
        read_table(data)
    assert error.value.code == code


def test_a_cell_is_too_long_although_the_csv_module_would_take_it() -> None:
    before = csv.field_size_limit(30 * MIB)
    try:
        with pytest.raises(NotATable) as error:
            read_table(b"a,b\nx,y\nx," + b"y" * (2 * MIB + 1))
        assert (error.value.code, csv.field_size_limit()) == ("cell_too_long", 30 * MIB)
    finally:
        csv.field_size_limit(before)


def test_the_header_is_kept_as_it_stands() -> None:
    assert read_table(b'\xef\xbb\xbf"a,b", c,a\n').header == ["a,b", " c", "a"]


def test_the_limit_of_the_csv_module_is_put_back() -> None:
    before = csv.field_size_limit()
    long = b"a\n" + b"x" * MIB
    assert len(rows(long)[0][0]) == MIB
    with pytest.raises(NotATable):
        read_table(long + b'\n"')
    assert csv.field_size_limit() == before


def test_readers_in_threads_do_not_lower_the_limit_for_each_other() -> None:
    before = csv.field_size_limit()
    data = [b"a\n" + b"x" * (200_000 + at) for at in range(12)]
    lengths: list[int] = []
    threads = [threading.Thread(target=lambda d=d: lengths.append(len(rows(d)[0][0]))) for d in data]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(lengths) == [200_000 + at for at in range(12)]
    assert csv.field_size_limit() == before
