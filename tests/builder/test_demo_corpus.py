"""The demo corpus: the same bytes for a seed, sound databases, the declared features, and gold that answers."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from builder.demo import write_demo
from builder.demo.clinic import clinic
from builder.demo.corpus import DemoCorpus
from builder.demo.fund import fund_house
from warehouse.errors import BenchlakeError

SEEDS = (7, 0, 2024)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> DemoCorpus:
    return write_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def fund(corpus: DemoCorpus) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(corpus.databases[0])) as connection:
        yield connection


@pytest.fixture(scope="module")
def ward(corpus: DemoCorpus) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(corpus.databases[1])) as connection:
        yield connection


def one(connection: sqlite3.Connection, query: str) -> Any:
    return connection.execute(query).fetchone()[0]


def bytes_of(corpus: DemoCorpus) -> list[bytes]:
    return [path.read_bytes() for path in corpus.databases + corpus.questions]


def questions(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def keys(connection: sqlite3.Connection, table: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """The foreign keys of a table: parent, columns, parent's columns."""
    found: dict[int, list[tuple[str, str, str]]] = {}
    for number, _, parent, column, target, *_ in connection.execute(f'PRAGMA foreign_key_list("{table}")'):
        found.setdefault(number, []).append((parent, column, target))
    return [(key[0][0], tuple(c for _, c, _ in key), tuple(t for _, _, t in key)) for key in found.values()]


def primary_key(connection: sqlite3.Connection, table: str) -> list[str]:
    query = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
    return [name for (name,) in connection.execute(query, (table,))]


# --- files -----------------------------------------------------------------------------------------------------------


def test_the_files_have_their_names(corpus: DemoCorpus) -> None:
    assert [path.name for path in corpus.databases] == ["fund_house.sqlite", "clinic.sqlite"]
    assert [path.name for path in corpus.questions] == ["fund_house.questions.jsonl", "clinic.questions.jsonl"]
    assert len(list(corpus.databases[0].parent.iterdir())) == 4


def test_the_same_seed_gives_the_same_bytes(corpus: DemoCorpus, tmp_path: Path) -> None:
    assert bytes_of(write_demo(tmp_path / "deep" / "er", seed=7)) == bytes_of(corpus)


def test_another_seed_gives_other_databases_and_the_same_questions(corpus: DemoCorpus, tmp_path: Path) -> None:
    other = bytes_of(write_demo(tmp_path, seed=8))
    same = [left == right for left, right in zip(bytes_of(corpus), other, strict=True)]
    assert same == [False, False, True, True]


def test_the_rows_of_a_seed_do_not_depend_on_python_or_platform() -> None:
    digests = [sha256(repr(rows(7)).encode()).hexdigest()[:16] for rows in (fund_house, clinic)]
    assert digests == ["9f95d6f27bcc5a8b", "690faf0aa5576f68"]


def test_equal_files_are_left_and_others_are_replaced(tmp_path: Path) -> None:
    first = write_demo(tmp_path)
    before = [path.stat().st_mtime_ns for path in first.databases + first.questions]
    wanted = bytes_of(first)
    assert write_demo(tmp_path) == first
    assert [path.stat().st_mtime_ns for path in first.databases + first.questions] == before
    first.databases[0].write_bytes(b"something else")
    assert bytes_of(write_demo(tmp_path)) == wanted


def test_a_file_in_the_way_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(BenchlakeError, match=r"^cannot write the demo corpus to .*taken: .*; name a folder"):
        write_demo(tmp_path / "taken")


def test_a_folder_in_the_place_of_a_file_is_one_clear_line_and_leaves_no_draft(tmp_path: Path) -> None:
    (tmp_path / "fund_house.sqlite").mkdir()
    with pytest.raises(BenchlakeError, match="cannot write the demo corpus"):
        write_demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["fund_house.sqlite"]


# --- databases -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_databases_are_sound_and_of_the_stated_size(seed: int, tmp_path: Path) -> None:
    for path, low, high in zip(write_demo(tmp_path, seed).databases, (3000, 1500), (6000, 4000), strict=True):
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            assert 10 <= len(tables) <= 14
            assert low <= sum(one(connection, f'SELECT COUNT(*) FROM "{table}"') for table in tables) <= high


def test_fund_house_has_composite_keys_and_a_composite_foreign_key(fund: sqlite3.Connection) -> None:
    assert primary_key(fund, "daily_nav") == ["fund_code", "nav_date"]
    assert primary_key(fund, "holding") == ["fund_code", "report_date", "security_code"]
    assert ("report_period", ("fund_code", "report_date"), ("fund_code", "report_date")) in keys(fund, "holding")


def test_fund_house_has_a_foreign_key_to_a_unique_key_that_is_not_primary(fund: sqlite3.Connection) -> None:
    assert ("company", ("license_no",), ("license_no",)) in keys(fund, "fund")
    assert primary_key(fund, "company") == ["company_code"]


def test_fund_house_has_awkward_names_a_view_an_index_and_a_check(fund: sqlite3.Connection) -> None:
    objects = dict(fund.execute("SELECT name, type FROM sqlite_schema"))
    assert objects["order"] == objects["fee schedule"] == "table"
    assert objects["fund_overview"] == "view"
    assert objects["order_by_share"] == "index"
    assert one(fund, "SELECT COUNT(*) FROM fund_overview") == one(fund, "SELECT COUNT(*) FROM fund")
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        fund.execute("UPDATE fund SET status = 'sleeping'")


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param("FROM fund WHERE fund_code GLOB '00[0-9][0-9][0-9][0-9]'", id="leading-zeros"),
        pytest.param("FROM fund WHERE name_zh GLOB '*[一-龥]*' AND name_en GLOB '*Fund'", id="two-languages"),
        pytest.param("FROM fund WHERE benchmark_code IS NULL", id="no-benchmark"),
        pytest.param("FROM daily_nav WHERE return_pct IS NULL", id="no-return"),
        pytest.param("FROM dividend WHERE pay_date IS NULL", id="no-pay-date"),
        pytest.param("FROM manager WHERE mentor_id IS NOT NULL", id="mentors"),
        pytest.param("FROM \"fee schedule\" WHERE rate = 0.015 AND rate_text = '1.50%'", id="percent-text-and-real"),
        pytest.param("FROM \"fee schedule\" WHERE rate IS NULL AND rate_text = '1000元/笔'", id="flat-fee"),
        pytest.param("FROM report_period WHERE date(report_date) = report_date", id="iso-dates"),
    ],
)
def test_fund_house_rows_show(fund: sqlite3.Connection, condition: str) -> None:
    assert one(fund, f"SELECT COUNT(*) {condition}") > 0


def test_fee_texts_and_rates_agree(fund: sqlite3.Connection) -> None:
    query = """SELECT COUNT(*) FROM "fee schedule" WHERE (rate_text LIKE '%\\%' ESCAPE '\\') <> (rate IS NOT NULL)
               OR ABS(CAST(REPLACE(rate_text, '%', '') AS REAL) - 100 * rate) > 1e-9"""
    assert one(fund, query) == 0


def test_clinic_has_a_cycle_and_a_self_reference(ward: sqlite3.Connection) -> None:
    assert ("staff", ("head_id",), ("staff_id",)) in keys(ward, "department")
    assert ("department", ("department_id",), ("department_id",)) in keys(ward, "staff")
    assert ("staff", ("supervisor_id",), ("staff_id",)) in keys(ward, "staff")
    assert one(ward, "SELECT COUNT(*) FROM department WHERE head_id IS NOT NULL") > 0
    assert one(ward, "SELECT COUNT(*) FROM staff WHERE supervisor_id IS NOT NULL") > 0


def test_clinic_has_a_table_without_rowid_and_a_composite_foreign_key_to_it(ward: sqlite3.Connection) -> None:
    assert [name for (name,) in ward.execute("SELECT name FROM pragma_table_list WHERE wr = 1")] == ["bed"]
    assert ("bed", ("ward_code", "bed_no"), ("ward_code", "bed_no")) in keys(ward, "admission")


def test_a_laboratory_value_has_four_storage_classes(ward: sqlite3.Connection) -> None:
    classes = {name for (name,) in ward.execute("SELECT DISTINCT typeof(value) FROM lab_result")}
    assert classes == {"integer", "real", "text", "null"}
    assert one(ward, "SELECT COUNT(*) FROM lab_result WHERE typeof(value) = 'text' AND value NOT LIKE '<%'") == 0


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param("FROM diagnosis_code WHERE code GLOB '0[0-9][0-9][0-9]'", id="leading-zeros"),
        pytest.param("FROM lab_result WHERE value IS NULL AND unit IS NULL", id="lost-samples"),
        pytest.param("FROM patient WHERE blood_type IS NULL", id="no-blood-type"),
        pytest.param("FROM admission WHERE discharged_at IS NULL", id="still-in"),
        pytest.param("FROM visit WHERE datetime(visited_at) = visited_at", id="date-times"),
        pytest.param("FROM scan_image WHERE typeof(thumbnail) = 'blob'", id="blobs"),
        pytest.param("FROM pragma_table_xinfo('insurance_claim') WHERE hidden = 2", id="generated-column"),
        pytest.param("FROM insurance_claim WHERE shortfall > 0", id="generated-values"),
    ],
)
def test_clinic_rows_show(ward: sqlite3.Connection, condition: str) -> None:
    assert one(ward, f"SELECT COUNT(*) {condition}") > 0


def test_no_bed_holds_two_patients_and_no_patient_lies_in_two_beds(ward: sqlite3.Connection) -> None:
    query = """SELECT COUNT(*) FROM admission a JOIN admission b ON a.admission_id < b.admission_id
               AND (a.patient_id = b.patient_id OR (a.ward_code = b.ward_code AND a.bed_no = b.bed_no))
               WHERE COALESCE(a.discharged_at, '9999') > b.admitted_at"""
    assert one(ward, query) == 0


def test_the_empty_table_fills_by_its_trigger_only(ward: sqlite3.Connection) -> None:
    assert one(ward, "SELECT COUNT(*) FROM claim_event") == 0
    with closing(sqlite3.connect(":memory:")) as copy:
        ward.backup(copy)
        changed = copy.execute("UPDATE insurance_claim SET status = 'paid' WHERE status = 'pending'").rowcount
        assert one(copy, "SELECT COUNT(*) FROM claim_event WHERE new_status = 'paid'") == changed > 0


# --- questions -------------------------------------------------------------------------------------------------------


def test_questions_have_their_fields_and_unique_ids(corpus: DemoCorpus) -> None:
    every = [entry for path in corpus.questions for entry in questions(path)]
    assert len({entry["id"] for entry in every}) == len({entry["question"] for entry in every}) == len(every)
    for path, database in zip(corpus.questions, corpus.databases, strict=True):
        entries = questions(path)
        assert len(entries) >= 18
        for entry in entries:
            assert list(entry) == ["id", "db_id", "question", "sql", "evidence", "language", "difficulty"]
            assert entry["db_id"] == database.stem
            assert (entry["language"] == "zh") == any("一" <= letter <= "龥" for letter in entry["question"])
        levels = [("easy", "medium", "hard").index(entry["difficulty"]) for entry in entries]
        assert levels == sorted(levels)
        assert min(Counter(levels)[level] for level in range(3)) >= 4


def test_about_a_third_of_the_fund_questions_are_chinese(corpus: DemoCorpus) -> None:
    languages = Counter(entry["language"] for entry in questions(corpus.questions[0]))
    assert 0.25 <= languages["zh"] / languages.total() <= 0.45


@pytest.mark.parametrize("seed", SEEDS)
def test_every_gold_answers_within_bounds_whatever_the_seed(seed: int, tmp_path: Path) -> None:
    corpus = write_demo(tmp_path, seed)
    for database, path in zip(corpus.databases, corpus.questions, strict=True):
        with closing(sqlite3.connect(database)) as connection:
            for entry in questions(path):
                cursor = connection.execute(entry["sql"])
                rows = cursor.fetchall()
                assert 1 <= len(rows) <= 200, entry["id"]
                assert len(cursor.description) <= 6, entry["id"]
                assert not any(isinstance(value, bytes) for row in rows for value in row), entry["id"]
                assert any(value is not None for row in rows for value in row), entry["id"]


def test_every_gold_gives_the_same_answer_from_rows_in_another_order(corpus: DemoCorpus) -> None:
    for database, path in zip(corpus.databases, corpus.questions, strict=True):
        with closing(sqlite3.connect(database)) as plain, closing(sqlite3.connect(database)) as reversed_scans:
            reversed_scans.execute("PRAGMA reverse_unordered_selects = ON")
            for entry in questions(path):
                left, right = (side.execute(entry["sql"]).fetchall() for side in (plain, reversed_scans))
                if "ORDER BY" not in entry["sql"]:
                    left, right = sorted(left), sorted(right)
                assert left == right, entry["id"]


def test_no_gold_reads_the_clock_or_cuts_without_order(corpus: DemoCorpus) -> None:
    for path in corpus.questions:
        for entry in questions(path):
            sql = entry["sql"].lower()
            assert not any(word in sql for word in ("'now'", "current_", "random", "localtime")), entry["id"]
            assert " limit " not in sql or "order by" in sql, entry["id"]


def test_a_limit_never_cuts_a_tie_of_the_shown_sort_key(corpus: DemoCorpus) -> None:
    cuts = 0
    for database, path in zip(corpus.databases, corpus.questions, strict=True):
        with closing(sqlite3.connect(database)) as connection:
            for entry in questions(path):
                whole, cut, count = entry["sql"].rpartition(" LIMIT ")
                if not cut:
                    continue
                cuts += 1
                rows = connection.execute(whole).fetchall()
                first, behind = rows[int(count) - 1], rows[int(count)]
                assert not {value for value in first if isinstance(value, float)} & set(behind), entry["id"]
    assert cuts >= 3


@pytest.mark.parametrize(
    "form",
    ["LEFT JOIN", "HAVING", "DISTINCT", "EXISTS", "NOT IN", "WITH ", "OVER (", "UNION", "EXCEPT", "CASE ", "LIKE"],
)
def test_the_golds_cover(corpus: DemoCorpus, form: str) -> None:
    assert any(form in entry["sql"] for path in corpus.questions for entry in questions(path))
