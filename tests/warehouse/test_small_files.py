"""Files that a user names: regular and small, or one clear line at once."""

import os

import pytest

from warehouse import BenchlakeError
from warehouse.small_files import read_small


def test_a_regular_file(tmp_path):
    (tmp_path / "f").write_bytes(b"12345")
    assert read_small(tmp_path / "f", 5) == b"12345"
    with pytest.raises(BenchlakeError, match="larger than 4 bytes"):
        read_small(tmp_path / "f", 4)


def test_what_is_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path, "/dev/zero"):
        with pytest.raises(BenchlakeError, match=r"not a regular file|Is a directory"):
            read_small(tmp_path / path, 10)
    with pytest.raises(BenchlakeError, match="cannot be read"):
        read_small(tmp_path / "absent", 10)
