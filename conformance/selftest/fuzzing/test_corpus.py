"""Each seed of the fuzzer goes through its reader without a fuzzer, too."""

from pathlib import Path

import pytest

from conformance.selftest.fuzzing.readers import READERS

CORPUS = Path(__file__).parent / "corpus"
SEEDS = [(reader, seed.name) for reader in READERS for seed in sorted((CORPUS / reader).iterdir())]


@pytest.mark.parametrize(("reader", "seed"), SEEDS)
def test_seed_is_read(reader: str, seed: str) -> None:
    """A reader raises where what it promises of any bytes does not hold."""
    READERS[reader]((CORPUS / reader / seed).read_bytes())


def test_each_directory_has_a_reader() -> None:
    """None is left out, and none is empty."""
    assert {place.name for place in CORPUS.iterdir()} == set(READERS) == {reader for reader, _ in SEEDS}
