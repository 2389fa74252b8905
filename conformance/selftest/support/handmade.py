"""Exchanges, views and cases made by hand, so that a test says in one line what a server answered."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG, check_of
from conformance.checks.case import Case
from conformance.checks.exchange import Exchange, Failure, Purpose, Remark, Request, Response
from conformance.checks.generated.mutations import METHODS, Mutation, RequestPart, generated_group
from conformance.checks.groups import NONCE_SETTINGS, NONCE_STATUS, Group, ProcedureKind
from conformance.checks.premise import Check
from conformance.checks.view import View
from conformance.harness.observing import Observations
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.runs.certainty import held_when_asked_again
from conformance.runs.judging import Judged, judge
from conformance.selftest.support.findings import assert_said

URL = "http://127.0.0.1:1"
HA_ID = "one"
JSON = (("Content-Type", "application/json"),)
GENERATED = "~generated"
"""In place of a key: the case is about the generated requests."""
ANCHOR = "Vendor.Common.Setting.AlarmClock"
POINTERS = {
    name: f"/data/{name}"
    for name in ("value", "key", "unit", "type", "min", "max", "step", "allowed", "access", "description")
}


def profile_of(
    kind: str = "Refrigerator", /, *, appliance: Mapping[str, object] | None = None, **tables: object
) -> Profile:
    """A profile of one appliance; `answer` is declared in full unless it is given."""
    data: dict[str, Any] = {"target": {"name": "handmade", "base_url": URL}, "answer": POINTERS, **tables}
    data["appliance"] = [{"ha_id": HA_ID, "kind": kind, **(appliance or {})}]
    return build_profile(data, environment={"TOKEN": "open sesame"})


def write_table(*allow: str, **more: object) -> dict[str, object]:
    """A table [write] of a profile that the reference understands, for these keys and globs."""
    return {
        "method": "PUT",
        "path": "/api/homeappliances/{ha_id}/settings/{key}",
        "body": {"data": {"key": "{key}", "value": "{value}"}},
        "allow": [*allow],
        **more,
    }


def fleet_of_hoods(number: int) -> Profile:
    """A profile of so many hoods of which it says the same, and all of whose settings may be written."""
    hoods = [{"ha_id": f"hood-{one}", "kind": "Hood"} for one in range(number)]
    target = {"name": "hub", "base_url": "http://127.0.0.1:1"}
    return build_profile({"target": target, "write": write_table("*"), "appliance": hoods})


STATUS_PATH = "/api/homeappliances/{ha_id}/status/{key}"
"""The `status_path` beside it."""


def exchange(  # noqa: PLR0913  one parameter for each thing an answer differs in
    key: str,
    status: int | None = 200,
    body: bytes = b"",
    *,
    group: Group | None = None,
    segment: str | None = None,
    purpose: Purpose = "read",
    ha_id: str = HA_ID,
    headers: tuple[tuple[str, str], ...] = JSON,
    at: str = "2026-01-01T00:00:00.000+00:00",
) -> Exchange:
    """An exchange about `key`; without a status there was no response. `numbered` gives its number."""
    own = (
        CATALOG.entries[key].segment
        if key in CATALOG.entries
        else "status"
        if ".Status." in key
        else "settings"
    )
    request = Request("GET", f"{URL}/api/homeappliances/{ha_id}/{segment or own}/{key}", ())
    response = None if status is None else Response(status, headers, body, 1.0)
    failure = Failure("timeout", "no whole answer") if status is None else None
    place = (HA_ID, ha_id, key, segment or own)
    return Exchange(0, purpose, (group,) if group else (), *place, at, request, response, failure)


def value(
    key: str, shown: object, *, group: Group | None = None, segment: str | None = None, **members: object
) -> Exchange:
    """An answer with a value, and what else its body shows beside it."""
    body = json.dumps({"data": {"key": key, "value": shown, **members}}).encode()
    return exchange(key, 200, body, group=group, segment=segment)


def refusal(
    key: str, status: int = 404, *, group: Group | None = None, segment: str | None = None
) -> Exchange:
    """An error that names the key."""
    return exchange(
        key, status, json.dumps({"error": f"{key}: none such"}).encode(), group=group, segment=segment
    )


UNKNOWN = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)
"""The answer for a setting that the document does not have."""
ANY_KEY = (
    value("Vendor.Common.Setting.Nonce", 1, group=NONCE_SETTINGS),
    value("Vendor.Common.Status.Nonce", 2, group=NONCE_STATUS),
)
"""Keys that the document does not have give a value each, so that no answer means anything."""


def redirected(answer: Exchange, url: str = "/api/other") -> Exchange:
    """An answer that came after a redirect to an address."""
    assert answer.response
    return replace(answer, response=replace(answer.response, redirects=(url,)))


def numbered(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """The exchanges with the numbers of their lines."""
    return [replace(item, n=number) for number, item in enumerate(exchanges, start=1)]


def seen_of(profile: Profile, *exchanges: Exchange, remarks: Iterable[Remark] = ()) -> View:
    """What these exchanges, and what was noted with them, amount to."""
    return Observations(profile, numbered(exchanges), list(remarks)).views()[HA_ID]


def case_of(clause: str, key: str, seen: View) -> Case:
    """The case of a clause on a key of what was seen."""
    own, entry = seen.appliance, CATALOG.entries.get(key)
    return Case(CATALOG.clauses[clause], entry, HA_ID, own.kind, own.claim(key), seen.profile)


def ruling(  # noqa: PLR0913  what tells one case from another
    clause: str,
    key: str,
    seen: View,
    *,
    about: tuple[str, ...] = (),
    groups: tuple[Group, ...] = (),
    check: Check | None = None,
    exchanges: Sequence[Exchange] = (),
) -> Judged:
    """What is said of one key, or of GENERATED requests `about` some keys or writes in some `groups`.

    The check is the one that the suite has for the clause, unless another one is given. `exchanges` are all
    of the run, which a finding of a shared read needs where bytes followed an answer.
    """
    case = replace(case_of(clause, key, seen), groups=groups, generated=key == GENERATED, about=about)
    check = check or check_of(case)
    result = judge(check, case, seen)
    return held_when_asked_again(result, check, exchanges) if result.verdict == "fail" else result


def of(kind: ProcedureKind, *answers: Exchange) -> tuple[Exchange, ...]:
    """The answers, as those of a procedure about the key of the first one."""
    group = Group(kind, f"{answers[0].segment}/{answers[0].key}")
    return tuple(replace(answer, groups=(group,)) for answer in answers)


def tried(answer: Exchange, key: str = ANCHOR, shown: object = 5) -> tuple[Exchange, ...]:
    """An answer that came four times, while another key, the anchor, gave a value each time."""
    anchor = value(key, shown)
    first, *tries = of(ProcedureKind.AGAIN, *[answer, anchor] * 4)
    return replace(first, groups=()), *tries


def each_of(rows: Mapping[tuple[Any, ...], Mapping[str, tuple[str, Any]]]) -> Callable[[str], None]:
    """A test of each row of some tables: beside its name stands what is said of it, then what was seen.

    The tables stand under what they are about: a clause, and what else their rows have in common.
    """
    cases = {f"{about[0]}: {name}": (name, about) for about, of in rows.items() for name in of}

    @pytest.mark.parametrize("case", cases)
    def of_each(case: str) -> None:
        name, about = cases[case]
        expected, row = rows[about][name]
        assert_said(row.ruling(*about), expected, name)

    return of_each


class Reads:
    """What was read of an appliance, and what its profile says: a row of a table of tests."""

    each_of = staticmethod(each_of)

    def __init__(
        self,
        *exchanges: Exchange,
        key: str = "",
        appliance: Mapping[str, object] | None = None,
        remarks: tuple[Remark, ...] = (),
        **tables: object,
    ) -> None:
        """`key` is not the one that most rows of the clause are about."""
        self._exchanges = exchanges
        self._remarks = remarks
        self._key = key
        self._appliance = appliance
        self._tables = tables

    def ruling(
        self,
        clause: str,
        key: str = GENERATED,
        about: tuple[str, ...] = (),
        *,
        groups: tuple[Group, ...] = (),
    ) -> Judged:
        """What is said of a key; of generated requests where there is none."""
        key = self._key or key
        kinds = CATALOG.entries[key].kinds if key in CATALOG.entries else ["Refrigerator"]
        kind = "Refrigerator" if "Refrigerator" in kinds else kinds[0]
        profile = profile_of(kind, appliance=self._appliance, **self._tables)
        made = numbered(self._exchanges)
        seen = seen_of(profile, *made, remarks=self._remarks)
        return ruling(clause, key, seen, about=about, groups=groups, exchanges=made)


class Seen:
    """What was seen of an appliance, made otherwise: a row of a table of tests."""

    def __init__(self, seen: View, key: str = "") -> None:
        self._seen = seen
        self._key = key

    def ruling(self, clause: str, key: str = "") -> Judged:
        """What is said of its own key, else of that of its table."""
        return ruling(clause, self._key or key, self._seen)


def generated(
    mutation: Mutation,
    *answers: Exchange,
    part: RequestPart = RequestPart.KEY,
    sent: str = "/api",
    headers: tuple[tuple[str, str], ...] = (),
) -> tuple[Exchange, ...]:
    """One request in its tries, each with its answer; reads made to `repeat` stay plain, beside it."""
    method = mutation.name if mutation in METHODS else "GET"
    request, group = Request(method, f"{URL}{sent}", headers), generated_group(part, mutation)
    return tuple(
        replace(answer, groups=(group,))
        if answer.purpose == "repeat"
        else replace(answer, groups=(group,), purpose="generated", request=request)
        for answer in answers
    )
