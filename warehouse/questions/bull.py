"""BULL, the financial set of FinSQL: `dataset/BULL-{cn,en}/{train,dev}.json` with a `tables.json` in each folder.

A record is {q_id, question, db_name, sql_query} with a parse of the SQL beside it. `q_id` restarts from 0 in every
file, so a qid is `<cn|en>-<split>-<q_id>` whether one file or the whole set is read.
"""

from collections.abc import Iterable
from pathlib import Path

from warehouse.errors import BenchlakeError
from warehouse.questions.files import load_list
from warehouse.questions.model import Json, QuestionSet
from warehouse.questions.record import Shape, collect, numbered, split_of
from warehouse.questions.tables import Columns, tables_beside, with_tables

EXPECTED = "a JSON list of {q_id, question, db_name, sql_query} (BULL)"

_FOLDERS = {"bull-cn": "cn", "bull-en": "en"}
_LANGUAGES = {"cn": "zh", "en": "en", "": ""}
_SPLITS = ("train", "dev", "test")
_SHAPE = Shape(
    qid=("q_id", "question_id", "id"),
    db_id=("db_name", "db_id"),
    sql=("sql_query", "query", "SQL", "sql"),
    parsed=frozenset({"from", "select", "where", "groupBy", "having", "orderBy", "limit"}),
)


def read(path: Path, db_id: str | None = None) -> QuestionSet:
    """The questions of one file, of every split in a `BULL-xx` folder, or of all such folders in `dataset/`.

    Implements pipeline.md, Ingest. The language comes from the folder's name (else from a file name such as
    `dev_cn.json`); database ids are as published, the same in both languages. `db_id` stands in where a record names
    no database. Raises BenchlakeError when nothing in the layout is found or a file cannot be read.
    """
    if not path.is_dir():
        return _file(path, db_id)
    splits = _splits(path)
    if not splits:
        folders = sorted(child for child in path.iterdir() if child.name.lower() in _FOLDERS and child.is_dir())
        splits = [split for folder in folders for split in _splits(folder)]
    if not splits:
        raise BenchlakeError(f"{path}: no train.json, dev.json or test.json here, nor in a BULL-cn or BULL-en folder")
    return _merged(_file(split, db_id) for split in splits)


def _splits(folder: Path) -> list[Path]:
    return [folder / f"{name}.json" for name in _SPLITS if (folder / f"{name}.json").is_file()]


def _file(path: Path, db_id: str | None) -> QuestionSet:
    code = _code(path)
    language = _LANGUAGES[code]
    split = split_of(path.stem)
    questions = collect(
        numbered(load_list(path, EXPECTED)),
        _SHAPE,
        db_id=db_id,
        split=split,
        language=language,
        prefix="".join(f"{part}-" for part in (code, split) if part),
        where=f"{path.absolute().parent.name}/{path.name}: ",
    )
    return with_tables(questions, tables_beside([path.with_name("tables.json")], language=language, shift=_shift))


def _code(path: Path) -> str:
    folder = _FOLDERS.get(path.absolute().parent.name.lower())
    return folder or next((word for word in path.stem.lower().split("_") if word in ("cn", "en")), "")


def _merged(sets: Iterable[QuestionSet]) -> QuestionSet:
    parts = list(sets)
    return QuestionSet(
        questions=tuple(question for part in parts for question in part.questions),
        rejected=tuple(dict.fromkeys(rejected for part in parts for rejected in part.rejected)),
        relations=tuple(dict.fromkeys(relation for part in parts for relation in part.relations)),
        column_labels=tuple(dict.fromkeys(label for part in parts for label in part.column_labels)),
    )


def _shift(columns: Columns, primary_keys: Json) -> int:
    """1 when the column indexes of a BULL database are one too high, as published.

    FinSQL's converter takes a column's index after appending the column. Every table of BULL has its key in its first
    column, `id`; the published keys all point at the column after it.
    """
    if not isinstance(primary_keys, list) or not primary_keys:
        return 0
    firsts = {index for index in range(1, len(columns)) if columns[index][0] != columns[index - 1][0]}
    shifted = all(
        isinstance(key, int) and key - 1 in firsts and columns[key - 1][1].lower() == "id" for key in primary_keys
    )
    return 1 if shifted else 0
