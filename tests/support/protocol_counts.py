"""Counts that the sources of real data publish for the protocols, and what comes out here."""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb

from eval_sql.protocols import dabench, ehrsql, execution
from warehouse.questions.read import read_questions

# Right answers among 1,167 (ehrsql_mimic_iv_demo/SOURCE.md).
EHRSQL = {
    "ENSEMBLE__test_ensemble_v4_four": 969,
    "ENSEMBLE__test_ensemble_v4_five": 981,
    "ENSEMBLE__test_ensemble_v4_eight": 961,
    "baselinev3-flan-t5-large_fold0__predictions": 905,
    "baselinev3-flan-t5-large_fold2__predictions": 870,
    "baselinev4-flan-t5-text2sql-with-schema-v2_fold1__predictions": 880,
    "baselinev4-flan-t5-text2sql-with-schema-v2_fold2__predictions": 894,
}
# Right answers among 52, by equality of sets (bird_superhero/SOURCE.md).
BIRD = {
    "predict_mini_dev_gpt-4-o_cot_SQLite": 47,
    "predict_mini_dev_gpt-4-turbo_cot_SQLite": 46,
    "predict_mini_dev_gpt-4_sqlite": 40,
    "predict_mini_dev_gpt-35-turbo_cot_SQLite": 37,
    "predict_mini_dev_phi-3-medium-128k-instruct-1_sqlite": 30,
    "predict_mini_dev_mistralai-mixtral-8x7b-instru-4_sqlite": 12,
}


def reference(tables: Path, program: dict) -> str:
    """A response that gives what a reference program of DABench computes (dabench/SOURCE.md)."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS FROM read_csv(?, header = true, sample_size = -1, nullstr = ['', 'NA', 'NaN', 'nan', 'null', 'NULL'])",
            [str(tables / program["tables"][0])],
        )
        found = connection.execute(program["sql"])
        names = [column[0] for column in found.description]
        values = ["" if value is None else value for value in found.fetchone()]
        return " ".join(f"@{name}[{value}]" for name, value in zip(names, values, strict=True))


def programs(folder: Path) -> list[dict]:
    """The reference programs of DABench."""
    return [json.loads(line) for line in (folder / "reference_sql.jsonl").read_text(encoding="utf-8").splitlines()]


def whole_counts(data: Path) -> Iterator[tuple[str, int, int]]:
    """(what, count as published, count here), on all of the data."""
    folder = data / "dabench"
    labels = dabench.read_labels(folder / "da-dev-labels.jsonl")
    full = {question: " ".join(f"@{name}[{value}]" for name, value in pairs) for question, pairs in labels}
    yield (
        "DABench labels given back",
        461,
        sum(row["passed"] for row in dabench.judge(labels, {"labels": full}).answers),
    )
    responses = {str(program["id"]): reference(folder / "tables", program) for program in programs(folder)}
    of_programs = [(question, pairs) for question, pairs in labels if question in responses]
    (metrics,) = dabench.judge(of_programs, {"programs": responses}).metrics
    yield "DABench programs", 164, round(metrics["by_question"] * metrics["questions"])

    folder = data / "ehrsql_mimic_iv_demo"
    found = ehrsql.score(folder / "test/answer.json", sorted((folder / "predictions_test").iterdir()))
    for row in found.metrics:
        yield f"EHRSQL {row['run']}", EHRSQL[row["run"]], row["correct"]
    for split, count in (("train", 5124), ("valid", 1163), ("test", 1167)):
        gold = ehrsql.score(folder / split / "answer.json", [folder / split / "label.json"], folder / "mimic_iv.sqlite")
        yield f"EHRSQL {split} gold SQL", count, gold.metrics[0]["correct"]

    folder = data / "bird_superhero"
    database = folder / "superhero.sqlite"
    found = execution.score(folder / "questions_minidev.json", "bird", database, [folder / "predictions_minidev.json"])
    counts = {row["run"]: row["published_bird"] for row in found.metrics}
    for run, count in BIRD.items():
        yield f"BIRD {run}", count, counts[run]
    for name, form, file, databases, count in (
        ("BIRD superhero gold", "bird", folder / "questions.json", database, 129),
        ("Spider gold", "spider", data / "spider_dev/questions.json", data / "spider_dev/database", 1034),
        (
            "Spider-Realistic gold",
            "spider",
            data / "spider_dev/spider_realistic.json",
            data / "spider_dev/database",
            508,
        ),
    ):
        questions = read_questions(file, form).questions
        gold = {question.qid: question.sql for question in questions}
        (metrics,) = execution.judge(questions, databases, {"gold": gold}).metrics
        yield name, count, metrics["passed_questions"]
