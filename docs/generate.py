"""Write docs/schema.md and docs/commands.md from the lake's comments and the command line's own help.

`generate.py` writes both pages; `generate.py --check` exits with 1 when one of them is not what it would write.
"""

import functools
import inspect
import itertools
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

import cli
from warehouse import Lake
from warehouse.migrate import view_files
from warehouse.queries import query

FOLDER = Path(__file__).resolve().parent

COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, coalesce(comment, '')
FROM duckdb_columns() WHERE database_name = 'lake' ORDER BY schema_name, table_name, column_index"""
MACROS = """
SELECT schema_name, function_name, parameters FROM duckdb_functions()
WHERE database_name = 'lake' AND NOT internal ORDER BY schema_name, function_name"""

SCHEMA_INTRODUCTION = """\
# Tables and views of the lake

Made by `make docs` from the comments in `sql/schema`, `sql/views` and `sql/metrics`. The grain says what one row is
of. The rows of the ingested databases stand in schemas of their own, `src_` and the database's name.
"""
COMMANDS_INTRODUCTION = """\
# Commands

Made by `make docs` from the help of the commands, which `--help` shows too. Exit codes: 0 done (rejected items are
counted, not an error), 1 a check did not hold, 2 could not run, 130 interrupted.
"""


def schema_page() -> str:
    """The page on a fresh lake: every table, view and macro with its comment, grain and columns."""
    with tempfile.TemporaryDirectory() as folder, Lake.create(Path(folder) / "lake") as lake:
        relations = lake.rows(query("integrity/relations"))
        columns = {
            key: [row[2:] for row in rows]
            for key, rows in itertools.groupby(lake.rows(COLUMNS), key=lambda row: (row[0], row[1]))
        }
        macros = lake.rows(MACROS)
    parts = [SCHEMA_INTRODUCTION]
    for schema, found in itertools.groupby(relations, key=lambda relation: str(relation[0])):
        parts.append(f"## {schema}\n")
        for _, name, kind, comment, grain in found:
            parts.append(f"### {schema}.{name}\n\n{kind.capitalize()}. {comment}  \nGrain: {grain}\n")
            parts.append(_table(("column", "type", "meaning"), columns[schema, name]))
        parts += [_macro(schema, name, parameters) for of, name, parameters in macros if of == schema]
    return "\n".join(parts)


def commands_page() -> str:
    """The page on the command line: for every command its usage, help, options and examples."""
    return "\n".join([COMMANDS_INTRODUCTION, *itertools.starmap(_command, commands("benchlake", cli.main))])


def commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Every visible command from here on with its full name, such as "benchlake ingest sqlite"."""
    if command.hidden:
        return
    yield path, command
    if isinstance(command, click.Group):
        for name, below in sorted(command.commands.items()):
            yield from commands(f"{path} {name}", below)


def _command(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    options = [
        (f"`{record[0]}`", record[1])
        for option in command.get_params(context)
        if isinstance(option, click.Option)
        and "--help" not in option.opts
        and (record := option.get_help_record(context))
    ]
    parts = [f"## {path}\n", f"    {usage}\n", _help(command.help or "")]
    if options:
        parts.append(_table(("option", "meaning"), options))
    return "\n".join(parts)


def _help(text: str) -> str:
    r"""Help text as Markdown: click's `\b` paragraphs keep their lines, which makes them code."""
    paragraphs = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        lines = paragraph.splitlines()
        if lines[:1] != ["\b"]:
            paragraphs.append(paragraph)
            continue
        title, body = lines[1], lines[2:]
        paragraphs += [title, "\n".join(f"    {line.strip()}" for line in body)]
    return "\n\n".join(paragraphs) + "\n"


def _macro(schema: str, name: str, parameters: Sequence[str]) -> str:
    made = re.compile(rf"MACRO\s+{re.escape(f'{schema}.{name}')}\s*\(")
    source = next(text for file in view_files() if made.search(text := file.read_text(encoding="utf-8")))
    comment = itertools.takewhile(lambda line: line.startswith("--"), source.splitlines())
    text = " ".join(line.removeprefix("--").strip() for line in comment)
    text = re.sub(r" (?=Inputs:|Grain:)", "  \n", text)
    return f"### {schema}.{name}({', '.join(parameters)})\n\nMacro. {text}\n"


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def stale(folder: Path) -> list[str]:
    """Names of the pages in a folder that are missing or not what they should be."""
    return [
        name
        for name, text in pages().items()
        if not (file := folder / name).is_file() or file.read_text(encoding="utf-8") != text
    ]


@functools.cache
def pages() -> dict[str, str]:
    """The generated pages: file name to text."""
    return {"schema.md": schema_page(), "commands.md": commands_page()}


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 when a page is out of date.")
def main(check: bool) -> None:
    """Write docs/schema.md and docs/commands.md."""
    if check:
        if found := stale(FOLDER):
            raise click.ClickException(f"out of date: {', '.join(found)}; run make docs")
        return
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
