"""What `try` does with a pasted line, in order: look, read, draft, and say what rests on guesses.

A guess never makes a finding. So a run is judged with no more than what the line says and what the target
itself names: address, access, haId, maker, kind, and where values are, as any run without a profile does.
What the draft guesses beside that is told as a question, with what would fail if the guess is right.
"""

import os
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import POWER_STATE
from catalog.maker import STAND_IN, with_maker
from conformance.cases import all_cases, check_of
from conformance.checks.case import Case
from conformance.checks.view import View
from conformance.harness.answers.calibration import guess_of
from conformance.harness.answers.decoding import find
from conformance.harness.errors import DayBudgetError
from conformance.harness.ledger import LedgerContents
from conformance.harness.planning import plan_run
from conformance.harness.wire.network import SOCKETS, Network
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.model.json_values import described
from conformance.pasted.address import Address
from conformance.pasted.credentials import Credentials
from conformance.pasted.looking import AS_SAID, Fact, Looked, Looking, of_keys
from conformance.pasted.naming import kind_of
from conformance.profiles.from_arguments import host_of
from conformance.profiles.keeping import known_text
from conformance.profiles.kinds import UNNAMED
from conformance.profiles.model import Profile
from conformance.profiles.toml import dumped
from conformance.profiles.validation import build_profile, dump_profile, secrets_of
from conformance.runs.admission.state import budget_of
from conformance.runs.drafts.draft_document import begin_document, commented, table_of
from conformance.runs.drafts.drafted_lists import asking_for_lists
from conformance.runs.drafts.drafting import Draft, draft
from conformance.runs.identity import agent
from conformance.runs.judging import judge
from conformance.runs.observed_run import ObservedRun
from conformance.runs.processes.progress import Progress
from conformance.runs.session import Session
from conformance.suspects.edits import Edit, Place
from conformance.suspects.replay import Replay

_NOBODY = "nobody"
"""The haId of a profile before one is known; it is never asked for."""
_FEWEST = 10
"""Requests a minute that are left at least when those of looking are taken off."""
Ask = Callable[[str, str], str]
"""Asks a person a question, which an option answers as well; "" where nobody answers."""


class OpenQuestionError(Exception):
    """Nothing more can be found without an answer: the text is the question, `option` gives the answer."""

    def __init__(self, question: str, option: str) -> None:
        """Keeps both."""
        super().__init__(question)
        self.option = option


class Said(Struct, frozen=True):
    """What a person has said beside the line; empty, or None, where that is to be found."""

    ha_id: str = ""
    kind: str = ""
    vendor: str = ""
    value: str | None = None


class OpenGuess(Struct, frozen=True):
    """A guess of the draft, as a line of TOML, and the ids of the cases that fail if it is right."""

    line: str
    cases: tuple[str, ...]


@dataclass
class Trying:
    """One pasted line, tried on its target: `look`, then `read`, then `draft`, then `doubts`.

    Attributes:
        address, credentials: what is known from the start.
        said: what a person has said, also when asked.
        ask: asks the person.
        state: the directory that counts the requests of the day.
        network: where connections are opened.
        found: what was found by looking, and by reading.
        is_short: whether only those keys were read that lists name.
    """

    address: Address
    credentials: Credentials
    said: Said
    ask: Ask
    state: Path | None = None
    network: Network = SOCKETS
    found: Looked = field(default_factory=Looked)
    is_short: bool = False
    _contents: LedgerContents | None = None

    @property
    def profile(self) -> Profile:
        """What is known so far, as a profile that claims nothing; it is what the run is judged with.

        Raises:
            ProfileError: when the line amounts to none, as with a secret that cannot be masked.
        """
        appliance = {"ha_id": self._ha_id, "kind": self._kind}
        data: dict[str, Any] = {
            "target": self._target,
            **deepcopy(self.credentials.tables),
            "pace": {"generated": 0, "generated_reads": 0, "generated_writes": 0},
            "timing": {"repeat_sample": 0},
            "answer": {} if self.said.value is None else {"value": self.said.value},
            "appliance": [appliance],
        }
        profile = build_profile(data, source="the pasted line")
        if profile.per_minute and self.found.requests:  # those of looking were of the same minute
            data["pace"]["per_minute"] = max(_FEWEST, profile.per_minute - self.found.requests)
            profile = build_profile(data, source="the pasted line")
        return profile

    def look(self, hold: Callable[[Profile], object]) -> None:
        """Finds the appliance, the maker and the kind; `hold` is called once the appliance is known.

        Raises:
            OpenQuestionError: when the haId or the maker's name is nowhere to be found, and nobody says it.
            DayBudgetError: when the requests of the day are used up.
        """
        profile = self.profile
        redactor = Redactor(secrets_of(profile), known_text(dump_profile(profile)))
        with Transport(profile, redactor, os.environ, agent(), self.network) as transport:
            transport.pace.day = budget_of(profile, self.state)
            looking = Looking(transport, profile, self.address)
            self.found = looking.found
            looking.find_appliance(self.said.ha_id)
            if self.found.trouble:
                return
            if self.found.ha_id is None:
                question = "which appliance is it? Its haId, as in /api/homeappliances/{haId}/settings"
                self.found.ha_id = Fact(self._answer(question, "--ha-id HAID"), AS_SAID)
            hold(self.profile)
            looking.look_at(self.said.vendor, self.said.kind)
            if self.found.maker is None and not self.found.trouble:
                question = f"what is the maker's name in keys, NAME in {with_maker(POWER_STATE, 'NAME')}?"
                self.found.maker = Fact(self._answer(question, "--vendor NAME"), AS_SAID)

    def read(self, out: Path, progress: Progress | None = None) -> None:
        """Reads the keys of the appliance into a ledger in `out`, and again what a finding rests on.

        These are all of its kind. Where they are more than the target takes in a minute, and it has lists,
        they are those that its lists name.

        Raises:
            DayBudgetError: when the requests of the day are used up before all is read.
        """
        profile = asking_for_lists(self.profile)
        with closing(Session(profile, out, network=self.network)) as session:
            session.select(self._cases(profile))
            session.read(progress, self.state)
            session.finish()
            if session.day_over:
                raise DayBudgetError(session.day_over)
            self._contents = session.contents
            seen = session.views[self._ha_id]
        kind, count = kind_of([key for _, key in seen.reads if seen.value(key) is not None])
        if kind and self._kind == UNNAMED:
            self.found.kind = Fact(kind, of_keys(count))

    def draft(self, text: bytes | None, source: Path) -> Draft:
        """The draft of a profile, by what was read; the person is asked where the value is, if that is open.

        `text` is what the file `source` says already.

        Raises:
            OpenQuestionError: when the value may stand at several places, and nobody says which.
            ProfileError: when the file says otherwise.
        """
        drafted = self._drafted(text, source)
        if drafted.asks and self.said.value is None:
            question = f"where is the value? Perhaps at {self._places()}"
            self.said = replace(self.said, value=self._answer(question, "--value POINTER"))
            drafted = self._drafted(text, source)
        return drafted

    def begin(self, text: bytes | None, source: Path) -> Any:
        """The document of the draft, with what is known so far; `text` is what the file says already.

        Raises:
            ProfileError: when that says otherwise.
        """
        words = {"name": host_of(self.address.base_url), **self._target}
        document = begin_document(text, words, [f"{self._ha_id}:{self._kind}"], str(source))
        for name, fields in self.credentials.tables.items():
            for one, value in fields.items():
                table_of(document, name).setdefault(one, value)
        if self.said.value is not None:
            table_of(document, "answer").setdefault("value", self.said.value)
        own = next(table for table in document["appliance"] if table["ha_id"] == self._ha_id)
        guessed = ((document["target"], "vendor", self.found.maker), (own, "kind", self.found.kind))
        for table, name, fact in guessed:
            if fact and fact.is_inferred and name in table and not table[name].trivia.comment:
                table[name].comment(commented(f"guess: {fact.why}"))
        return document

    @property
    def chosen(self) -> frozenset[str] | None:
        """The ids of the cases that are judged: all, or those of what was read and of the whole appliance."""
        if not self.is_short:
            return None
        cases = all_cases(self.profile)
        return frozenset(case.id for case in cases if case.entry is None or case.key in self.found.keys)

    def doubts(self, drafted: Draft) -> Iterator[OpenGuess]:
        """The guesses of a draft by which more would fail than without, each with the cases it decides."""
        data = tomllib.loads(drafted.text)
        own = [table for table in data["appliance"] if table["ha_id"] == self._ha_id]
        data = {**data, "appliance": own, "waiver": []}
        failing = self._failing(data) - self._failing(dump_profile(self.profile))
        for place, value in _guesses(data) if failing else ():
            if rest := failing - self._failing(Edit(place, None).applied(data), failing):
                line = dumped({place[-1]: value}).strip()
                yield OpenGuess(f"[{'.'.join(place[:-1])}] {line}", tuple(sorted(rest)))

    @property
    def _ha_id(self) -> str:
        return self.found.ha_id.value if self.found.ha_id else _NOBODY

    @property
    def _kind(self) -> str:
        return self.found.kind.value if self.found.kind else UNNAMED

    @property
    def _target(self) -> dict[str, str]:
        """The table of the target."""
        base_url = self.address.base_url
        maker = self.found.maker.value if self.found.maker else STAND_IN
        vendor = {} if maker == STAND_IN else {"vendor": maker}
        return {"name": host_of(base_url), "base_url": base_url, **vendor}

    @property
    def _saved(self) -> LedgerContents:
        """What was read."""
        assert self._contents
        return self._contents

    def _cases(self, profile: Profile) -> list[Case]:
        """The cases that are read for."""
        cases = all_cases(profile)
        most = profile.per_minute
        if most and self.found.keys and plan_run(profile, cases).most_requests > most:
            self.is_short = True
            return [case for case in cases if case.entry and case.key in self.found.keys]
        return cases

    def _views(self, claims: Mapping[str, Sequence[str]] = MappingProxyType({})) -> Mapping[str, View]:
        """What was read, as a profile looks at it that says what is known by now, and claims that."""
        profile = asking_for_lists(self.profile)
        claiming = profile.appliance[0].model_copy(
            update={name: tuple(keys) for name, keys in claims.items()}
        )
        profile = profile.model_copy(update={"appliance": (claiming,)})
        return ObservedRun(self._saved, profile).views

    def _drafted(self, text: bytes | None, source: Path) -> Draft:
        document = self.begin(text, source)
        own = next(table for table in document["appliance"] if table["ha_id"] == self._ha_id)
        claims = {name: own[name].unwrap() for name in ("supports", "lacks") if name in own}
        return draft(document, list(self._views(claims).values()), self._saved.trouble, source.parent)

    def _places(self) -> str:
        """The places among which nobody can tell, each with what stands there in one of the answers."""
        reads = [answer for seen in self._views().values() for answer in seen.reads.values()]
        guess = guess_of((answer.exchange for answer in reads), self.profile)
        shown = ((place, answer) for place in guess.candidates for answer in reads[:1])
        return " or ".join(f"{place} ({described(find(answer.body, place))})" for place, answer in shown)

    def _failing(self, data: Mapping[str, Any], among: Collection[str] | None = None) -> frozenset[str]:
        """The cases that fail with a profile as what was read shows it once, or those of some that do."""
        run = Replay(self._saved, data)
        return frozenset(
            case.id
            for case in all_cases(run.profile, "read")
            if (among is None or case.id in among) and case.ha_id in run.views
            if judge(check_of(case), case, run.views[case.ha_id]).verdict == "fail"
        )

    def _answer(self, question: str, option: str) -> str:
        answer = self.ask(question, option).strip()
        if not answer:
            raise OpenQuestionError(question, option)
        return answer


def _guesses(data: Mapping[str, Any]) -> Iterator[tuple[Place, object]]:
    """The fields of a draft that are guesses by which something may fail."""
    answer = cast("dict[str, Any]", data.get("answer", {}))
    for place, table in (("answer",), answer), (("answer", "status"), answer.get("status", {})):
        yield from (((*place, name), value) for name, value in table.items() if isinstance(value, str))
    for table in data["appliance"]:
        if "power_states" in table:
            yield ("appliance", table["ha_id"], "power_states"), table["power_states"]
