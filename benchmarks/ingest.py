"""Ingest of a SQLite database into a lake, against DuckDB's own SQLite scanner writing the same rows to Parquet.

    python benchmarks/ingest.py [ROWS]

Ours also keeps the file, profiles every column and finds the key pairs; the ratio is what that costs.
"""

import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from warehouse import Lake, extensions
from warehouse.ingest_db import ingest_database


def make(path: Path, rows: int) -> None:
    """A parent and a child table of eight columns, with NULLs, text and numbers."""
    with sqlite3.connect(path) as con:
        con.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT)")
        con.execute(
            "CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent, a REAL, b TEXT, c TEXT, "
            "d INTEGER, e TEXT, f REAL)"
        )
        con.executemany("INSERT INTO parent VALUES (?, ?)", ((i, f"parent {i}") for i in range(rows // 100 + 1)))
        con.executemany(
            "INSERT INTO child VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    i,
                    i % (rows // 100 + 1),
                    i / 7,
                    f"text {i % 999}",
                    None if i % 3 else "x",
                    i * 31,
                    "2024-01-02",
                    i * 0.5,
                )
                for i in range(rows)
            ),
        )
    con.close()


def peer(path: Path, out: Path) -> float:
    """Seconds that the scanner takes."""
    connection = extensions.connect()
    started = time.perf_counter()
    connection.execute(f"ATTACH '{path}' AS source (TYPE sqlite, READ_ONLY)")
    for table in ("parent", "child"):
        connection.execute(f"COPY source.{table} TO '{out / table}.parquet' (FORMAT parquet)")
    return time.perf_counter() - started


def ours(path: Path, out: Path) -> float:
    """Seconds that an ingest into an open lake takes."""
    with Lake.create(out / "lake") as lake:
        started = time.perf_counter()
        ingest_database(lake, path, "bench")
        return time.perf_counter() - started


def main() -> None:
    """Print both times and their ratio, best of three."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source.sqlite"
        make(source, rows)
        times = []
        for number in range(3):
            out = Path(folder) / str(number)
            out.mkdir()
            times.append((peer(source, out), ours(source, out)))
    scanner, lake = (min(pair[side] for pair in times) for side in (0, 1))
    print(f"{rows} rows x 8 columns: DuckDB sqlite_scanner {scanner:.2f} s, benchlake ingest {lake:.2f} s")
    print(f"ratio {lake / scanner:.1f} times the scanner's time")


if __name__ == "__main__":
    main()
