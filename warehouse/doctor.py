"""The health of a lake: what can be checked of it by query, file by file and against the pins."""

import hashlib
import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass

import duckdb

from warehouse import extensions, ledger, migrate
from warehouse.artifacts import file_digest
from warehouse.digest import content_digest
from warehouse.ids import qualified, quote
from warehouse.lake import Lake
from warehouse.queries import query
from warehouse.shown import plural, shown
from warehouse.waste import Waste, orphan_artifacts, orphan_files, scratch_leftovers

PINNED = ("duckdb", "ibis-framework", "sqlglot", "pyarrow")
RELATIONS_A_QUERY = 50
NAMED_PROBLEMS = 3


@dataclass(frozen=True)
class Check:
    """One check: whether it held, and what was seen. A check that only informs always holds."""

    name: str
    held: bool
    detail: str


Result = tuple[bool, str]


def examine(lake: Lake, *, deep: bool = False) -> list[Check]:
    """Check versions, catalog, schema, ledger, grain, references between tables and artifacts, and what lies about.

    Nothing is changed; a lake open read-only will do. With `deep` every artifact is read and hashed again. A check that
    cannot be made, such as for a data file that is gone, has not held. `content` reads every value of every table; its
    detail is the content digest.
    """
    counts: dict[tuple[str, str], int] = {}
    checks: tuple[tuple[str, Callable[[Lake], Result]], ...] = (
        ("versions", _versions),
        ("extensions", _extensions),
        ("catalog", _catalog),
        ("schema", _schema),
        ("ledger", _ledger),
        ("grain", lambda lake: _grain(lake, counts)),
        ("source_rows", lambda lake: _source_rows(lake, counts)),
        ("selected_rows", lambda lake: _breaches(lake, "selected_rows")),
        ("key_edges", lambda lake: _breaches(lake, "key_edges")),
        ("accepted_attempts", lambda lake: _breaches(lake, "accepted_attempts")),
        ("outcomes", lambda lake: _breaches(lake, "outcomes")),
        ("content", lambda lake: (True, content_digest(lake))),
        ("artifacts", lambda lake: _artifacts(lake, deep=deep)),
        ("orphan_artifacts", lambda lake: _inform("artifacts that nothing refers to", orphan_artifacts(lake))),
        ("orphan_files", lambda lake: _inform("data files that no snapshot knows", orphan_files(lake))),
        ("leftovers", lambda lake: _inform("scratch folders of processes that died", scratch_leftovers(lake))),
    )
    return [_check(name, check, lake) for name, check in checks]


def _check(name: str, check: Callable[[Lake], Result], lake: Lake) -> Check:
    try:
        held, detail = check(lake)
    except (duckdb.Error, OSError) as error:
        held, detail = False, f"cannot be checked: {(str(error) or repr(error)).splitlines()[0]}"
    return Check(name, held, shown(detail))


def _versions(_: Lake) -> Result:
    """Installed packages against the requirements of the benchlake distribution itself."""
    try:
        wanted = importlib.metadata.requires("benchlake") or []
    except importlib.metadata.PackageNotFoundError:
        return True, "benchlake is not installed as a distribution: its pins cannot be compared"
    seen, problems = [], []
    for requirement in wanted:
        match = re.match(r"([\w.-]+)(?:\[[^]]*\])?\s*([^;]*)(;.*)?$", requirement)
        if match is None or match[3] or not (match[1] in PINNED or match[1].startswith("duckdb-extension-")):
            continue
        name, clauses = match[1], match[2].strip()
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            problems.append(f"{name} is not installed: run pip install '{name}{clauses}'")
            continue
        seen.append(f"{name} {installed}")
        if not all(_fits(installed, clause) for clause in clauses.split(",")):
            problems.append(f"{name} {installed} does not fit {clauses}: run pip install '{name}{clauses}'")
    return not problems, "; ".join(problems) or ", ".join(seen)


def _fits(version: str, clause: str) -> bool:
    """Whether a version fits one clause (==, ==N.*, >= or <) of a requirement; pre-releases count as releases."""
    match = re.fullmatch(r"\s*(==|>=|<)\s*([\d.]+?)(\.\*)?\s*", clause)
    if match is None:
        return False
    installed, wanted = _release(version), _release(match[2])
    if match[1] == "==":
        return installed[: len(wanted)] == wanted if match[3] else installed == wanted
    return installed >= wanted if match[1] == ">=" else installed < wanted


def _release(version: str) -> tuple[int, ...]:
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()


def _extensions(lake: Lake) -> Result:
    loaded = dict(lake.rows("SELECT extension_name, extension_version FROM duckdb_extensions() WHERE loaded"))
    absent = [name for name in extensions.EXTENSIONS if name not in loaded]
    if absent:
        return False, f"not loaded: {', '.join(absent)}"
    return True, ", ".join(f"{name} {loaded[name]}" for name in extensions.EXTENSIONS)


def _catalog(lake: Lake) -> Result:
    # By DuckDB's own SQLite: a second one in this process would drop the locks that the lake holds on the file.
    found = lake.rows("FROM sqlite_query('__ducklake_metadata_lake', 'PRAGMA quick_check(3)')")
    problems = [str(row[0]) for row in found if row[0] != "ok"]
    return not problems, "; ".join(problems) or "SQLite finds the catalog sound"


def _schema(lake: Lake) -> Result:
    with lake.cursor() as cursor:
        version, latest = migrate.stored_version(cursor), migrate.latest_version()
    if version != latest:
        return False, f"the lake has schema version {version}, this benchlake needs {latest}: open it for writing once"
    applied = dict(lake.rows("SELECT name, digest FROM ledger.schema_version"))
    for file in migrate.schema_files():
        if applied.get(file.name) != hashlib.sha256(file.read_bytes()).hexdigest():
            return False, f"the lake was made with another {file.name} than this benchlake has"
    views = lake.rows("SELECT value FROM ledger.setting WHERE name = 'views_digest'")
    if views != [(migrate.views_digest(),)]:
        return False, "the views are of another benchlake: open the lake for writing once"
    return True, f"schema version {version}, views current"


def _ledger(lake: Lake) -> Result:
    with lake.cursor() as cursor:
        broken = ledger.broken_links(cursor)
    if broken:
        writer, sequence, reason = broken[0]
        return False, f"{plural(len(broken), 'broken event')}; event {sequence} of writer {writer}: {reason}"
    events, writers = lake.rows("SELECT count(*), count(DISTINCT writer) FROM ledger.event")[0]
    return True, f"{plural(events, 'event')} of {plural(writers, 'writer')}"


def _grain(lake: Lake, counts: dict[tuple[str, str], int]) -> Result:
    """Every table and view has one row for each key that its comment states; `counts` gets the rows of each."""
    stated = [row for row in lake.rows(query("integrity/relations")) if row[4]]
    problems = []
    for start in range(0, len(stated), RELATIONS_A_QUERY):
        batch = stated[start : start + RELATIONS_A_QUERY]
        try:
            found = lake.rows(" UNION ALL ".join(_key_count(number, row) for number, row in enumerate(batch)))
        except duckdb.Error:
            found = []
            for number, row in enumerate(batch):
                try:
                    found += lake.rows(_key_count(number, row))
                except duckdb.Error as error:
                    problems.append(f"{row[0]}.{row[1]} cannot be read: {str(error).splitlines()[0]}")
        counts |= {(batch[number][0], batch[number][1]): rows for number, rows, _ in found}
        problems += [_offending_key(lake, batch[number]) for number, rows, keys in found if rows != keys]
    return not problems, _few(problems) or f"{plural(sum(counts.values()), 'row')} in {len(stated)} tables and views"


def _columns(grain: str) -> str:
    return ", ".join(quote(name) for name in grain.split(", "))


def _key_count(number: int, relation: tuple[str, ...]) -> str:
    """SQL for (number, rows, distinct keys) of a table or view with a stated grain."""
    inner = f"SELECT count(*) AS rows FROM {qualified(relation[0], relation[1])} GROUP BY {_columns(relation[4])}"
    return f"SELECT {number}, coalesce(sum(rows), 0)::BIGINT, count(*) FROM ({inner})"


def _offending_key(lake: Lake, relation: tuple[str, ...]) -> str:
    schema, name, _, _, grain = relation
    key = ", ".join(f"coalesce({quote(column)}::VARCHAR, 'NULL')[:100]" for column in grain.split(", "))
    inner = f"SELECT count(*) AS rows, [{key}] AS key FROM {qualified(schema, name)} GROUP BY {_columns(grain)}"
    rows, values = lake.rows(f"SELECT rows, key FROM ({inner}) WHERE rows > 1 ORDER BY key LIMIT 1")[0]
    return f"{schema}.{name} has {plural(rows, 'row')} of ({grain}) = ({', '.join(values)})"


def _source_rows(lake: Lake, counts: dict[tuple[str, str], int]) -> Result:
    """Every ingested table is there with the rows that were ingested."""
    listed = lake.rows(query("integrity/source_tables"))
    problems = []
    for schema, name, ingested, there in listed:
        if not there:
            problems.append(f"{schema}.{name} is not there")
            continue
        count = counts.get((schema, name))
        if count is None:
            count = lake.rows(f"SELECT count(*) FROM {qualified(schema, name)}")[0][0]
        if count != ingested:
            problems.append(f"{schema}.{name} has {plural(count, 'row')}, but {ingested} were ingested")
    return not problems, _few(
        problems
    ) or f"{plural(sum(row[2] for row in listed), 'row')} in {plural(len(listed), 'table')}"


def _breaches(lake: Lake, name: str) -> Result:
    """A check whose query gives one sentence for each breach."""
    text = query(f"integrity/{name}").rstrip().removesuffix(";")
    count, first = lake.rows(f"SELECT count(*), coalesce(min(breach), 'a row lacks a value') FROM (\n{text}\n)")[0]
    if not count:
        return True, "all fit"
    return False, first if count == 1 else f"{first}; and {count - 1} more"


def _artifacts(lake: Lake, *, deep: bool) -> Result:
    """Every file that the lake refers to is there; with `deep`, its content too is what its name says."""
    # First what is referred to, then what is there: a file is always kept before a row names it.
    references = lake.rows(query("integrity/artifact_reference"))
    present = set(lake.artifacts.digests())
    problems = []
    for digest, place in references:
        if digest not in present:
            problems.append(f"{place} refers to the artifact {digest}, which is not there")
        elif deep and file_digest(lake.artifacts.path(digest)) != digest:
            problems.append(f"the artifact {digest} ({place}) has other content than its name says")
    return not problems, _few(problems) or f"{plural(len(references), 'artifact')} there{', unchanged' if deep else ''}"


def _few(problems: list[str]) -> str:
    more = len(problems) - NAMED_PROBLEMS
    return "; ".join(problems[:NAMED_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")


def _inform(what: str, found: Waste) -> Result:
    if not found.paths:
        return True, f"no {what}"
    return True, f"{len(found.paths)} {what}, {found.bytes} bytes: benchlake vacuum removes them"
