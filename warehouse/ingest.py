"""Ingest of a corpus: its databases, supplied relations and questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from warehouse.errors import BenchlakeError
from warehouse.ingest_db import SuppliedKey, ingest_database
from warehouse.ingest_questions import IngestedQuestions, ingest_questions
from warehouse.lake import Lake
from warehouse.questions.read import read_questions, read_relations

MAX_CORPUS_NAME = 200

Progress = Callable[[str, int, int], None]


@dataclass
class CorpusReport:
    """What an ingest did. `refused`: (db.table, reason); `problems`: databases that could not be ingested."""

    databases: int
    new_databases: int
    tables: int
    rows: int
    refused: list[tuple[str, str]]
    problems: list[str]
    questions: IngestedQuestions | None = None

    @property
    def changed(self) -> bool:
        """Whether anything new came into the lake, or could not; else the lake holds all of it already."""
        return bool(self.new_databases or self.problems or (self.questions and self.questions.new))


def ingest_corpus(
    lake: Lake,
    corpus: str,
    databases: Sequence[Path],
    questions: Path | None = None,
    form: str | None = None,
    relations: Path | None = None,
    progress: Progress | None = None,
) -> CorpusReport:
    """Ingest databases, one commit each, and then their questions.

    A database that cannot be ingested is named in `problems`, and the others go on. Question and relations files are
    read before anything is written. Raises BenchlakeError when one of these is unreadable, when two databases have the
    same name, or when a relations file is about other databases only.
    """
    if not corpus or len(corpus) > MAX_CORPUS_NAME or not corpus.isprintable():
        raise BenchlakeError(f"a corpus name has 1 to {MAX_CORPUS_NAME} printable characters")
    names = [path.stem for path in databases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BenchlakeError(f"two databases are called {twice[0]!r}: a corpus tells its databases apart by file name")
    only = names[0] if len(names) == 1 else None
    found = read_questions(questions, form, only) if questions is not None and form is not None else None
    supplied = _supplied(relations, names, only)
    for item in found.relations if found is not None else ():
        hint = SuppliedKey(item.child_table, item.child_columns, item.parent_table, item.parent_columns, hint=True)
        supplied.setdefault(item.db_id, []).append(hint)
    report = CorpusReport(len(databases), 0, 0, 0, [], [])
    for number, path in enumerate(databases):
        if progress:
            progress(path.stem, number, len(databases))
        try:
            done = ingest_database(lake, path, corpus, supplied.get(path.stem, ()))
        except BenchlakeError as error:
            report.problems.append(str(error))
            continue
        report.new_databases += done.new
        report.tables += done.tables
        report.rows += done.rows
        report.refused += [(f"{done.db_id}.{table}", reason) for table, reason in done.refused]
    if found is not None:
        report.questions = ingest_questions(lake, corpus, found)
    return report


def _supplied(path: Path | None, names: Sequence[str], only: str | None) -> dict[str, list[SuppliedKey]]:
    by_db: dict[str, list[SuppliedKey]] = {}
    for item in read_relations(path) if path is not None else ():
        db_id = item.db_id or only
        if db_id is None:
            raise BenchlakeError(
                f"{path}: a relation of {item.child_table} names no db_id, and several databases are given"
            )
        key = SuppliedKey(item.child_table, item.child_columns, item.parent_table, item.parent_columns)
        by_db.setdefault(db_id, []).append(key)
    # A Spider tables.json covers the whole of Spider: entries of other databases say nothing about these.
    given = {name: keys for name, keys in by_db.items() if name in names}
    if by_db and not given:
        raise BenchlakeError(f"{path}: no relation in it is of a database that is given, but of {min(by_db)!r} for one")
    return given
