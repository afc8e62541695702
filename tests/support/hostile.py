"""A small database in which names and values are as odd as SQLite lets them be."""

from pathlib import Path

from databases import build

from warehouse.ids import quote

LONG = "x" * 200
ODD_TABLE = 'it\'s "odd"). Grain: (a'
NAMES = ("select", ODD_TABLE, "tables/../up", "表 格", LONG, "empty", "wide")


def hostile_database(path: Path) -> Path:
    """Reserved, quoted, non-ASCII and long names; columns that DuckLake and benchlake use; mixed storage classes."""
    odd = quote(ODD_TABLE)
    return build(
        path,
        'CREATE TABLE "select" ("_rowid" TEXT, row_id INT, "a""b" ANY, "名 前" REAL, "order" BLOB, row0 INT)',
        f"CREATE TABLE {odd} (id INTEGER PRIMARY KEY, parent INT REFERENCES {odd}(id), note TEXT)",
        'CREATE TABLE "tables/../up" (snapshot_id, "_ducklake_internal_row_id", "_ducklake_internal_snapshot_id", r)',
        'CREATE TABLE "表 格" ("列" TEXT)',
        f"CREATE TABLE {LONG} (k TEXT PRIMARY KEY, v INT) WITHOUT ROWID",
        "CREATE TABLE empty (a, b TEXT)",
        f"CREATE TABLE wide ({', '.join(f'c{number}' for number in range(300))})",
        "INSERT INTO \"表 格\" VALUES ('值'), (CAST(x'ff' AS TEXT)), ('a' || char(10) || 'b'), ('NULL'), ('')",
        f"INSERT INTO wide VALUES ({', '.join(map(str, range(300)))})",
        rows={
            'INSERT INTO "select" VALUES (?, ?, ?, ?, ?, ?)': [
                ("a", 1, 1, -0.0, b"\0\xff", 1),
                ("b", 2**63 - 1, "one", 1e308, b"", None),
                (None, -(2**63), 1.5, 0.0, None, 2),
                ("", 0, b"\1", 5e-324, b"A", 3),
                ("NULL", None, None, None, None, None),
            ],
            f"INSERT INTO {odd} VALUES (?, ?, ?)": [(1, None, "root"), (2, 1, ""), (3, 99, None)],
            'INSERT INTO "tables/../up" VALUES (?, ?, ?, ?)': [
                (-0.0, "x", None, -0.0), (1, 2.5, b"y", 0.0), ("z", 2**53 + 1, 1e22, None),
            ],
            f"INSERT INTO {LONG} VALUES (?, ?)": [("a", 1), ("b", -(2**63))],
        },
    )  # fmt: skip
