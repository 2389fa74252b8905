"""The maker's name in keys and values.

> The segment Vendor stands in for the maker's name throughout.

Only the first segment is ever touched, and only of a dotted text: a map named "Vendor" is a
name. With the maker "Vendor" both directions leave every text as it is.
"""

from functools import lru_cache

STAND_IN = "Vendor"


def with_maker(text: str, maker: str) -> str:
    """A key or value of the document as a target of this maker spells it; any other text as it is."""
    return _exchange(text, STAND_IN, maker)


def without_maker(text: str, maker: str) -> str:
    """A key or value of a target as the document spells it: the inverse of `with_maker`.

    A text that says `Vendor` although the maker has another name comes back as it is, so whoever
    judges the maker's name looks at the text itself (`maker_of`).
    """
    return _exchange(text, maker, STAND_IN)


@lru_cache(maxsize=512)
def on_the_wire(values: tuple[str, ...], maker: str) -> frozenset[str]:
    """Some values of the document as a server of `maker` spells them (line 3)."""
    return frozenset(with_maker(value, maker) for value in values)


def maker_of(text: str) -> str | None:
    """The first segment of a key or value; None for a text without a dot."""
    first, dot, _ = text.partition(".")
    return first if dot else None


def _exchange(text: str, old: str, new: str) -> str:
    first, dot, rest = text.partition(".")
    return f"{new}.{rest}" if dot and first == old else text
