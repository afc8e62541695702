"""Outlines of gold queries, as pairs of SQL and what is read from it."""

import pytest

from ibis_ops.query.outline import MAX_SQL_CHARACTERS, NotAQuery, outline


@pytest.mark.parametrize(
    ("sql", "ordered", "limit"),
    [
        ("select 1", False, None),
        ("select 1;", False, None),
        ("-- a comment\nselect 1 -- and another", False, None),
        ("select * from t order by 1", True, None),
        ("select * from t order by 1 limit 3", True, 3),
        ("select * from t limit 3", False, 3),
        ("select * from t limit 2 + 1", False, None),
        ("(select * from t order by 1)", True, None),
        ("select * from (select * from t order by 1)", False, None),
        ("select * from (select * from t order by 1 limit 5) limit 2", False, 2),
        ("select a from t union select b from u order by 1", True, None),
        ("with c as (select * from t order by 1) select * from c", False, None),
        ("with c as (select * from t) select * from c order by a desc limit 1", True, 1),
        ("select rank() over (order by a) from t", False, None),
        ("select group_concat(a) from (select a from t order by a)", False, None),
    ],
)
def test_order_and_limit(sql, ordered, limit):
    found = outline(sql)
    assert (found.ordered, found.limit, found.clock) == (ordered, limit, None)


@pytest.mark.parametrize(
    "sql",
    [
        "select date('now')",
        "select julianday('NOW') - julianday(d) from t",
        "select strftime('%Y', 'now')",
        "select * from t where d > datetime('now', '-1 year')",
        "select current_timestamp",
        "select current_date",
        "select current_time",
        "select datetime()",
        "select * from t where y = strftime('%Y', datetime( ' now ' ))",
    ],
)
def test_the_clock_is_seen(sql):
    assert outline(sql).clock


@pytest.mark.parametrize(
    "sql", ["select 'now'", "select * from t where a = 'now'", "select date(d) from t", "select date from t"]
)
def test_what_only_looks_like_the_clock(sql):
    assert outline(sql).clock is None


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("", "sql_not_a_query"),
        ("-- nothing", "sql_not_a_query"),
        ("select 1; select 2", "sql_not_a_query"),
        ("delete from t", "sql_not_a_query"),
        ("drop table t", "sql_not_a_query"),
        ("attach 'x' as y", "sql_not_a_query"),
        ("pragma table_info(t)", "sql_not_a_query"),
        ("hello world", "sql_not_a_query"),
        ("selec 1", "sql_unparsable"),
        ("select * from", "sql_unparsable"),
        ("select 'open", "sql_unparsable"),
        ("select ((((", "sql_unparsable"),
        ("select " + "(" * 5000 + "1" + ")" * 5000, "sql_unparsable"),
        ("select '" + "x" * MAX_SQL_CHARACTERS + "'", "sql_unparsable"),
    ],
)
def test_what_is_no_query(sql, code):
    with pytest.raises(NotAQuery) as caught:
        outline(sql)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)
