"""DABench: extraction, equality and the three metrics, ours and as published; hostile responses; what a lake keeps."""

import json
import re

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_counts import programs, reference

import cli
from eval_sql.protocols import dabench
from eval_sql.protocols.results import MAX_RESPONSE_BYTES, keep
from warehouse import BenchlakeError, Lake

# The figures of a run, in the order of the view: proportional, by question, by sub-question.
OURS = ("proportional", "by_question", "by_sub_question")
PUBLISHED = tuple(f"published_{name}" for name in OURS)


def answers(labels, response):
    """(passed, given, code, published) for each label of one question."""
    found = dabench.judge([("q", labels)], {"run": {"q": response}})
    return [(row["passed"], row["given"], row["code"], row["published"]) for row in found.answers]


def verdict(label: str, response: str) -> bool:
    ((passed, _, _, published),) = answers([("a", label)], response)
    assert published == passed
    return passed


# One label of the name a: (label, response, verdict).
RULE = [
    ("34.65", "The mean is @a[34.65].", True),
    ("34.65", "@a[34.650]", True),
    ("34.65", "@a[ 34.65 ]", True),
    ("34.65", "@a[3465e-2]", True),
    ("34.65", "@a[34.6500009]", True),
    ("34.65", "@a[34.650001]", False),
    ("34.65", "@a[34.66]", False),
    ("1000", "@a[1_000]", True),
    ("1000", "@a[1,000]", False),
    ("1000", "@a[１０００]", True),
    ("-1", "@a[+-1]", False),
    ("1", "@a[0x1]", False),
    ("1", "@a[1", False),
    ("1", "a[1]", False),
    ("1", "@a [1]", False),
    ("1", "@A[1]", False),
    ("1", "@b@a[1]", True),
    ("1", "@ba[1]", False),
    ("1", "@a[2] no: @a[1]", True),
    ("1", "@a[1] no: @a[2]", False),
    ("1", "@a[1\n]", False),
    ("1", "@a[@a[1]", False),
    ("@a[1", "@a[@a[1]", True),
    ("[", "@a[[]]", True),
    ("", "@a[]", True),
    ("", "nothing", False),
    ("no", "@a[No]", False),
    ("no", "@a[ no]", False),
    ("nan", "@a[nan]", True),
    ("nan", "@a[NaN]", False),
    ("inf", "@a[inf]", True),
    ("inf", "@a[1e999]", False),
    ("1", "@a[1e999]", False),
    ("0", "@a[1e-999]", True),
    ("1e308", "@a[-1e308]", False),
    ("\u00e9", "@a[\u00e9]", True),
    ("\u00e9", "@a[e\u0301]", False),
]


@pytest.mark.parametrize(("label", "response", "expected"), RULE)
def test_the_rule(label, response, expected):
    assert verdict(label, response) is expected


def test_names_are_of_any_script():
    assert [row[0] for row in answers([("naïve_平均_1", "2")], "@naïve_平均_1[2]")] == [True]
    assert answers([("no name", "2")], "@no name[2]") == [(False, None, "missing_answer", False)]


def test_a_repeated_name_is_a_set_of_values():
    labels = [("r", "0.38"), ("s", "yes"), ("r", "0.78")]
    assert answers(labels, "@r[0.780] @s[yes] @r[0.38]") == [
        (True, "0.38", None, None), (True, "yes", None, True), (True, "0.780", None, False),
    ]  # fmt: skip
    assert answers(labels, "@r[0.78] @r[0.5]")[::2] == [(False, None, "wrong_value", None), (True, "0.78", None, False)]
    # The same value twice is one value; three values where there are two labels are a guess.
    assert [row[0] for row in answers(labels, "@r[0.38] @r[0.38] @r[0.78]")] == [True, False, True]
    assert [row[2] for row in answers(labels, "@r[0.38] @r[0.5] @r[0.78]")] == [
        "too_many_values",
        "missing_answer",
        "too_many_values",
    ]


def test_published_figures_leave_unanswered_questions_out_and_ours_do_not():
    labels = [("1", [("a", "1"), ("b", "2")]), ("2", [("a", "1")]), ("3", [("a", "1")])]
    found = dabench.judge(labels, {"run": {"1": "@a[1]", "2": "@a[1]", "3": "", "4": "@a[1]"}})
    (metrics,) = found.metrics
    assert [metrics[name] for name in OURS] == pytest.approx([1.5 / 3, 1 / 3, 2 / 4])
    assert [metrics[name] for name in PUBLISHED] == pytest.approx([1.5 / 2, 1 / 2, 2 / 3])
    assert (metrics["questions"], metrics["answered"], found.unknown) == (3, 2, 1)
    assert [row["code"] for row in found.answers] == [None, "missing_answer", None, "missing_response"]


# The published rule, row by row, from its description (SOURCE.md of the data).


def extracted(response):
    return dict(re.findall(r"@(\w+)\[(.*?)\]", response))


def equal(found, label):
    try:
        return found == label or abs(float(found) - float(label)) < 1e-6
    except (TypeError, ValueError):
        return False


def published(labels, responses):
    right = []
    for question, pairs in labels:
        if responses.get(question):
            found = extracted(responses[question])
            right.append([equal(found.get(name), value) for name, value in dict(pairs).items()])
    if not right:
        return [0, 0, 0]
    return [
        sum(sum(row) / len(row) for row in right) / len(right), sum(map(all, right)) / len(right),
        sum(map(sum, right)) / sum(map(len, right)),
    ]  # fmt: skip


names = st.sampled_from(["a", "b", "a_1", "é"])
values = st.one_of(
    st.sampled_from(["1", "1.0", "1.0000005", "1.000002", "yes", "", "[", "1e400", " 1", "-0", "nan", "1_0", "@a[1"]),
    st.floats().map(repr),
    st.text(alphabet="0123456789.eE+-_ ", max_size=6),
)
pieces = st.one_of(
    st.builds("@{}[{}]".format, names, values), st.text(alphabet="@[]ab1\n ", max_size=8), st.text(max_size=4)
)
labelled = st.lists(st.lists(st.tuples(names, values), min_size=1, max_size=4), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(labelled, st.data())
def test_the_published_figures_are_those_of_the_rule(found, data):
    labels = [(str(number), pairs) for number, pairs in enumerate(found)]
    responses = {question: data.draw(st.lists(pieces, max_size=6).map("".join)) for question, _ in labels}
    (metrics,) = dabench.judge(labels, {"run": responses}).metrics
    # What Python's \w, digits of other scripts and DuckDB's classes of characters could differ in is kept out above.
    assert [metrics[name] for name in PUBLISHED] == pytest.approx(published(labels, responses))


@settings(max_examples=10, deadline=None)
@given(labelled)
def test_labels_given_back_are_right(found):
    labels = [
        (str(number), [(name, value) for name, value in pairs if "]" not in value])
        for number, pairs in enumerate(found)
    ]
    labels = [(question, pairs) for question, pairs in labels if pairs]
    responses = {question: " ".join(f"@{name}[{value}]" for name, value in pairs) for question, pairs in labels}
    found = dabench.judge(labels, {"run": responses})
    assert all(row["passed"] for row in found.answers)


# The real labels


def test_the_published_labels_given_back(shared):
    """Every label can be said in the form that is asked for; half the questions left out show only in our figures."""
    labels = dabench.read_labels(shared / "data/dabench/da-dev-labels.jsonl")
    full = {question: " ".join(f"@{name}[{value}]" for name, value in pairs) for question, pairs in labels}
    some = {question: full[question] for question, _ in labels[:100]}
    all_of_it, part = dabench.judge(labels, {"all": full, "part": some}).metrics
    assert (all_of_it["questions"], all_of_it["answers"]) == (257, 461)
    assert {all_of_it[name] for name in OURS + PUBLISHED} == {1.0}
    assert {part[name] for name in PUBLISHED} == {1.0}
    assert part["by_question"] == 100 / 257


def test_programs_that_give_the_labels_are_right(shared):
    """SOURCE.md: every reference query was run and gives its label under the rule. Every third one here."""
    folder = shared / "data/dabench"
    labels = dict(dabench.read_labels(folder / "da-dev-labels.jsonl"))
    responses = {str(program["id"]): reference(folder / "tables", program) for program in programs(folder)[::3]}
    (metrics,) = dabench.judge([(question, labels[question]) for question in responses], {"sql": responses}).metrics
    assert metrics["answered"] == 55
    assert {metrics[name] for name in OURS + PUBLISHED} == {1.0}


# Hostile responses


@pytest.mark.parametrize(
    "response",
    [
        "@a[" * 300_000, "@a[]" * 250_000, "@" * 1_000_000, "@a[" + "[" * 900_000 + "]", "[" * 900_000 + "]" * 100_000,
        "@a[x\n" * 200_000, "@a[0.5" + "9" * 900_000 + "]", "\0@a[\0]\0", "@a[1'); DROP TABLE label_row; --]",
    ],
    ids=["open", "empty", "at", "long value", "brackets", "lines", "digits", "nul", "sql"],
)  # fmt: skip
def test_hostile_text_only_fails_itself(response):
    found = dabench.judge([("1", [("a", "1"), ("a", "2")]), ("2", [("b", "1")])], {"x": {"1": response, "2": "@b[1]"}})
    assert [row["passed"] for row in found.answers] == [False, False, True]


def test_many_large_responses_take_bounded_memory():
    """As many matches as fit: portions keep below the limit of the scratch database."""
    labels = [(str(number), [("a", "1"), ("a", "2")]) for number in range(8)]
    text = "".join(f"@a[{number}]" for number in range(110_000))
    found = dabench.judge(labels, {"x": {question: text for question, _ in labels}})
    assert {row["code"] for row in found.answers} == {"too_many_values"}


def lines(*records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def files(tmp_path):
    labels = tmp_path / "labels.jsonl"
    labels.write_text(lines({"id": 1, "common_answers": [["a", "1"]]}, {"id": "2", "common_answers": [["a", "x"]]}))
    return labels, tmp_path / "mine.jsonl"


def test_the_first_response_that_says_something_counts(files):
    labels, responses = files
    responses.write_text(
        lines(
            {"id": 1, "response": None},
            {"id": 1, "response": ""},
            {"id": "1", "response": "@a[1]"},
            {"id": 1, "response": "@a[2]"},
        )
        + "\n"
        + lines({"id": 2, "response": "\ud800 @a[x] " + "y" * MAX_RESPONSE_BYTES})
    )
    found = dabench.score(labels, [responses])
    assert [(row["run"], row["code"]) for row in found.answers] == [("mine", None), ("mine", "missing_response")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "line 1: not a JSON object"),
        ("\n{}", 'line 2: "id" is neither'),
        ('{"id": true, "response": "x"}', 'line 1: "id" is neither'),
        ('{"id": 1.5, "response": "x"}', 'line 1: "id" is neither'),
        ('{"id": 1, "response": ["@a[1]"]}', 'line 1: "response" is no text'),
        ("[" * 100_000, "line 1: not JSON"),
        ('{"id": ' + "9" * 5000 + "}", "line 1: not JSON"),
    ],
)
def test_a_bad_responses_file_is_one_line(files, content, message):
    labels, responses = files
    responses.write_text(content)
    with pytest.raises(BenchlakeError, match=re.escape(message)) as error:
        dabench.score(labels, [responses])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no labels in it"),
        ('{"id": 1}', '"common_answers" is no list'),
        ('{"id": 1, "common_answers": []}', '"common_answers" is no list'),
        ('{"id": 1, "common_answers": [["a", 1]]}', "not a pair of texts"),
        ('{"id": 1, "common_answers": [["a", "1"]]}\n{"id": "1", "common_answers": [["a", "1"]]}', "a second time"),
    ],
)
def test_a_bad_labels_file_is_one_line(files, content, message):
    labels, responses = files
    labels.write_text(content)
    responses.write_text("")
    with pytest.raises(BenchlakeError, match=message):
        dabench.score(labels, [responses])


def test_runs_are_named_by_their_files(files, tmp_path):
    labels, responses = files
    responses.write_text("")
    (tmp_path / "other").mkdir()
    twin = tmp_path / "other/mine.jsonl"
    twin.write_text("")
    with pytest.raises(BenchlakeError, match="two files have the same name"):
        dabench.score(labels, [responses, twin])
    with pytest.raises(BenchlakeError, match="--run names the run of one file"):
        dabench.score(labels, [responses, twin], "me")
    with pytest.raises(BenchlakeError, match="1 to 200 printable"):
        dabench.score(labels, [responses], "a\nb")


# In a lake


def test_a_lake_keeps_responses_and_verdicts_once(lake: Lake):
    labels = [("1", [("a", "1")]), ("2", [("a", "1"), ("a", "2")])]
    found = dabench.judge(labels, {"me": {"1": "@a[1]", "9": "@a[1]"}})
    assert keep(lake, found) == 3
    assert keep(lake, found) == 0
    assert lake.rows("SELECT instance FROM run.response WHERE run = 'me' ORDER BY ALL") == [("1",), ("9",)]
    columns = "run, label_set, questions, answered, proportional, by_sub_question, published_by_question"
    (kept,) = lake.rows(f"SELECT {columns} FROM metrics.answer_accuracy")
    assert kept == tuple(found.metrics[0][name] for name in columns.split(", "))
    assert kept[2:] == (2, 1, 0.5, 1 / 3, 1.0)
    # Other labels are another set of verdicts; other responses are another run.
    assert keep(lake, dabench.judge([("1", [("a", "2")])], {"me": {"1": "@a[1]", "9": "@a[1]"}})) == 1
    assert lake.rows("SELECT count(*) FROM metrics.answer_accuracy") == [(2,)]
    with pytest.raises(BenchlakeError, match="is there already with other responses"):
        keep(lake, dabench.judge(labels, {"me": {"1": "@a[2]"}}))
    grain = "run, protocol, label_set, question, answer, place"
    assert lake.rows(f"SELECT count(*), count(DISTINCT ({grain})) FROM score.answer_result") == [(4, 4)]


def test_the_command(files, tmp_path):
    labels, responses = files
    responses.write_text(lines({"id": 1, "response": "@a[1]"}, {"id": 7, "response": "@a[1]"}))
    lake = tmp_path / "lake"
    Lake.create(lake).close()
    arguments = ["protocol", "dabench", "--responses", str(responses), "--labels", str(labels)]
    runner = CliRunner()
    shown = runner.invoke(cli.main, [*arguments, "--output", str(tmp_path / "out.json"), "--lake", str(lake)])
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.split()[-9:] == ["mine", "2", "1", *["50.00%"] * 3, *["100.00%"] * 3]
    assert "1 responses are to questions" in shown.stderr
    assert "2 verdicts kept" in shown.stderr
    report = json.loads((tmp_path / "out.json").read_text())
    assert [(row["question"], row["passed"]) for row in report["answers"]] == [("1", True), ("2", False)]
    again = runner.invoke(cli.main, [*arguments, "--run", "mine", "--json", "--lake", str(lake)])
    assert json.loads(again.stdout)["runs"] == report["runs"]
    assert "nothing to do" in again.stderr
    bad = runner.invoke(cli.main, [*arguments[:3], str(tmp_path / "no.jsonl"), *arguments[4:]])
    assert (bad.exit_code, bad.stderr.count("\n")) == (2, 1)
