"""Sampling policies: what is read and what is refused, in one line."""

import pytest

from builder.sample import Policy, load_policy
from warehouse import BenchlakeError


def test_defaults():
    assert load_policy(None) == Policy()


def test_read(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text('seed = 1\nbudget = 30\n[tables]\n"b c" = 0\na = 5\n')
    policy = load_policy(path)
    assert policy == Policy(seed=1, budget=30, attempts=3, tables={"a": 5, "b c": 0})
    assert policy.id != Policy().id


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("seed = -1", "seed"),
        ("seed = 1.5", "seed"),
        ("budget = 0", "budget"),
        ("budget = true", "budget"),
        ('attempts = "3"', "attempts"),
        ("attempts = 21", "attempts"),
        ("color = 1", "color"),
        ("tables = 3", "tables"),
        ("[tables]\nt = -1", "tables.t"),
        ("seed = ", "TOML"),
        ("\x00", "TOML"),
    ],
)
def test_refused(tmp_path, text, word):
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(BenchlakeError, match=word) as caught:
        load_policy(path)
    assert str(path) in str(caught.value)


def test_unreadable(tmp_path):
    with pytest.raises(BenchlakeError, match="cannot be read"):
        load_policy(tmp_path / "absent.toml")
