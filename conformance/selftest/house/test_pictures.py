"""The pictures of the README: they are there, small, and described."""

import re

import pytest

from conformance.selftest.support.commanding import ROOT

PICTURES = re.findall(
    r"!\[(.+?)\]\((\.github/pictures/.+?)\)", (ROOT / "README.md").read_text(encoding="utf-8")
)
MOST_BYTES = 150 * 1024


@pytest.mark.parametrize(("words", "place"), PICTURES)
def test_picture_is_small_and_described(words: str, place: str) -> None:
    """Each picture of the README is a PNG below 150 KiB, and its text says what is to be seen."""
    picture = (ROOT / place).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < MOST_BYTES
    assert len(words) > 30


def test_every_picture_is_shown() -> None:
    """Every picture is one that the README shows, and the first screen stands before the first section."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {place for _, place in PICTURES} == {
        f".github/pictures/{path.name}" for path in (ROOT / ".github" / "pictures").iterdir()
    }
    assert readme.index("first-screen.png") < readme.index("\n## ")
