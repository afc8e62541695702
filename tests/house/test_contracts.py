"""The rules of the house that a machine can check: imports, SQL, documentation, pins and what files may hold."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import click
import duckdb
import pytest
import sqlglot
from packaging.requirements import Requirement

import cli
from warehouse import Lake, extensions
from warehouse.queries import query

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("builder", "eval_sql", "ibis_ops", "warehouse")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def files() -> Iterator[Path]:
    """The repository's files; not what tools, builds and the demo leave in it."""
    for path in sorted(ROOT.iterdir()):
        if path.is_file():
            yield path
        elif path.name == ".ci" or not (path.name.startswith(".") or path.name in ("build", "demo", "dist")):
            yield from (file for file in sorted(path.rglob("*")) if file.is_file() and "__pycache__" not in file.parts)


PYTHON_FILES = [file for file in files() if file.suffix == ".py"]
OUR_PYTHON = [file for file in PYTHON_FILES if file.relative_to(ROOT).parts[0] not in ("tests", "benchmarks")]
SQL_FILES = [file for file in files() if file.suffix == ".sql"]


def name(file: Path) -> str:
    return str(file.relative_to(ROOT))


# Imports


def test_the_import_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def imports(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    """Every import statement below a node, with the name of each top-level package it imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield node, (node.module or "").partition(".")[0]


def test_the_command_line_imports_the_rooms_and_what_prints_and_nothing_that_works() -> None:
    found = {package for _, package in imports(ast.parse((ROOT / "cli.py").read_text(encoding="utf-8")))}
    assert found - set(sys.stdlib_module_names) <= {*ROOMS, "click", "rich"}


def test_the_command_line_imports_everything_but_click_late() -> None:
    tree = ast.parse((ROOT / "cli.py").read_text(encoding="utf-8"))
    late = {
        node
        for inner in ast.walk(tree)
        if isinstance(inner, ast.FunctionDef)
        or (isinstance(inner, ast.If) and ast.unparse(inner.test) == "TYPE_CHECKING")
        for node, _ in imports(inner)
    }
    early = {package for node, package in imports(tree) if node not in late}
    # Of our rooms only what prints and what Ctrl-C needs, and nothing heavy comes with them.
    assert early - set(sys.stdlib_module_names) == {"click", "warehouse"}
    heavy = ["duckdb", "ibis", "numpy", "pandas", "pyarrow", "rich", "sqlglot"]
    code = f"import sys, cli; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_no_room_imports_the_command_line() -> None:
    for file in OUR_PYTHON:
        if file.relative_to(ROOT).parts[0] in ROOMS:
            assert "cli" not in {package for _, package in imports(ast.parse(file.read_text(encoding="utf-8")))}, file


# SQL


@pytest.mark.parametrize("file", SQL_FILES, ids=name)
def test_a_sql_file_starts_with_a_comment(file: Path) -> None:
    assert file.read_text(encoding="utf-8").startswith("-- ")


def test_the_sql_room_is_no_package() -> None:
    assert not list((ROOT / "sql").rglob("*.py"))


STATEMENT = re.compile(r"(SELECT|WITH|FROM|VALUES|INSERT|UPDATE|DELETE|MERGE|CREATE|ALTER|DROP|COPY|COMMENT|ATTACH)\b")


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, text) of every string and f-string; what an f-string fills in is left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))


@pytest.mark.parametrize("file", OUR_PYTHON, ids=name)
def test_no_sql_of_more_than_three_lines_in_python(file: Path) -> None:
    for line, text in texts(ast.parse(file.read_text(encoding="utf-8"))):
        sql = text.strip()
        assert not STATEMENT.match(sql) or sql.count("\n") <= 2, f"{file}:{line}: move this SQL into sql/"


# Documentation


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generated_pages_are_current(generate: ModuleType) -> None:
    assert generate.stale(ROOT / "docs") == [], "run make docs"


def test_a_page_that_is_not_current_is_seen(generate: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "schema.md").write_text(generate.pages()["schema.md"], encoding="utf-8")
    (tmp_path / "commands.md").write_text("old", encoding="utf-8")
    assert generate.stale(tmp_path) == ["commands.md"]


def command_tree(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for below, inner in command.commands.items():
            yield from command_tree(f"{path} {below}", inner)


COMMANDS = dict(command_tree("benchlake", cli.main))


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_has_help_with_an_example(path: str) -> None:
    assert re.search(rf"^ +.*\b{path}\b", COMMANDS[path].help or "", re.MULTILINE), (
        "add an example of this very command"
    )


@pytest.mark.parametrize("path", COMMANDS)
def test_the_options_of_a_command_have_help(path: str) -> None:
    bare = [option.name for option in COMMANDS[path].params if isinstance(option, click.Option) and not option.help]
    assert not bare


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_is_in_the_documentation(path: str) -> None:
    assert f"\n## {path}\n" in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def test_every_table_and_view_says_what_it_holds_and_its_grain(lake: Lake) -> None:
    silent = [row[:2] for row in lake.rows(query("integrity/relations")) if not (row[3] and row[4])]
    assert not silent


# Pins (docs/pins.md)

REQUIREMENTS = {requirement.name: requirement for requirement in map(Requirement, PROJECT["dependencies"])}


def test_the_engine_and_its_extensions_are_pinned_as_the_code_expects() -> None:
    packages = ["duckdb", *(f"duckdb-extension-{extension.replace('_', '-')}" for extension in extensions.EXTENSIONS)]
    for package in packages:
        assert str(REQUIREMENTS[package].specifier) == f"=={extensions.DUCKDB_VERSION}", package
    assert {package for package in REQUIREMENTS if package.startswith("duckdb")} == set(packages)


@pytest.mark.parametrize("package", REQUIREMENTS)
def test_what_is_installed_is_what_is_pinned(package: str) -> None:
    assert REQUIREMENTS[package].specifier.contains(version(package), prereleases=True)


def test_duckdb_still_has_what_ibis_calls() -> None:
    """DuckDB 2 took away `fetch_arrow_table` and `fetch_record_batch`, which ibis 12 calls to list and read tables."""
    spec = find_spec("ibis.backends.duckdb")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    calls = [method for method in ("fetch_arrow_table", "fetch_record_batch") if f".{method}(" in source]
    gone = [method for method in calls if not hasattr(duckdb.DuckDBPyConnection, method)]
    assert not gone, f"ibis {version('ibis-framework')} does not work with duckdb {duckdb.__version__}: no {gone}"


def test_sqlglot_still_drops_things_the_way_ibis_says_it() -> None:
    """sqlglot 30.18 renamed an argument of DROP: what ibis 12 builds loses the table's name there."""
    drop = sqlglot.exp.Drop(kind="VIEW", this=sqlglot.exp.to_table("some_view"), exists=True)
    assert drop.sql("duckdb") == "DROP VIEW IF EXISTS some_view"


# What files may hold


@pytest.mark.parametrize("file", OUR_PYTHON, ids=name)
def test_a_python_file_has_one_subject(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").count("\n")
    # cli.py lists every command, by the user's wish in one file: long, but of one subject.
    assert lines <= (1000 if file.name == "cli.py" else 500)


OF_A_MACHINE = re.compile(r"(?<![\w.])/(?:work|farm|root|home/\w+|Users/\w+|tmp/(?:bl_venv|bash_jobs|clone))(?:/|\b)")
REGISTRY = re.compile(
    r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|crates\.io|(?:deb|archive|security)\.(?:debian|ubuntu)\.(?:org|com))"
    r"|proxy\.golang\.org|index-url\s*="
)


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = []
    for file in files():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{name(file)}: {match[0]}" for rule in (OF_A_MACHINE, REGISTRY) for match in rule.finditer(text)]
    assert not found


def test_the_debian_packages_say_what_needs_them() -> None:
    for line in (ROOT / "apt-packages.txt").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"# .+|[a-z0-9][a-z0-9.+-]+  # .+", line), line
