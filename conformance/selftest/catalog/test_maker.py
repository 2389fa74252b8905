"""The maker's name is exchanged in the first segment and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.loader import load_catalog
from catalog.maker import maker_of, with_maker, without_maker

CATALOG = load_catalog()
FIRST_SEGMENTS = {text.partition(".")[0] for text in (*CATALOG.entries, *CATALOG.enumerations)} - {"Vendor"}
SPELLED = [
    *CATALOG.entries,
    *(value.key for known in CATALOG.enumerations.values() for value in known.values),
]
MAKERS = st.text(st.characters(exclude_characters=".", exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: name not in FIRST_SEGMENTS
)


@given(st.sampled_from(SPELLED), MAKERS)
def test_every_key_and_value_makes_the_round_trip(text: str, maker: str) -> None:
    """What is spelled for a maker is spelled back exactly."""
    assert without_maker(with_maker(text, maker), maker) == text


@given(st.text(), MAKERS)
def test_only_the_first_segment_changes(text: str, maker: str) -> None:
    """Everything behind the first dot stays as it is."""
    assert with_maker(text, maker).partition(".")[1:] == text.partition(".")[1:]


@given(st.text())
def test_vendor_is_the_identity(text: str) -> None:
    """With the maker Vendor both directions change nothing."""
    assert with_maker(text, "Vendor") == without_maker(text, "Vendor") == text


@pytest.mark.parametrize(
    "text", ["Vendor", "", "VendorX.Common", "vendor.Common", "Cooking.Vendor.Setting", " Vendor.Common"]
)
def test_what_does_not_begin_with_the_segment_stays(text: str) -> None:
    """A text whose first segment is not exactly Vendor, or that has no dot, stays as it is."""
    assert with_maker(text, "Acme") == text


def test_maker_of_a_text() -> None:
    """The maker is the first segment of a dotted text; a text without a dot has none."""
    assert maker_of("Acme.Common.Setting.ChildLock") == "Acme"
    assert maker_of("Acme") is None
