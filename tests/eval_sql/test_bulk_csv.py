"""Many files at once: the array reader says of every file what the strict reader says."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eval_sql import bulk_csv
from eval_sql.bulk_csv import Shape, read_tables
from eval_sql.table_csv import NotATable, Table, read_table

MIB = 1024 * 1024


def strictly(data: bytes) -> Table | str:
    """The table, or the problem."""
    try:
        return read_table(data)
    except NotATable as error:
        return f"{error.code}: {error}"


def rows_of(found: Table) -> list[str]:
    """The cells, row by row."""
    columns = [[column.texts[at] for at in column.index] for column in found.columns]
    return [text for row in zip(*columns, strict=True) for text in row]


def assert_agree(files: list[bytes]) -> None:
    read = read_tables(files)
    texts = read.texts.to_pylist()
    assert len(set(texts)) == len(texts)
    cells = [texts[at] for at in read.ids.tolist()]
    at = 0
    assert len(read.shapes) == len(files)
    for data, shape in zip(files, read.shapes, strict=True):
        wanted = strictly(data)
        if isinstance(wanted, str):
            assert (shape.problem, shape.width, shape.row_count, shape.cells) == (wanted, 0, 0, False), data[:200]
            assert shape.names() == []
            continue
        assert (shape.problem, shape.width, shape.row_count) == (None, len(wanted.columns), wanted.row_count), data[
            :200
        ]
        assert shape.names() == wanted.header, data[:200]
        size = shape.width * shape.row_count
        assert cells[at : at + size] == rows_of(wanted), data[:200]
        at += size
    assert at == len(cells)


pieces = st.sampled_from(
    [
        b",", b",", b",", b"\n", b"\n", b"\n", b"\r\n", b"\r", b'"', b'"', b'""', b'"",', b'\n"', b'","', b'"\n', b"a", b"b", b"a,b\n",
        b"1,2\n", b'"a,b"', b'"a\nb"', b'"a\r\nb"', b'"a""b"', b" ", b"\xef\xbb\xbf", b"\xef\xbb", b"\0", b"\xff", b"\xed\xa0\x80", "é".encode(),
        "\u2028".encode(), "\x85".encode(), b"\x0b", b"\x1c", "名".encode(), "🐍".encode(), b"\t",
    ]
)  # fmt: skip
any_bytes = st.lists(pieces, max_size=24).map(b"".join)


@st.composite
def near_tables(draw: st.DrawFn) -> bytes:
    """A regular file in which one piece may be replaced, so that most of it is as it should be."""
    width, newline = draw(st.integers(1, 4)), draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    cell = st.sampled_from(
        [b"a", b"", b"12", b'"x"', b'"x,y"', b'"x\ny"', b'"x\r\ny"', b'"""q"""', b'""', "é".encode(), b" "]
    )
    lines = [b",".join(draw(st.lists(cell, min_size=width, max_size=width))) for _ in range(draw(st.integers(1, 5)))]
    data = (
        draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + newline.join(lines) + draw(st.sampled_from([b"", newline]))
    )
    if draw(st.booleans()):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(pieces) + data[at + draw(st.integers(0, 1)) :]
    return data


files_of = st.lists(any_bytes | near_tables(), min_size=1, max_size=12)


@settings(deadline=None, max_examples=400)
@given(files_of)
@example([b""])
@example([b"", b"a\n1\n"])
@example([b'a\n"', b'"\n1\n'])
@example([b'a"\n', b'"b\n'])
@example([b"\n", b"a\n"])
@example([b"a", b"\nb\n"])
@example([b'"a"', b'"b"'])
@example([b'""""\n""\n'])
@example([b'"a""\n', b'""b"\n'])
def test_both_readers_agree_on_any_bytes(files: list[bytes]) -> None:
    assert_agree(files)


@settings(deadline=None, max_examples=150)
@given(files_of, st.integers(1, 40))
def test_where_files_are_cut_into_pieces_does_not_matter(files: list[bytes], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk_csv, "_PIECE_BYTES", size)
        assert_agree(files)


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_limits(quote: bytes) -> None:
    def cell(text: bytes) -> bytes:
        return quote + text + quote

    wide = [b",".join([cell(b"a")] * width) + b"\n" for width in (63, 64, 65)]
    long = [cell(b"a") + b"\n" + (cell(b"x") + b"\n") * count for count in (99_999, 100_000, 100_001)]
    big = [cell(b"a") + b"\n" + cell(b"x" * size) + b"\n" for size in (2 * MIB - 3, 2 * MIB, 2 * MIB + 1)]
    characters = [cell(b"a") + b"\n" + cell("é".encode() * size) + b"\n" for size in (2 * MIB, 2 * MIB + 1)]
    full = [
        cell(b"a") + b"\n" + (cell(b"x" * MIB) + b"\n") * 19 + cell(b"x" * (MIB - more))
        for more in (18 + 4 * len(quote) * 11, 0)
    ]
    assert_agree([*wide, *long, *big, *characters, *full, b"a\n" + b"\n" * 100_000, b"," * 20 * MIB])


def test_cells_are_taken_only_where_they_are_wanted() -> None:
    files = [b"a\n1\n", b"a,b\n2,3\n", b"\n", b'a\n"4\r\n"\n', b"a\n5\n"]
    asked: list[tuple[int, int]] = []

    def wanted(place: int, shape: Shape) -> bool:
        asked.append((place, shape.width))
        return shape.width == 1 and place != 0

    read = read_tables(files, wanted)
    assert asked == [(0, 1), (1, 2), (3, 1), (4, 1)]
    assert [shape.cells for shape in read.shapes] == [False, False, False, True, True]
    assert [read.texts.to_pylist()[at] for at in read.ids.tolist()] == ["4\r\n", "5"]
    assert [(shape.width, shape.row_count) for shape in read.shapes] == [(1, 1), (2, 1), (0, 0), (1, 1), (1, 1)]


def test_no_files_are_no_tables() -> None:
    read = read_tables([])
    assert (read.shapes, len(read.texts), len(read.ids)) == ([], 0, 0)
