"""Routing sees tables only; file names stay in their folder."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.render import route as route_module
from builder.render.names import MAX_BYTES, safe_name
from builder.render.route import FORMATS, Descriptor, route


def tables(count, obstacles=None):
    return [Descriptor(f"t{number}", number, obstacles or {}) for number in range(count)]


def test_routing_cannot_see_the_question():
    """By type: a descriptor has no field for question, SQL or answer, and nothing else comes in."""
    assert set(Descriptor.__dataclass_fields__) == {"name", "row_count", "obstacles"}
    assert list(inspect.signature(route).parameters) == ["tables", "seed"]
    assert "eval_sql" not in inspect.getsource(route_module)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 30])
def test_every_table_has_a_route_and_formats_are_balanced(count):
    routes = route(tables(count), 3)
    assert set(routes) == {table.name for table in tables(count)}
    firsts = [formats[0] for formats in routes.values()]
    assert all(abs(firsts.count(form) - count / len(FORMATS)) < 1 for form in FORMATS)
    assert all(set(formats) == set(FORMATS) for formats in routes.values())


def test_same_seed_same_route_whatever_the_order():
    assert route(tables(9), 5) == route(tables(9)[::-1], 5)
    assert route(tables(9), 5) != route(tables(9), 6)


def test_obstacles_are_heeded():
    routes = route(tables(5, {"csv": "x", "json": "y"}), 1)
    assert set(routes.values()) == {("sqlite",)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("order", "order"),
        ("Order Details", "Order_Details"),
        ("../../etc/passwd", "______etc_passwd"),
        ("a/b\\c", "a_b_c"),
        ("基金", "基金"),
        ("", "table"),
        ("...", "table"),
        ("con", "table_con"),
        ("x\ny", "x_y"),
        ("e\u0301", "é"),
    ],
)
def test_safe_names(name, expected):
    assert safe_name(name, set()) == expected


@given(st.lists(st.text(max_size=300), max_size=8))
def test_names_are_distinct_and_harmless(names):
    taken: set[str] = set()
    made = [safe_name(name, taken) for name in names]
    assert len({name.casefold() for name in made}) == len(made)
    for name in made:
        assert name and len(name.encode()) <= MAX_BYTES + 10
        assert all(c.isalnum() or c in "-_" for c in name)
