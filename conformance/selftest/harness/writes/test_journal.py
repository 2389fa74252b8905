"""The journal: on disk before anything is sent, and enough to know what is owed, wherever it ends."""

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, ON, POWER_STATE, REMOTE_CONTROL
from catalog.model import Level
from conformance.harness.writes.keeping.journal import Journal, JournalFile
from conformance.harness.writes.keeping.owed import Debt, read_journal
from conformance.mutants.fleets import MACHINE, TIMED_OVEN
from conformance.records.journal_lines import JOURNAL_FILE, JournalEnd, JournalError
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.owed_journals import intent, journal, settled
from conformance.selftest.support.ran import Ran, lines_of
from conformance.selftest.support.recording import MACHINE_ID, OVEN_ID, Recording, served_by


class Suspicious(Recording):
    """Looks into the journal whenever it is asked for a write: `announced` holds the last line then of the
    same appliance, beside the key and value that came. Other lanes write lines of their own meanwhile.
    """

    out: ClassVar[Path]

    def __init__(self) -> None:
        super().__init__()
        self.announced: list[tuple[str, Any, dict[str, Any]]] = []

    def answer(self, request: Incoming) -> Reply:
        if request.method != "GET":
            about = [
                line
                for line in lines_of(self.out / JOURNAL_FILE)
                if line.get("ha_id") in request.path.split("/")
            ]
            written = request.path.rpartition("/")[2], json.loads(request.body)["data"]["value"]
            self.announced.append((*written, about[-1] if about else {}))
        return super().answer(request)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Suspicious, Ran]:
    """A run of level power against a server that looks into its journal."""
    out = tmp_path_factory.mktemp("watched")
    fleet = (MACHINE, TIMED_OVEN.only(CHILD_LOCK))
    service = type("Watching", (Suspicious,), {"out": out, "fleet": fleet})()
    return service, run_of(service, out, "power")


def test_intent_is_on_disk_before_the_request(watched: tuple[Suspicious, Ran]) -> None:
    """When a write arrives, also one that puts back, the last line about its appliance announces it."""
    service, _ = watched
    assert len(service.announced) > 20
    for key, value, last in service.announced:
        assert last["intent"] in {"write", "restore"}
        assert (last["key"], last["value"]) == (key, value)


def test_every_write_has_an_intent_and_an_outcome(watched: tuple[Suspicious, Ran]) -> None:
    """Each write of the ledger is named by the outcome of one intent, about the same key and value, and there
    are no others; the outcomes of one appliance come in the order of its intents.
    """
    _, ran = watched
    writes = {line["n"]: line for line in ran.evidence if line["purpose"] in {"write", "restore"}}
    intents = {line["n"]: line for line in ran.journal if "intent" in line}
    outcomes = [line for line in ran.journal if "outcome" in line]
    assert {line["evidence"] for line in outcomes} == set(writes)
    by_appliance = sorted((intents[line["of"]] for line in outcomes), key=lambda line: line["ha_id"])
    assert by_appliance == sorted(intents.values(), key=lambda line: line["ha_id"])
    for line in outcomes:
        told, sent = intents[line["of"]], writes[line["evidence"]]
        assert (told["intent"], told["key"], told["value"]) == (sent["purpose"], sent["key"], sent["value"])


@pytest.mark.parametrize("level", ["read", "power"])
def test_no_journal_where_nothing_is_written(level: Level, tmp_path: Path) -> None:
    """Nothing to be put back leaves no file: at level read, and where every key is left alone."""
    lonely = served_by(Recording, fleet=(spec.only() for spec in Recording.fleet))()
    assert run_of(lonely if level == "power" else Recording(), tmp_path, level).left == []
    assert not (tmp_path / JOURNAL_FILE).exists()


def test_lines_are_on_disk_at_once(tmp_path: Path) -> None:
    """Each line can be read by others as soon as it is written; the file of an earlier run is begun anew."""
    path = journal(tmp_path, {}, LOCKED, settled(CHILD_LOCK, restored=True), {"end": True})
    earlier = path.read_bytes()
    kept = Journal(JournalFile(path, {"level": "power"}))
    assert path.read_bytes() == earlier
    number = kept.intend("write", "x@one", Debt("one", "settings", CHILD_LOCK, before=False), value=True)
    assert [line.get("intent") for line in lines_of(path)] == [None, "write"]
    kept.answered(number, "acknowledged", "204", 7)
    kept.end()
    told, last = (
        {name: line[name] for name in line if name not in {"n", "at"}} for line in lines_of(path)[-2:]
    )
    assert told == {"of": number, "outcome": "acknowledged", "answer": "204", "evidence": 7}
    assert last == {"end": True}


def prepared(line: dict[str, Any]) -> dict[str, Any]:
    """The same line, about a state that procedures are made in."""
    return line | {"prepared": True}


def outcome(word: str) -> dict[str, Any]:
    """What came of the first write."""
    return {"of": 1, "outcome": word, "answer": "", "evidence": 1}


def acknowledged(of: int) -> dict[str, Any]:
    """The answer to a write that was taken."""
    return outcome("acknowledged") | {"of": of}


def debt(key: str, before: object, **more: Any) -> Debt:
    """What a journal owes for a key of the machine."""
    return Debt(MACHINE_ID, "settings", key, before, **{"refused": None} | more)  # pyright: ignore[reportArgumentType]  JSON


LOCKED, WALKED = intent(CHILD_LOCK, before=False, value=True), intent(POWER_STATE, ON)
AGAIN = intent(CHILD_LOCK, before=True)
BACK, LOST = settled(CHILD_LOCK, restored=True), settled(CHILD_LOCK, restored=False)
ENTERED, WRITTEN = prepared(AGAIN), intent(CHILD_LOCK, before=False)
ASLEEP = prepared(intent(POWER_STATE, "Off"))
SENT = {"at": "1970-01-01T00:00:07+00:00"}
BESIDE = LOCKED | {"beside": {POWER_STATE: ON}}
ALSO = debt(POWER_STATE, ON, is_beside=True)
DUE, PUT = debt(CHILD_LOCK, before=False, is_due=True), intent(CHILD_LOCK, before=False, value=False)
BEFORE = replace(DUE, before=True)
OWED: dict[str, tuple[list[dict[str, Any]], list[Debt]]] = {
    # What was written last is owed first; a key that was written often is owed once, as it was first.
    "two keys": ([LOCKED, WALKED, AGAIN], [debt(POWER_STATE, ON, is_due=True), DUE]),
    # A key that is back is owed no more, until it is written again; one that is not back still is.
    "back": ([LOCKED, BACK], []),
    "lost": ([LOCKED, LOST, {"end": True}], [DUE]),
    "lost, then back": ([LOCKED, LOST, BACK], []),
    "back, then written": ([LOCKED, BACK, AGAIN], [BEFORE]),
    # What a procedure puts back in a prepared state leaves owed what was there before that state; who is back
    # there owes nothing for either.
    "prepared": ([prepared(LOCKED)], [replace(DUE, prepared=True)]),
    "prepared and written": ([ENTERED, WRITTEN], [DUE, replace(BEFORE, prepared=True)]),
    "prepared, written and back": ([ENTERED, WRITTEN, BACK], [replace(BEFORE, prepared=True)]),
    "prepared, written, and the state is back": ([ENTERED, WRITTEN, prepared(BACK)], []),
    "prepared, and nothing is back": ([prepared(BACK), prepared(LOCKED)], [replace(DUE, prepared=True)]),
    # Where the first write of a key had no effect, its later one counts for the order.
    "prepared twice": (
        [ENTERED, ASLEEP, ENTERED],
        [replace(BEFORE, prepared=True), debt(POWER_STATE, "Off", is_due=True, prepared=True)],
    ),
    "another appliance": ([LOCKED, settled(CHILD_LOCK, restored=True, ha_id=OVEN_ID)], [DUE]),
    "changed, and nobody wrote it": ([LOST | {"changed": True}, {"end": True}], []),
    # Whatever was answered, or nothing at all, a write may have had its effect.
    "no response": ([LOCKED, outcome("no response")], [DUE]),
    "taken": ([LOCKED | SENT, acknowledged(1)], [replace(DUE, taken_at=7.0)]),
    "refused": ([LOCKED, outcome("refused")], [debt(CHILD_LOCK, before=False, refused=[True])]),
    "refused for now": ([LOCKED, outcome("throttled")], [debt(CHILD_LOCK, before=False)]),
    "refused, then not": ([LOCKED, outcome("refused"), LOCKED], [DUE]),
    "refused while it showed another": (
        [intent(CHILD_LOCK, 1, value=2), outcome("refused"), intent(CHILD_LOCK, 3, value=3), acknowledged(3)],
        [debt(CHILD_LOCK, 3, locked=1, is_written=True)],
    ),
    "put back": ([LOCKED, PUT, acknowledged(2)], [replace(DUE, is_due=False, is_written=True)]),
    "perhaps put back": ([LOCKED, PUT], [DUE]),
    "put back, and not known to be": ([LOCKED, PUT, outcome("no response") | {"of": 2}], [DUE]),
    "it was locked": ([LOCKED | {"locked": 5}], [replace(DUE, locked=5)]),
    "what may have moved": ([BESIDE], [ALSO, DUE]),
    "what may have moved is back": ([BESIDE, settled(POWER_STATE, restored=True) | {"before": ON}], [DUE]),
    "what may have moved is as it was not": ([BESIDE, settled(POWER_STATE, restored=True)], [ALSO, DUE]),
    "the run has looked": ([BESIDE, {"end": True}], [DUE]),
    "the copy of another appliance was put back": ([BESIDE, {"end": True, "ha_id": OVEN_ID}], [ALSO, DUE]),
    "its own copy was put back": ([BESIDE, {"end": True, "ha_id": MACHINE_ID}], [DUE]),
    "a status": (
        [intent(REMOTE_CONTROL, before=False, value=True)],
        [debt(REMOTE_CONTROL, before=False, refused=[True])],
    ),
}
"""The lines of a journal, and all that is known of what it owes, in the order in which it is put back."""


@pytest.mark.parametrize("name", OWED)
def test_journal_owes_what_is_not_back(name: str, tmp_path: Path) -> None:
    """The last word on a key counts; what was answered says what may have been taken, and was written last;
    what prepared a state is owed beside what was written in it.
    """
    lines, owed = OWED[name]
    assert read_journal(journal(tmp_path, {}, *lines)).owed == owed


@pytest.mark.parametrize("cut", ["{", '{"n": 3, "intent": "wri', "\n", '{"n": 3, "end": tru'])
def test_cut_last_line_is_left_out(cut: str, tmp_path: Path) -> None:
    """A run that dies while it writes a line has sent nothing for it."""
    (debt,) = read_journal(journal(tmp_path, {}, LOCKED, cut=cut)).owed
    assert (debt.key, debt.before) == (CHILD_LOCK, False)


@pytest.mark.parametrize("line", ["{", "[]", "1", "null", ""])
def test_hole_in_a_journal_is_an_error(line: str, tmp_path: Path) -> None:
    """A line in the middle that cannot be read may have been a write: then nothing is known."""
    path = journal(tmp_path, {}, LOCKED)
    path.write_text(
        path.read_text(encoding="utf-8") + f"{line}\n" + json.dumps({"n": 3, "end": True}) + "\n",
        encoding="utf-8",
    )
    with pytest.raises(JournalError, match="line 3 is cut or altered"):
        read_journal(path)


def test_what_is_not_back_is_told_in_full(tmp_path: Path) -> None:
    """Line and words of a debt say all that is known of a key that could not be put back."""
    debt = Debt("one", "settings", CHILD_LOCK, before=False, after=True, tries=2, note="refused")
    kept = Journal(JournalFile(tmp_path / JOURNAL_FILE, {}))
    kept.intend("write", "x@one", debt, value=True)
    kept.settled(debt)
    kept.settled(debt, changed=True)
    where = {"ha_id": "one", "key": CHILD_LOCK, "segment": "settings", "before": False}
    result = {"restored": False, "after": True, "now": None, "tries": 2, "note": "refused"}
    plain, changed = (
        {name: line[name] for name in line if name not in {"n", "at"}}
        for line in lines_of(tmp_path / JOURNAL_FILE)[-2:]
    )
    assert (plain, changed) == (where | result, where | result | {"changed": True})
    assert debt.words == "one ChildLock was false, cannot be read"
    assert replace(debt, key=REMOTE_CONTROL, now="ä").words == 'one RemoteControlActive was false, is "ä"'


def test_copy_of_an_appliance_tells_the_same(tmp_path: Path) -> None:
    """It is the owner's alone, has the lines about its appliance by its own numbers, and whatever text a
    server has shown; a journal that owes something is not overwritten.
    """
    path = tmp_path / "copy"
    kept = Journal(JournalFile(tmp_path / JOURNAL_FILE, {}), {"one": [JournalFile(path, {}, private=True)]})
    kept.intend("write", "x@two", Debt("two", "settings", CHILD_LOCK, before=False), value=True)
    odd = Debt("one", "settings", CHILD_LOCK, before="\ud800")
    kept.answered(kept.intend("write", "x@one", odd, True, {POWER_STATE: ON}), "acknowledged", "204", 7)
    _, told, answer = lines_of(path)
    assert (told["before"], told["beside"], told["at"][-6:]) == ("\ud800", {POWER_STATE: ON}, "+00:00")
    assert (answer["n"], answer["of"], path.stat().st_mode & 0o777) == (2, told["n"], 0o600)
    with pytest.raises(JournalError, match="one is still owed "):
        JournalFile(path, {})


def test_write_waits_for_both_files(tmp_path: Path) -> None:
    """Where the copy of an appliance cannot be written, a write is not allowed; putting back needs none."""
    lost = JournalFile(tmp_path / "gone" / JOURNAL_FILE, {})
    kept = Journal(JournalFile(tmp_path / JOURNAL_FILE, {}), {"one": [lost]})
    debt = Debt("one", "settings", CHILD_LOCK, before=False)
    assert kept.intend("restore", "x@one", debt, value=False) == 1
    with pytest.raises(FileNotFoundError):
        kept.intend("write", "x@one", debt, value=True)
    assert [line["intent"] for line in lines_of(tmp_path / JOURNAL_FILE)[1:]] == ["restore", "write"]


@pytest.mark.parametrize("rest", ["", '{"n": 2', '{"n": 2, "end": true}'])
def test_journal_is_continued_with_a_whole_line(rest: str, tmp_path: Path) -> None:
    """What is added to a journal later stands on a line of its own: a cut line goes, a whole one is ended."""
    path = journal(tmp_path, {}, LOCKED, cut=rest)
    number = JournalFile.continued(path).add(JournalEnd(-1, end=True))
    lines = lines_of(path)
    assert (number, lines[1], lines[-1]["end"]) == (len(lines) - 1, lines_of(path)[1], True)
    assert len(lines) == (4 if rest.endswith("}") else 3)
