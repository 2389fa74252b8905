"""Wherever a run is killed in the procedures of a light, `restore` leaves the values that were found."""

from pathlib import Path
from typing import NamedTuple

import pytest

from conformance.harness.writes.keeping.owed import owed_in
from conformance.reference.server import serve
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs.saved.restoring import restore
from conformance.selftest.support.judged_runs import begin, session_of
from conformance.selftest.support.servers.recording import Recording, recorded


class Moment(NamedTuple):
    """What a run would leave that is killed now: the values of the server, and each journal."""

    values: dict[str, dict[str, Json]]
    journals: dict[Path, str]


class Photographed:
    """A server that takes down what a run would leave at each of its requests."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.moments: list[Moment] = []

    def of(self, service: Recording) -> None:
        """Takes down each moment of a server, once for each state of the journals."""
        answer = service.answer

        def photographed(request: Incoming) -> Reply:
            found = sorted(self.directory.rglob("*.ndjson"))
            journals = {path: path.read_text() for path in found if "evidence" not in path.name}
            if not self.moments or self.moments[-1].journals != journals:
                values = {ha_id: dict(one.values) for ha_id, one in service.appliances.items()}
                self.moments.append(Moment(values, journals))
            return answer(request)

        service.answer = photographed  # pyright: ignore[reportAttributeAccessIssue]  of this one object


@pytest.mark.parametrize("name", ["custom-color-shows-the-preset", "brightness-starts-at-a-try"])
def test_what_a_lock_shows_is_not_put_back(name: str, tmp_path: Path) -> None:
    """A setting that reads otherwise while it is locked, or was moved by a refused write, has its own value
    again, from either journal.
    """
    service = recorded(name)
    before, out, state = service.settings(), tmp_path / "out", tmp_path / "state"
    out.mkdir()
    state.mkdir()
    with serve({"": service}) as base_url:
        photographed = Photographed(tmp_path)
        with session_of(service, out, "write", base_url=base_url) as session:
            photographed.of(service)
            begin(session, {"AMB-CUSTOM-ONLY", "AMB-CUSTOM-SETTABLE", "AMB-BRIGHTNESS-LOCKED"}, state)
            session.write()
        del service.answer
        tried = 0
        for number, moment in enumerate(photographed.moments):
            for path, text in moment.journals.items():
                path.write_text(text)
            for ha_id, values in moment.values.items():
                service.appliances[ha_id].values = dict(values)
            journal = sorted(moment.journals)[number % 2] if moment.journals else None
            if journal and owed_in(journal):
                restored = restore(journal, {})
                assert (service.settings(), restored.is_clean) == (before, True)
                tried += 1
        assert tried > 1
