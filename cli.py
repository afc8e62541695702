"""The benchlake command: parse, call one function, print. Data goes to stdout, narration to stderr.

Exit codes: 0 done (rejected items are counted, not an error), 1 a check did not hold, 2 could not run, 130 interrupted.
"""

import functools
import json
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warehouse import interrupt, terminal
from warehouse.shown import plural, shown

if TYPE_CHECKING:
    from eval_sql.protocols.results import Judged
    from warehouse.lake import Lake

SHOWN_ROWS = 200
# 128 and the number of the signal, as shells count it.
INTERRUPTED = 130
DATABASE_ENDINGS = (".sqlite", ".sqlite3", ".db")
FORMS = ("spider", "bird", "ehrsql", "bull", "jsonl")
PATH = click.Path(path_type=Path)
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


class _Group(click.Group):
    """Turns the errors a person is meant to read into one line and exit code 2, and Ctrl-C into one line and 130."""

    def main(self, *args: Any, **extra: Any) -> Any:
        _open_standard_streams()
        return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with interrupt.watched():
            try:
                return self._explained(ctx)
            except KeyboardInterrupt:
                pass
            except SystemExit:
                if not interrupt.pressed():
                    raise
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        click.echo("benchlake: interrupted; what is done is kept, and the same command goes on from there", err=True)
        sys.exit(INTERRUPTED)

    def _explained(self, ctx: click.Context) -> Any:
        from warehouse.errors import BenchlakeError

        try:
            return self._flushed(ctx)
        except BenchlakeError as error:
            _fail(str(error))
        except BrokenPipeError:
            # The reader of our output has gone: nothing to say, and nobody to say it to.
            _drop_output()
            sys.exit(0)
        except UnicodeEncodeError as error:
            _fail(f"the output cannot be written in {error.encoding}: set PYTHONIOENCODING=utf-8")
        except OSError as error:
            _fail(f"{error.filename or 'the file system'}: {error.strerror or error}")
        except Exception as error:
            # An engine that fails is a damaged lake, a full disk or too little memory, never a reason for a traceback.
            if type(error).__module__.split(".")[0] not in ("duckdb", "_duckdb", "sqlite3"):
                raise
            _fail(f"{str(error).splitlines()[0]} (benchlake doctor checks the lake)")

    def _flushed(self, ctx: click.Context) -> Any:
        """Run the command and flush its output here: at the end of the program, what fails would be a traceback."""
        try:
            result = super().invoke(ctx)
        except SystemExit:
            sys.stdout.flush()
            raise
        except Exception as error:
            if interrupt.pressed():
                # DuckDB and SQLite make errors of their own of Ctrl-C.
                raise KeyboardInterrupt from error
            raise
        sys.stdout.flush()
        return result


def _open_standard_streams() -> None:
    """Send to nowhere what nobody takes: Python makes None of a closed stream, and a file of ours gets its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    click.echo("benchlake: " + shown(" ".join(message.split())), err=True)
    sys.exit(2)


@click.group(cls=_Group, context_settings=CONTEXT)
@click.version_option(package_name="benchlake", prog_name="benchlake")
@click.option("--lake", "lake_path", type=PATH, envvar="BENCHLAKE_LAKE", help="The lake's folder.")
@click.pass_context
def main(ctx: click.Context, lake_path: Path | None) -> None:
    """Build, store and score benchmarks for data agents, in one DuckDB lake.

    \b
    Example:
      benchlake demo --out demo
      benchlake ingest sqlite shop.sqlite --corpus shop --questions questions.jsonl --format jsonl --lake lake
      benchlake sql "FROM metrics.task_accuracy" --lake lake
    """
    # sqlglot warns of SQL that it does not know; such a query becomes a rejected row, and that says it.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    ctx.obj = lake_path


def _lake_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --lake to a command; the group's own --lake or BENCHLAKE_LAKE stand in."""

    @click.option("--lake", "lake_path", type=PATH, help="The lake's folder [env: BENCHLAKE_LAKE].")
    @click.pass_context
    @functools.wraps(command)
    def wrapped(ctx: click.Context, /, *args: Any, lake_path: Path | None, **options: Any) -> Any:
        path = lake_path or ctx.obj
        if path is None:
            raise click.UsageError("name the lake with --lake DIR or in BENCHLAKE_LAKE")
        return command(path, *args, **options)

    return wrapped


def _json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


@main.group()
def ingest() -> None:
    """Bring databases, questions and predictions into the lake.

    \b
    Example:
      benchlake ingest sqlite shop.sqlite --corpus shop --lake lake
    """


@ingest.command("sqlite")
@click.argument("databases", nargs=-1, required=True, type=PATH)
@click.option("--corpus", required=True, help="Corpus the databases belong to.")
@click.option("--questions", type=PATH, help="Question set about these databases.")
@click.option("--format", "form", type=click.Choice(FORMS), help="Published shape of the question set.")
@click.option("--relations", type=PATH, help="Undeclared foreign keys: JSON, or a Spider tables.json.")
@_json_option
@_lake_option
def ingest_sqlite(
    lake_path: Path,
    databases: tuple[Path, ...],
    corpus: str,
    questions: Path | None,
    form: str | None,
    relations: Path | None,
    as_json: bool,
) -> None:
    """Ingest SQLite DATABASES (files, or folders with *.sqlite, *.sqlite3 or *.db below) and their questions.

    The lake is made when it does not exist. Doing it again changes nothing.

    \b
    Example:
      benchlake ingest sqlite spider/database --corpus spider --questions spider/dev.json --format spider --lake lake
    """
    from warehouse.ingest import ingest_corpus
    from warehouse.lake import Lake

    if (questions is None) != (form is None):
        raise click.UsageError("--questions and --format go together")
    files = [file for path in databases for file in _databases(path)]
    with Lake.create(lake_path) as lake, terminal.progress("ingest") as progress:
        report = ingest_corpus(lake, corpus, files, questions, form, relations, progress)
    for problem in report.problems:
        click.echo(f"benchlake: {shown(problem)}", err=True)
    lines = [
        f"{plural(report.new_databases, 'new database')} of {report.databases}: "
        f"{plural(report.tables, 'table')}, {plural(report.rows, 'row')}",
        *(f"  refused {name}: {reason}" for name, reason in report.refused),
    ]
    if report.questions is not None:
        found = report.questions
        lines.append(f"questions: {found.new} new; the corpus has {found.accepted} accepted, {found.rejected} rejected")
        lines += [f"  {code}: {count}" for code, count in found.codes.items()]
    terminal.print_report(report, lines, as_json=as_json, changed=report.changed or bool(report.problems))
    sys.exit(2 if report.problems else 0)


def _databases(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.suffix.lower() in DATABASE_ENDINGS and file.is_file())
    if not found:
        raise click.UsageError(f"{shown(path)} holds no {', '.join(DATABASE_ENDINGS)} file")
    return found


@ingest.command("suite")
@click.option("--gold", type=PATH, required=True, help="Folder of task_N/gold.csv.")
@click.option("--configs", type=PATH, required=True, help="Folder of task_N.json.")
@click.option("--corpus", required=True, help="Corpus the tasks become.")
@_json_option
@_lake_option
def ingest_suite_command(lake_path: Path, gold: Path, configs: Path, corpus: str, as_json: bool) -> None:
    """Take the gold tables and configurations of a suite made elsewhere, to score runs against it.

    The lake is made when it does not exist. Doing it again changes nothing.

    \b
    Example:
      benchlake ingest suite --gold output --configs evaluation/configs --corpus dataspace --lake lake
    """
    from eval_sql.suites import ingest_suite
    from warehouse.lake import Lake
    from warehouse.status import event_count

    with Lake.create(lake_path) as lake, terminal.progress("ingest") as progress:
        before = event_count(lake)
        report = ingest_suite(lake, gold, configs, corpus, terminal.counted(progress, "suite"))
        changed = event_count(lake) != before
    lines = [f"corpus {shown(corpus)}: {plural(report.new, 'new task')} of {report.tasks}"]
    terminal.print_report(report, lines, as_json=as_json, changed=changed)


@ingest.command("predictions")
@click.argument("folders", nargs=-1, required=True, type=PATH)
@click.option("--run", help="Name of the run; default: the name of its folder.")
@click.option("--corpus", help="Corpus whose tasks the run answers; default: all tasks of the lake.")
@_json_option
@_lake_option
def ingest_predictions_command(
    lake_path: Path, folders: tuple[Path, ...], run: str | None, corpus: str | None, as_json: bool
) -> None:
    """Take the predictions FOLDER/task_N/prediction.csv of a run; each of several FOLDERS is a run of its own.

    \b
    Example:
      benchlake ingest predictions predictions --run my-agent --lake lake
      benchlake ingest predictions runs/* --lake lake
    """
    from eval_sql.predictions import ingest_runs
    from warehouse.status import event_count

    if run is not None and len(folders) > 1:
        raise click.UsageError("--run names one run; several folders are named by themselves")
    names = [run if run is not None else folder.resolve().name for folder in folders]
    with _open(lake_path) as lake, terminal.progress("ingest") as progress:
        before = event_count(lake)
        runs = list(zip(names, folders, strict=True))
        found = ingest_runs(lake, runs, corpus, terminal.counted(progress, "predictions"))
        changed = event_count(lake) != before
    reports = list(zip(names, found, strict=True))
    lines = [
        line
        for name, report in reports
        for line in (
            f"run {shown(name)}: {plural(report.taken, 'prediction')} taken, {report.refused} refused, "
            f"{report.taken_before} there before",
            f"  without a prediction: {plural(report.missing, 'task')}; no task of the run: "
            f"{plural(report.unknown, 'folder')}",
        )
    ]
    if as_json and len(reports) > 1:
        terminal.print_json({name: asdict(report) for name, report in reports})
        return
    terminal.print_report(reports[0][1], lines, as_json=as_json, changed=changed)


@main.command()
@click.option("--corpus", help="Only this corpus.")
@click.option(
    "--policy",
    "policy_file",
    type=PATH,
    help="Sampling policy (TOML): seed, budget, attempts, [tables].",
)
@click.option("--limit", type=click.IntRange(min=1), help="Sample at most so many questions.")
@_json_option
@_lake_option
def sample(lake_path: Path, corpus: str | None, policy_file: Path | None, limit: int | None, as_json: bool) -> None:
    """Sample a small, executable database for each pending question, and its gold.

    \b
    Example:
      benchlake sample --corpus spider --limit 100 --lake lake
    """
    from builder.sample import load_policy
    from builder.sample import sample as run_sample

    policy = load_policy(policy_file)
    with _open(lake_path) as lake, terminal.progress("sample") as progress:
        report = run_sample(lake, policy, corpus=corpus, limit=limit, progress=terminal.counted(progress, "sample"))
    lines = [
        f"{plural(report.accepted, 'question')} sampled, {report.rejected} rejected, "
        f"{report.decided_before} decided before",
        *(f"  {code}: {count}" for code, count in report.codes.items()),
    ]
    terminal.print_report(report, lines, as_json=as_json, changed=bool(report.accepted or report.rejected))


@main.command()
@click.option("--corpus", help="Only this corpus.")
@click.option("--limit", type=click.IntRange(min=1), help="Render at most so many tasks.")
@_json_option
@_lake_option
def render(lake_path: Path, corpus: str | None, limit: int | None, as_json: bool) -> None:
    """Render the workspace of each sampled task, freeze its gold and draft its evaluation configuration.

    \b
    Example:
      benchlake render --corpus spider --lake lake
    """
    from builder.render import render as run_render

    with _open(lake_path) as lake, terminal.progress("render") as progress:
        report = run_render(lake, corpus=corpus, limit=limit, progress=terminal.counted(progress, "render"))
    lines = [
        f"{plural(report.accepted, 'workspace')} rendered, {report.rejected} rejected, "
        f"{report.done_before} done before",
        *(f"  {code}: {count}" for code, count in report.codes.items()),
    ]
    terminal.print_report(report, lines, as_json=as_json, changed=bool(report.accepted or report.rejected))


@main.command()
@click.argument("task")
@click.option("--set", "file", type=PATH, help="Put this configuration in force as a new version.")
@_lake_option
def config(lake_path: Path, task: str, file: Path | None) -> None:
    """Show the evaluation configuration of TASK (a name such as task_12, or an id), or set another.

    \b
    Example:
      benchlake config task_12 --lake lake > task_12.json
      benchlake config task_12 --set task_12.json --lake lake
    """
    from eval_sql.configs import edit_config, show_config

    with _open(lake_path, read_only=file is None) as lake:
        if file is not None:
            changed = edit_config(lake, task, file)
            click.echo("a new version is in force" if changed else "nothing to do: it is in force already", err=True)
        click.echo(json.dumps(show_config(lake, task), ensure_ascii=False, indent=2))


@main.command()
@click.option("--out", required=True, type=PATH, help="Folder of the release tree.")
@click.option("--corpus", help="Only this corpus.")
@_json_option
@_lake_option
def materialise(lake_path: Path, out: Path, corpus: str | None, as_json: bool) -> None:
    """Write the rendered tasks as a tree of files: input, output and evaluation.

    \b
    Example:
      benchlake materialise --out release --lake lake
    """
    from builder.release import materialise as run_materialise

    with _open(lake_path) as lake, terminal.progress("materialise") as progress:
        report = run_materialise(lake, out, corpus=corpus, progress=terminal.counted(progress, "materialise"))
    lines = [
        f"{plural(report.tasks, 'task')} in {out}: {plural(report.files, 'file')}, {report.written} written, "
        f"{report.unchanged} as they were, {report.removed} removed"
    ]
    terminal.print_report(report, lines, as_json=as_json, changed=bool(report.written or report.removed))


@main.command()
@click.option("--run", help="Only this run of the lake.")
@click.option("--predictions", type=PATH, help="Stand-alone: folder of task_N/prediction.csv.")
@click.option("--gold", type=PATH, help="Stand-alone: folder of task_N/gold.csv.")
@click.option("--configs", type=PATH, help="Stand-alone: folder of task_N.json.")
@click.option("--output", type=PATH, help="Stand-alone: file for the summary (JSON).")
@_json_option
@click.option("--lake", "lake_path", type=PATH, help="The lake's folder [env: BENCHLAKE_LAKE].")
@click.pass_context
def score(
    ctx: click.Context,
    run: str | None,
    predictions: Path | None,
    gold: Path | None,
    configs: Path | None,
    output: Path | None,
    as_json: bool,
    lake_path: Path | None,
) -> None:
    """Score predictions: those of the lake, or stand-alone from folders without any lake.

    \b
    Example:
      benchlake score --lake lake
      benchlake score --predictions predictions --gold output --configs evaluation/configs --output summary.json
    """
    folders = (predictions, gold, configs)
    if any(folder is not None for folder in folders) or output is not None:
        if predictions is None or gold is None or configs is None or output is None or run or lake_path:
            raise click.UsageError(
                "stand-alone scoring takes all of --predictions, --gold, --configs and --output, and no lake"
            )
        from eval_sql.suite import score_folders, write_json

        if any(output.absolute().is_relative_to(folder.absolute()) for folder in (predictions, gold, configs)):
            raise click.UsageError("--output lies inside a folder of the input")
        with terminal.progress("score") as progress:
            summary = score_folders(predictions, gold, configs, terminal.counted(progress, "score"))
        write_json(output, summary)
        line = (
            f"{summary['passed_task_count']} of {plural(summary['task_count'], 'task')} passed "
            f"({summary['task_accuracy']:.2%})"
        )
        if as_json:
            terminal.print_json({key: value for key, value in summary.items() if key != "tasks"})
        else:
            click.echo(f"{line}; summary in {shown(output)}")
        return
    path = lake_path or ctx.obj
    if path is None:
        raise click.UsageError("name the lake with --lake DIR or in BENCHLAKE_LAKE, or give the folders to score")
    _score_lake(path, [run] if run else None, None, as_json=as_json)


def _score_lake(path: Path, runs: list[str] | None, tasks: list[str] | None, *, as_json: bool) -> None:
    from eval_sql.diagnosis import diagnose
    from eval_sql.score import score as run_score

    with _open(path) as lake, terminal.progress("score") as progress:
        report = run_score(lake, runs, tasks, terminal.counted(progress, "score"))
        diagnosed = diagnose(lake, runs, tasks, terminal.counted(progress, "diagnose"))
    if as_json:
        terminal.print_json(asdict(report))
        return
    terminal.print_table(("run", "tasks", "passed", "accuracy"), [(n, t, p, f"{a:.2%}") for n, t, p, a in report.runs])
    click.echo(
        plural(report.scored, "new verdict") if report.scored else "nothing to do: every prediction has its verdict",
        err=True,
    )
    if diagnosed:
        click.echo(f"{plural(diagnosed, 'failed verdict')} diagnosed: benchlake explain RUN TASK shows one", err=True)


@main.command()
@click.option("--run", "runs", multiple=True, help="Only this run; may be given again.")
@click.option("--task", "tasks", multiple=True, help="Only this task, by id or name; may be given again.")
@_json_option
@_lake_option
def rescore(lake_path: Path, runs: tuple[str, ...], tasks: tuple[str, ...], as_json: bool) -> None:
    """Score all runs and tasks, or some, that have no verdict under the evaluator, gold and configuration of now.

    Verdicts are never overwritten: score.task_result has those in force, score.result_history all.

    \b
    Example:
      benchlake rescore --lake lake
      benchlake rescore --run agent-a --run agent-b --task task_12 --lake lake
    """
    _score_lake(lake_path, list(runs) or None, list(tasks) or None, as_json=as_json)


@main.command()
@click.argument("run")
@click.argument("task")
@click.option("--rows", type=click.IntRange(1, 100), default=10, show_default=True, help="Rows of each table to show.")
@_json_option
@_lake_option
def explain(lake_path: Path, run: str, task: str, rows: int, as_json: bool) -> None:
    """Show why a TASK (id or name) of a RUN failed: verdict, symptoms, and gold and prediction side by side.

    docs/codes.md lists the symptoms; score.diagnosis has those of all failed tasks.

    \b
    Example:
      benchlake explain agent-a task_12 --lake lake
      benchlake explain agent-a task_12 --rows 50 --json --lake lake
    """
    from eval_sql.explain import explain as run_explain
    from eval_sql.explain import print_explanation

    with _open(lake_path, read_only=True) as lake:
        found = run_explain(lake, run, task, rows)
    if as_json:
        terminal.print_json(asdict(found))
    else:
        print_explanation(found)


@main.group()
def protocol() -> None:
    """Score by the protocols of other benchmarks: DABench, EHRSQL, and the execution match of BIRD and Spider.

    Our verdicts stand beside those of the rules as published. No lake is needed; --lake keeps the results in one.

    \b
    Example:
      benchlake protocol dabench --responses responses.jsonl --labels da-dev-labels.jsonl
    """


def _protocol_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What the protocols have in common: the run's name, where results go, and how they are printed."""
    lake = click.option("--lake", "lake_path", type=PATH, help="Keep responses and verdicts in this lake, too.")
    output = click.option("--output", type=PATH, help="File for all verdicts (JSON).")
    run = click.option("--run", help="Name of the run; default: the name of its file.")
    return run(output(lake(_json_option(command))))


def _print_judged(found: "Judged", lake_path: Path | None, output: Path | None, *, as_json: bool) -> None:
    from eval_sql.protocols.results import keep, report, summary
    from eval_sql.suite import write_json

    if output is not None:
        write_json(output, report(found))
    if lake_path is not None:
        with _open(lake_path) as lake:
            count = keep(lake, found)
        terminal.say(f"{count} verdicts kept in {lake_path}" if count else terminal.NOTHING_TO_DO)
    if as_json:
        terminal.print_json({"protocol": found.protocol, "unknown": found.unknown, "runs": found.metrics})
        return
    terminal.print_table(*summary(found))
    if found.unknown:
        terminal.say(f"{found.unknown} responses are to questions that nothing is known about; they are not judged")


@protocol.command("dabench")
@click.option(
    "--responses", type=PATH, required=True, multiple=True, help="JSON Lines of {id, response}; a file a run."
)
@click.option("--labels", type=PATH, required=True, help="JSON Lines of {id, common_answers}.")
@_protocol_options
def protocol_dabench(
    responses: tuple[Path, ...],
    labels: Path,
    run: str | None,
    output: Path | None,
    lake_path: Path | None,
    as_json: bool,
) -> None:
    """Score closed-form answers, @name[value] in free text, by the three metrics of DABench.

    \b
    Example:
      benchlake protocol dabench --responses responses.jsonl --labels da-dev-labels.jsonl
      benchlake protocol dabench --responses responses.jsonl --labels labels.jsonl --run my-agent --lake lake
    """
    from eval_sql.protocols import dabench

    _print_judged(dabench.score(labels, responses, run), lake_path, output, as_json=as_json)


@protocol.command("ehrsql")
@click.option(
    "--predictions", type=PATH, required=True, multiple=True, help="JSON {id: table, SQL or null}; a file a run."
)
@click.option("--labels", type=PATH, required=True, help="JSON {id: table, SQL or null}: answer.json or label.json.")
@click.option("--database", type=PATH, help="SQLite file to run SQL on; without it, only tables can be right.")
@_protocol_options
def protocol_ehrsql(
    predictions: tuple[Path, ...],
    labels: Path,
    database: Path | None,
    run: str | None,
    output: Path | None,
    lake_path: Path | None,
    as_json: bool,
) -> None:
    """Score tables, or SQL that gives them, by the reliability score of EHRSQL: RS(0), RS(5), RS(10), RS(N).

    \b
    Example:
      benchlake protocol ehrsql --predictions predictions.json --labels answer.json
      benchlake protocol ehrsql --predictions sql.json --labels answer.json --database mimic_iv.sqlite
    """
    from eval_sql.protocols import ehrsql

    with terminal.progress("ehrsql") as progress:
        found = ehrsql.score(labels, predictions, database, run, terminal.counted(progress, "ehrsql"))
    _print_judged(found, lake_path, output, as_json=as_json)


@protocol.command("execution")
@click.option(
    "--predictions", type=PATH, required=True, multiple=True, help="JSON {id: SQL} or {run: {id: SQL}}, or SQL a line."
)
@click.option("--questions", type=PATH, required=True, help="Question set with gold SQL.")
@click.option("--format", "form", type=click.Choice(FORMS), required=True, help="Published shape of the question set.")
@click.option("--databases", type=PATH, required=True, help="Folder of ID/ID.sqlite or ID.sqlite, or one file.")
@_protocol_options
def protocol_execution(
    predictions: tuple[Path, ...],
    questions: Path,
    form: str,
    databases: Path,
    run: str | None,
    output: Path | None,
    lake_path: Path | None,
    as_json: bool,
) -> None:
    """Score predicted SQL by what it returns: our verdicts, and those of BIRD's and of Spider's own rule.

    \b
    Example:
      benchlake protocol execution --predictions predictions.json --questions dev.json --format bird \\
          --databases dev_databases
    """
    from eval_sql.protocols import execution

    with terminal.progress("execution") as progress:
        counted = terminal.counted(progress, "execution")
        found = execution.score(questions, form, databases, predictions, run, counted)
    _print_judged(found, lake_path, output, as_json=as_json)


@main.command()
@click.option("--corpus", help="Only this corpus.")
@_json_option
@_lake_option
def status(lake_path: Path, corpus: str | None, as_json: bool) -> None:
    """Show for every stage how many items are accepted, rejected (by code) and pending.

    Items are questions (ingest, sample), tasks (render) and tasks of runs (run, score); for score, accepted means
    passed.

    \b
    Example:
      benchlake status --json --lake lake
    """
    from warehouse.status import stage_status

    with _open(lake_path, read_only=True) as lake:
        found = stage_status(lake, corpus)
    if as_json:
        terminal.print_json(found)
        return
    rows = [
        (stage, s["accepted"], s["rejected"], s["pending"], ", ".join(f"{c} {n}" for c, n in s["codes"].items()))
        for stage, s in found.items()
    ]
    terminal.print_table(("stage", "accepted", "rejected", "pending", "rejected because"), rows)


@main.command("sql")
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@_json_option
@click.option("--parquet", type=PATH, help="Write a Parquet file instead.")
@_lake_option
def sql_command(lake_path: Path, query: str, as_csv: bool, as_json: bool, parquet: Path | None) -> None:
    """Ask the lake in DuckDB's SQL: one SELECT (or FROM ...), as a table, CSV, JSON or Parquet.

    \b
    Example:
      benchlake sql "SELECT code, count(*) FROM ledger.outcome GROUP BY code" --lake lake
      benchlake sql "FROM workspace.task" --json --lake lake
    """
    from warehouse.results import select

    if sum((as_csv, as_json, parquet is not None)) > 1:
        raise click.UsageError("--csv, --json and --parquet exclude each other")
    with _open(lake_path, read_only=True) as lake:
        result = select(lake, query)
        if parquet is not None:
            result.write_parquet(parquet)
            click.echo(f"written to {shown(parquet)}", err=True)
        elif as_csv:
            result.write_csv(sys.stdout)
        elif as_json:
            result.write_json(sys.stdout)
        else:
            rows, more = result.head(SHOWN_ROWS)
            terminal.print_table(result.names, rows)
            if more:
                click.echo(f"the first {SHOWN_ROWS} rows; --csv, --json or --parquet give all", err=True)


@main.command()
@_json_option
@_lake_option
def tables(lake_path: Path, as_json: bool) -> None:
    """List the tables and views of the lake: rows, grain (what one row is of) and what they say.

    \b
    Example:
      benchlake tables --lake lake
    """
    from warehouse.status import list_tables

    with _open(lake_path, read_only=True) as lake:
        found = list_tables(lake)
    if as_json:
        terminal.print_json(found)
        return
    terminal.print_table(
        ("table", "kind", "rows", "grain", "what it holds"),
        [(f"{t['schema']}.{t['name']}", t["kind"], t["rows"], t["grain"] or "", t["comment"]) for t in found],
    )


@main.command()
@_json_option
@_lake_option
def doctor(lake_path: Path, as_json: bool) -> None:
    """Check the lake: versions, hash chains, grain of every table, artifacts, orphans. Exit 1 if a check fails.

    \b
    Example:
      benchlake doctor --lake lake
    """
    from warehouse.doctor import examine

    with _open(lake_path, read_only=True) as lake:
        checks = examine(lake)
        held = all(check.held for check in checks)
    if as_json:
        digest = next((check.detail for check in checks if check.name == "content" and check.held), None)
        terminal.print_json({"held": held, "content_digest": digest, "checks": [asdict(check) for check in checks]})
    else:
        terminal.print_table(
            ("check", "", "detail"), [(c.name, "ok" if c.held else "FAILED", c.detail) for c in checks]
        )
    sys.exit(0 if held else 1)


@main.command()
@_json_option
@_lake_option
def vacuum(lake_path: Path, as_json: bool) -> None:
    """Compact the lake and remove what nothing refers to; snapshots stay.

    \b
    Example:
      benchlake vacuum --lake lake
    """
    from warehouse.vacuum import vacuum as run_vacuum

    with _open(lake_path) as lake:
        report = run_vacuum(lake)
    terminal.print_report(report, terminal.report_lines(report), as_json=as_json)


@main.command("export")
@click.argument("folder", type=PATH)
@_json_option
@_lake_option
def export_command(lake_path: Path, folder: Path, as_json: bool) -> None:
    """Write the whole lake as plain Parquet and files into FOLDER (absent or empty).

    \b
    Example:
      benchlake export lake-2026 --lake lake
    """
    from warehouse.exchange import export_lake

    with _open(lake_path, read_only=True) as lake:
        report = export_lake(lake, folder)
    terminal.print_report(report, terminal.report_lines(report), as_json=as_json)


@main.command("import")
@click.argument("folder", type=PATH)
@_json_option
@_lake_option
def import_command(lake_path: Path, folder: Path, as_json: bool) -> None:
    """Make a lake (absent or empty folder) from what export wrote into FOLDER.

    \b
    Example:
      benchlake import lake-2026 --lake new-lake
    """
    from warehouse.exchange import import_lake

    report = import_lake(folder, lake_path)
    terminal.print_report(report, terminal.report_lines(report), as_json=as_json)


@main.command()
@click.option("--out", type=PATH, default=Path("demo"), show_default=True, help="Folder of the demo.")
@_json_option
def demo(out: Path, as_json: bool) -> None:
    """Run the main job on two generated databases: lake, tasks, predictions, scores.

    \b
    Example:
      benchlake demo --out demo
    """
    from builder.demo.run import run_demo

    with terminal.progress("demo") as progress:
        report = run_demo(out, progress)
    if as_json:
        terminal.print_json(asdict(report))
        return
    terminal.print_table(("step", "what happened", "seconds"), [(s, what, f"{t:.1f}") for s, what, t in report.steps])
    terminal.print_table(("run", "tasks", "passed", "accuracy"), [(n, t, p, f"{a:.2%}") for n, t, p, a in report.runs])
    if not report.changed:
        terminal.say(terminal.NOTHING_TO_DO)
    place = shown(report.lake)
    click.echo(f"The lake is {place}, the tasks are in {shown(report.release)}. Where to look next:")
    for query in (
        "FROM metrics.task_accuracy",
        "SELECT run, dimension, value, tasks, accuracy FROM metrics.accuracy_by_stratum ORDER BY ALL",
        "SELECT run, error_code, count(*) FROM score.task_result GROUP BY ALL ORDER BY ALL",
    ):
        click.echo(f'  benchlake sql "{query}" --lake {place}')
    click.echo(f"  benchlake tables --lake {place}")


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL; evaluate it in the shell's start-up file.

    \b
    Example:
      eval "$(benchlake completion bash)"
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(main, {}, "benchlake", "_BENCHLAKE_COMPLETE").source())


def _open(path: Path, *, read_only: bool = False) -> "Lake":
    from warehouse.lake import Lake

    return Lake.open(path, read_only=read_only)


if __name__ == "__main__":
    main()
