"""Alignment against trying every mapping, on what is symmetric, ambiguous or too hard."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from eval_sql.align import Alignment, Columns, align
from eval_sql.matching import bits, first_matching, has_matching

Rows = Sequence[Sequence[int]]


def one_rule(gold: Rows, prediction: Rows) -> list[Columns]:
    sides = [{j: array("i", column) for j, column in enumerate(zip(*rows, strict=True))} for rows in (gold, prediction)]
    return [Columns(sides[0], sides[1], 1 + max(max(row) for row in (*gold, *prediction)))]


def mapping(gold: Rows, prediction: Rows) -> tuple[int, ...] | None:
    found = align(one_rule(gold, prediction), len(gold), ordered=False)
    assert not found.undecided
    return found.mapping


def by_trying(rules: list[Columns], *, ordered: bool) -> tuple[int, ...] | None:
    rule_of = {j: rule for rule in rules for j in rule.gold}
    gold = list(zip(*(rule_of[j].gold[j] for j in sorted(rule_of)), strict=True))
    for trial in permutations(range(len(rule_of))):
        if all(k in rule_of[j].prediction for j, k in enumerate(trial)):
            rows = list(zip(*(rule_of[j].prediction[k] for j, k in enumerate(trial)), strict=True))
            if rows == gold if ordered else Counter(rows) == Counter(gold):
                return trial
    return None


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Columns], int]:
    """Few values, one or two rules, and prediction columns that are gold columns moved about, so that much fits."""
    width, height = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    column = st.lists(st.integers(0, 2), min_size=height, max_size=height)
    kinds = draw(st.lists(column, min_size=1, max_size=width))
    gold = [draw(st.sampled_from(kinds)) for _ in range(width)]
    order = draw(st.permutations(range(height)))
    prediction = [[gold[j][row] for row in order] for j in draw(st.permutations(range(width)))]
    if draw(st.booleans()):
        prediction[draw(st.integers(0, width - 1))][0] = draw(st.integers(0, 2))
    ruled = draw(st.lists(st.integers(0, 1), min_size=width, max_size=width))
    rules: list[Columns] = []
    for rule in sorted(set(ruled)):
        # The second rule takes 1 and 2 for one value, and cannot read some of the columns.
        value = (0, 1, 2) if rule == 0 else (0, 1, 1)
        readable = {k for k in range(width) if rule == 0 or draw(st.integers(0, 4))}
        rules.append(
            Columns(
                {j: array("i", [value[v] for v in gold[j]]) for j in range(width) if ruled[j] == rule},
                {k: array("i", [value[v] for v in prediction[k]]) for k in readable},
                3,
            )
        )
    return rules, height


@settings(deadline=None, max_examples=400)
@given(tables(), st.booleans())
def test_alignment_is_what_trying_every_mapping_finds(case: tuple[list[Columns], int], ordered: bool) -> None:
    rules, height = case
    assert align(rules, height, ordered=ordered) == Alignment(by_trying(rules, ordered=ordered))


@settings(deadline=None, max_examples=300)
@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.integers(0, 2**n - 1), min_size=n, max_size=n)))
def test_the_first_matching_is_the_first_of_all(options: list[int]) -> None:
    trials = permutations(range(len(options)))
    wanted = next((t for t in trials if all(options[j] >> k & 1 for j, k in enumerate(t))), None)
    assert first_matching(options) == wanted
    assert has_matching(options) == (wanted is not None)


def test_bits_come_smallest_first() -> None:
    assert list(bits(0b1010010)) == [1, 4, 6]


def test_sixty_four_equal_columns() -> None:
    gold = [[row] * 64 for row in range(50)]
    assert mapping(gold, gold[::-1]) == tuple(range(64))
    swapped = [list(row) for row in gold]
    swapped[0][63], swapped[1][63] = 1, 0
    assert mapping(gold, swapped) is None


def test_one_hot_columns_and_an_id_in_the_last_place() -> None:
    gold = [[int(i == j) for j in range(63)] + [i] for i in range(63)]
    prediction = [row[::-1] for row in gold[::-1]]
    assert mapping(gold, prediction) == tuple(range(63, -1, -1))


def test_one_hot_columns_alone_fit_in_every_way() -> None:
    gold = [[int(i == j) for j in range(40)] for i in range(40)]
    assert mapping(gold, gold[::-1]) == tuple(range(40))
    assert mapping(gold, [*gold[1:], gold[1]]) is None


def test_a_cycle_is_not_two_cycles() -> None:
    def incidence(edges: list[tuple[int, int]]) -> Rows:
        return [[int(vertex in edge) for edge in edges] for vertex in range(24)]

    cycle = [(i, (i + 1) % 24) for i in range(24)]
    two = [(h + i, h + (i + 1) % 12) for h in (0, 12) for i in range(12)]
    assert mapping(incidence(cycle), incidence(two)) is None
    assert mapping(incidence(cycle), incidence(cycle[::-1])) == (0, *range(1, 24))


def hadamard(size: int) -> list[list[int]]:
    return [[(a & b).bit_count() % 2 for b in range(size)] for a in range(size)]


def test_past_the_bound_a_task_is_undecided() -> None:
    gold = hadamard(32)
    broken = [list(row) for row in gold]
    for row, column in ((5, 7), (9, 7), (5, 11), (9, 11)):
        broken[row][column] ^= 1
    found = align(one_rule(gold, broken), 32, ordered=False, work_limit=20_000_000)
    assert found == Alignment(None, undecided=True)


def test_a_mapping_found_before_the_bound_is_kept() -> None:
    gold = hadamard(32)
    prediction = [[row[(5 * k + 3) % 32] for k in range(32)] for row in gold[::-1]]
    found = align(one_rule(gold, prediction), 32, ordered=False, work_limit=4_000_000)
    assert found.undecided and found.mapping is not None
    assert Counter(tuple(row[k] for k in found.mapping) for row in prediction) == Counter(map(tuple, gold))
