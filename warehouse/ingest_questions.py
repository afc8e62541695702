"""Ingest of question sets: every record ends as a question or as a rejection with a code."""

from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from warehouse.ids import canonical_json, content_id
from warehouse.lake import Lake, append
from warehouse.queries import query
from warehouse.questions.model import QuestionSet, Rejected

INCOMING = pa.schema(
    [("ordinal", pa.int64())]
    + [
        (name, pa.string())
        for name in (
            "question", "corpus", "qid", "db_id", "question_text", "sql", "source_sql", "evidence", "language", "split",
            "difficulty", "extra",
        )
    ]
)  # fmt: skip


@dataclass(frozen=True)
class IngestedQuestions:
    """Counts after an ingest: `new` outcomes of this call, and all that the corpus now has, rejections by code."""

    new: int
    accepted: int
    rejected: int
    codes: dict[str, int]


def ingest_questions(lake: Lake, corpus: str, found: QuestionSet) -> IngestedQuestions:
    """Bring a question set into a corpus, in one commit; doing it again changes nothing.

    A question whose database the corpus does not hold is kept and rejected (`database_not_ingested`) until that
    database is ingested and the set is given again; one whose id is taken by other content is rejected
    (`question_conflict`).
    """
    incoming = pa.Table.from_pylist(
        [
            {
                "ordinal": ordinal, "question": content_id("question", corpus=corpus, qid=item.qid), "corpus": corpus,
                "qid": item.qid, "db_id": item.db_id, "question_text": item.question, "sql": item.sql,
                "source_sql": item.source_sql, "evidence": item.evidence, "language": item.language,
                "split": item.split, "difficulty": item.difficulty,
                "extra": canonical_json(item.extra) if item.extra else None,
            }
            for ordinal, item in enumerate(found.questions)
        ],
        schema=INCOMING,
    )  # fmt: skip
    refused = [
        {
            "stage": "ingest", "corpus": corpus, "status": "rejected", "code": item.code,
            "message": f"record {item.position}{'' if item.qid is None else f' (id {item.qid})'}: {item.message}",
            "item": _record(corpus, item),
        }
        for item in found.rejected
    ]  # fmt: skip
    mended = [f"record:{corpus}:{item.qid}" for item in found.questions]
    labels = pa.table({
        "db_id": pa.array([x.db_id for x in found.column_labels], pa.string()),
        "table_name": pa.array([x.table for x in found.column_labels], pa.string()),
        "column_name": pa.array([x.column for x in found.column_labels], pa.string()),
        "label": pa.array([x.label for x in found.column_labels], pa.string()),
    })  # fmt: skip

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[IngestedQuestions, dict[str, Any] | None]:
        before = _outcomes(cursor, corpus)
        # A record that was refused and is right by now: its refusal is over.
        cursor.execute("DELETE FROM ledger.outcome WHERE stage = 'ingest' AND list_contains(?, item)", [mended])
        cursor.register("incoming", incoming)
        cursor.register("incoming_label", labels)
        try:
            cursor.execute(query("ingest/questions"))
            labelled = cursor.execute(query("ingest/labels"), [corpus]).fetchone()
        finally:
            cursor.unregister("incoming")
            cursor.unregister("incoming_label")
        known = {
            row[0]
            for row in cursor.execute(
                "SELECT item FROM ledger.outcome WHERE stage = 'ingest' AND corpus = ?", [corpus]
            ).fetchall()
        }
        append(cursor, "ledger.outcome", [row for row in refused if row["item"] not in known])
        after = _outcomes(cursor, corpus)
        codes = cursor.execute(
            "SELECT code, count(*) FROM ledger.outcome WHERE stage = 'ingest' AND corpus = ? AND code IS NOT NULL "
            "GROUP BY code ORDER BY code",
            [corpus],
        ).fetchall()
        done = IngestedQuestions(sum(after) - sum(before), *after, dict(codes))
        detail = {"action": "questions", "corpus": corpus, "accepted": after[0], "rejected": after[1]}
        return done, detail if after != before or (labelled and labelled[0]) else None

    with lake.at_work():
        return lake.commit("ingest", work)


def _record(corpus: str, item: Rejected) -> str:
    """Item of a refused record: by its id, or by its place where it has none, or one that another record has."""
    if item.qid is None:
        return f"record:{corpus}:#{item.position}"
    place = f"#{item.position}" if item.code == "question_duplicate_id" else ""
    return f"record:{corpus}:{item.qid}{place}"


def _outcomes(cursor: duckdb.DuckDBPyConnection, corpus: str) -> tuple[int, int]:
    row = cursor.execute(
        "SELECT count(*) FILTER (status = 'accepted'), count(*) FILTER (status = 'rejected') "
        "FROM ledger.outcome WHERE stage = 'ingest' AND corpus = ?",
        [corpus],
    ).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)
