"""The content digest: what changes it, and what does not."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from databases import build
from hostile import hostile_database

from warehouse import Lake
from warehouse.digest import content_digest
from warehouse.ingest_db import ingest_database
from warehouse.lake import append

Rows = Sequence[dict[str, object]]
TABLE = "evaluation.table_row"


def put(lake: Lake, table: str, rows: Rows) -> None:
    lake.commit("ingest", lambda cursor: (append(cursor, table, rows), {"rows": len(rows)}))


def run(lake: Lake, statement: str) -> None:
    lake.commit("ingest", lambda cursor: (cursor.execute(statement), {}))


def numbered(count: int) -> Rows:
    return [{"file": f"f{n % 7}", "row": n, "cells": [str(n), None, ""]} for n in range(count)]


@pytest.fixture
def twins(empty_lake: Path, tmp_path: Path) -> Callable[[], Lake]:
    """Makes empty lakes, one a call."""
    made: list[Lake] = []

    def make() -> Lake:
        lake = Lake.open(shutil.copytree(empty_lake, tmp_path / f"lake{len(made)}"))
        made.append(lake)
        return lake

    yield make
    for lake in made:
        lake.close()


def test_the_order_of_databases_changes_nothing(twins: Callable[[], Lake], tmp_path: Path) -> None:
    paths = [
        hostile_database(tmp_path / "odd 'one'.sqlite"),
        build(tmp_path / "b.sqlite", "CREATE TABLE t (a REAL)", "INSERT INTO t VALUES (1.5), (NULL)"),
    ]
    digests = set()
    for order in (paths, paths[::-1]):
        lake = twins()
        for path in order:
            ingest_database(lake, path, "c")
        digests.add(content_digest(lake))
    assert len(digests) == 1


@pytest.mark.parametrize("batches", [[300], [1, 1, 298], [150, 5, 145]])
@pytest.mark.parametrize("reverse", [False, True])
def test_batches_and_the_order_of_rows_change_nothing(module_lake: Lake, batches: list[int], reverse: bool) -> None:
    rows = list(numbered(300))
    wanted = _digest_of(module_lake, [rows])
    if reverse:
        rows.reverse()
    parts = [rows[sum(batches[:n]) : sum(batches[: n + 1])] for n in range(len(batches))]
    assert _digest_of(module_lake, parts) == wanted


def _digest_of(lake: Lake, parts: Sequence[Rows]) -> str:
    run(lake, f"DELETE FROM {TABLE}")
    for part in parts:
        put(lake, TABLE, part)
    return content_digest(lake)


def test_every_difference_shows(module_lake: Lake) -> None:
    variants: list[Rows] = [
        [],
        [{"file": "a", "row": 1, "cells": ["x"]}],
        [{"file": "a", "row": 1, "cells": ["x"]}] * 2,
        [{"file": "a", "row": 1, "cells": ["x"]}] * 3,
        [{"file": "a", "row": 2, "cells": ["x"]}],
        [{"file": "b", "row": 1, "cells": ["x"]}],
        [{"file": "", "row": 1, "cells": ["x"]}],
        [{"file": None, "row": 1, "cells": ["x"]}],
        [{"file": "NULL", "row": 1, "cells": ["x"]}],
        [{"file": "null", "row": 1, "cells": ["x"]}],
        [{"file": "a", "row": None, "cells": ["x"]}],
        [{"file": "a", "row": 1, "cells": None}],
        [{"file": "a", "row": 1, "cells": []}],
        [{"file": "a", "row": 1, "cells": [None]}],
        [{"file": "a", "row": 1, "cells": [""]}],
        [{"file": "a", "row": 1, "cells": ["", ""]}],
        [{"file": "a", "row": 1, "cells": ["NULL"]}],
        [{"file": "a", "row": 1, "cells": ["x", None]}],
        [{"file": "a", "row": 1, "cells": [None, "x"]}],
        [{"file": "a", "row": 1, "cells": ["x, x"]}],
        [{"file": "a", "row": 1, "cells": ["x", "x"]}],
        [{"file": "a", "row": 1, "cells": ["[x]"]}],
        [{"file": 'a","row":1,"', "row": 1, "cells": ["x"]}],
    ]
    digests = [_digest_of(module_lake, [rows]) for rows in variants]
    assert len(set(digests)) == len(variants)


def test_rows_of_another_table_are_other_rows(module_lake: Lake) -> None:
    empty = _digest_of(module_lake, [])
    digests = []
    for table in ("source.key_violation", "sampling.policy", "run.experiment"):
        put(module_lake, table, [{}])
        digests.append(content_digest(module_lake))
        run(module_lake, f"DELETE FROM {table}")
    assert len({empty, *digests}) == 4
    assert content_digest(module_lake) == empty


VALUES = (
    "0", "1", "0.0", "-0.0", "1.0", "'1'", "''", "NULL", "x''", "x'31'", "'x''31'''", "9007199254740993",
    "9007199254740992.0", "9007199254740992", "0.1", "0.1 + 5e-17", "0.30000000000000004", "0.3", "5e-324", "1e308",
    "'1.0'", "x'00'", "char(0)", "'\\x00'", "CAST(x'00ff' AS TEXT)", "x'00ff'", "'é'", "'e' || char(769)",
)  # fmt: skip


def test_source_values_are_told_apart(module_lake: Lake, tmp_path: Path) -> None:
    """Cells of every storage class, beside others that make the column a tagged one, and alone."""
    done = {}
    for alone in (False, True):
        # Tables with few rows each, in one database: what is compared is the hash of each table's rows.
        statements = [
            statement
            for number, value in enumerate(VALUES)
            for statement in (
                f"CREATE TABLE t{number} (v)",
                f"INSERT INTO t{number} VALUES ({value})" + ("" if alone else ", (1), ('a'), (1.5), (x'61')"),
            )
        ]
        path = build(tmp_path / f"alone_{alone}.sqlite", *statements)
        schema = f"src_alone_{alone}"
        ingest_database(module_lake, path, "values")
        for number in range(len(VALUES)):
            table = f"{schema}.t{number}"
            tag = module_lake.rows(f"SELECT any_value(typeof(v)) FROM {table}")
            run(module_lake, f"CREATE OR REPLACE TABLE main.compared AS SELECT v FROM {table}")
            done[(alone, number)] = (tag, content_digest_of_compared(module_lake))
    run(module_lake, "DROP TABLE main.compared")
    for alone in (False, True):
        found = [done[(alone, number)] for number in range(len(VALUES))]
        assert len({repr(item) for item in found}) == len(VALUES)


def content_digest_of_compared(lake: Lake) -> str:
    return lake.rows(
        "SELECT md5(string_agg(h, '' ORDER BY h)) FROM (SELECT sha256(to_json(c)) AS h FROM main.compared AS c)"
    )[0][0]


def test_a_column_may_have_the_alias_of_the_row(module_lake: Lake, tmp_path: Path) -> None:
    before = content_digest(module_lake)
    path = build(tmp_path / "alias.sqlite", "CREATE TABLE t (row0, row1)", "INSERT INTO t VALUES (1, 2)")
    ingest_database(module_lake, path, "alias")
    after = content_digest(module_lake)
    assert after != before
    run(module_lake, "UPDATE src_alias.t SET row1 = 3")
    assert content_digest(module_lake) not in (before, after)


def test_events_and_settings_do_not_count(module_lake: Lake) -> None:
    before = content_digest(module_lake)
    run(module_lake, "UPDATE ledger.setting SET value = 'other'")
    run(module_lake, "UPDATE ledger.schema_version SET name = 'other'")
    assert content_digest(module_lake) == before


def test_names_and_types_count(module_lake: Lake) -> None:
    digests = []
    for columns in ("a BIGINT, b BIGINT", "b BIGINT, a BIGINT", "a INTEGER, b BIGINT", "a BIGINT, c BIGINT"):
        run(module_lake, f"CREATE OR REPLACE TABLE main.made ({columns})")
        digests.append(content_digest(module_lake))
    run(module_lake, "DROP TABLE main.made")
    assert len(set(digests)) == 4


def test_another_process_may_commit_meanwhile(lake: Lake, lake_folder: Path) -> None:
    """The digest is of one moment: a commit between its tables is not half seen."""
    put(lake, TABLE, numbered(20))
    before = content_digest(lake)

    class Committing(Lake):
        """Commits to every table that is still to be read, right after the first read."""

    with Lake.open(lake_folder) as other:
        from warehouse import inventory

        with inventory.one_snapshot(lake) as cursor:
            first = inventory.tables(cursor)
            put(other, TABLE, numbered(5))
            run(other, "CREATE TABLE main.made (a BIGINT)")
            assert inventory.tables(cursor) == first
            assert cursor.execute(f"SELECT count(*) FROM {TABLE}").fetchone() == (20,)
    assert content_digest(lake) != before
