"""What found something is kept beside the results of a run, and tried first in a run compared with them."""

import json
from pathlib import Path

import pytest

from catalog.keys import ALARM_CLOCK
from conformance.harness.errors import RefusedError
from conformance.harness.generated.corpus import CORPUS_FILE, Corpus, KnownValue, load_corpus
from conformance.selftest.support.commanding import BARE, Ran, run


def kept(ran: Ran) -> Corpus:
    """The corpus beside the results of a run."""
    return load_corpus(ran.out / CORPUS_FILE)


def paths(ran: Ran) -> list[str]:
    """The paths of the generated GET requests of a run, in their order."""
    made = [line for line in ran.evidence if line["purpose"] == "generated"]
    urls = [line["request"]["url"] for line in made if line["request"]["method"] == "GET"]
    return [f"/api/{url.partition('/api/')[2]}" for url in urls]


def values(ran: Ran) -> list[object]:
    """The generated values of a run that were written to AlarmClock, in their order."""
    made = [line for line in ran.evidence if line["purpose"] == "write"]
    return [line["value"] for line in made if line["groups"][0].startswith(f"edge/{ALARM_CLOCK}")]


def run_twice(target: str, directory: Path) -> tuple[Ran, Ran]:
    """A run, and one with another seed that is compared with it."""
    (directory / "one").mkdir()
    (directory / "other").mkdir()
    one = run(directory / "one", target, *BARE)
    return one, run(directory / "other", target, "--seed=other", f"--baseline={one.out}", *BARE)


def test_request_that_found_something_comes_first(tmp_path: Path) -> None:
    """A run with another seed begins with the request of its baseline, and keeps it as well."""
    one, other = run_twice("mutant:keys-by-prefix", tmp_path)
    known = kept(one).requests
    assert [request.path for request in known] == paths(other)[: len(known)] != []
    assert set(known) <= set(kept(other).requests)


def test_value_that_found_something_comes_first(tmp_path: Path) -> None:
    """The same holds for a value that was written."""
    one, other = run_twice("mutant:large-numbers-rounded", tmp_path)
    known = kept(one).values
    assert [json.loads(value.text) for value in known] == values(other)[: len(known)] != []
    assert set(known) <= set(kept(other).values)


def test_nothing_found_is_nothing_kept(tmp_path: Path) -> None:
    """A run without a finding leaves no corpus, also where an earlier run had left one."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / CORPUS_FILE).write_text("{}", encoding="utf-8")
    ran = run(tmp_path, "variant:keys-in-any-case", "--level", "read", *BARE)
    assert ran.code == 0
    assert not (ran.out / CORPUS_FILE).exists()


def test_file_that_is_no_corpus_is_refused(tmp_path: Path) -> None:
    """It says what to do about the file."""
    (tmp_path / CORPUS_FILE).write_text("[1]", encoding="utf-8")
    with pytest.raises(RefusedError, match="not a corpus of this suite"):
        load_corpus(tmp_path / CORPUS_FILE)


def test_newest_come_first() -> None:
    """What was found last is tried first, and nothing twice."""
    old, new = (Corpus(values=(KnownValue(ha_id="a", key="k", text=text),)) for text in ("1", "2"))
    assert [known.text for known in new.before(old).before(new).values] == ["2", "1"]
