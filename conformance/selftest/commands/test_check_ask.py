"""A few requests of `check --ask` tell whether a profile fits, and its exit code who has to do something."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from catalog import keys
from conformance.harness.reads.glance import MOST_OF_A_KIND
from conformance.profiles.toml import toml_of
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.exit_codes import INCONCLUSIVE, USAGE
from conformance.selftest.support.commands import command

ASKED = ("fridge-1", "hood-1", "oven-1")
NONE: Mapping[str, object] = {}


class Counting(Service):
    """The reference, which counts what it is asked, by haId."""

    asked: Counter[str]

    def answer(self, request: Incoming) -> Reply:
        self.asked[request.path.split("/")[3]] += 1
        return super().answer(request)


@pytest.fixture
def served() -> Iterator[tuple[Counting, str]]:
    """A reference that counts, and its base URL."""
    service = Counting()
    service.asked = Counter()
    with serve({"": service}) as base_url:
        yield service, base_url


def written(path: Path, base_url: str, mistake: Mapping[str, object], **claims: object) -> str:
    """The path of a truthful profile of three appliances with a mistake; `claims` are those of the hood."""
    data: dict[str, Any] = laid_over(truthful_profile(Service(), base_url), mistake)
    tables = (table for table in data["appliance"] if table["ha_id"] in ASKED)
    data["appliance"] = [{**table, **claims} if table["kind"] == "Hood" else table for table in tables]
    path.write_text(toml_of(data), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("wrong", "code", "line"),
    [
        ((NONE, NONE), 0, "what was answered fits the profile"),
        (({"answer": {"value": "/value"}}, NONE), USAGE, 'is it [answer] value = "/data/value"?'),
        (({"answer": {"value": "/data/type"}}, NONE), USAGE, 'is it [answer] value = "/data/value"?'),
        (({"answer": {"min": "/data/constraints/max"}}, NONE), USAGE, 'min = "/data/constraints/min"?'),
        (({"target": {"vendor": "Acme"}}, NONE), USAGE, 'is it [target] vendor = "Vendor"?'),
        (({"http": {"success": "204"}}, NONE), USAGE, "http.success '204' leaves out 200"),
        ((NONE, {"kind": "Washer"}), 0, 'is it [[appliance]] hood-1 kind = "Hood"?'),
        (
            (NONE, {"kind": "Oven", "supports": list[str]()}),
            USAGE,
            'is it [[appliance]] hood-1 kind = "Hood"?',
        ),
        ((NONE, {"ha_id": "hood-9"}), INCONCLUSIVE, "haId hood-9: fridge-1 answers, this one does not"),
        ((NONE, {"power_states": ["On", "Standby"]}), 0, "[[appliance]] hood-1 power_states = "),
        (
            (NONE, {"supports": [keys.ALARM_CLOCK], "lacks": [], "writable": []}),
            0,  # a key that is refused as one that does not exist may be hidden
            f"is it [[appliance]] hood-1 supports without {keys.ALARM_CLOCK}?",
        ),
        (({"answer": {"unit": None}}, NONE), 0, 'not declared, but shown: [answer] unit = "/data/unit"'),
    ],
)
def test_what_does_not_fit_is_said(
    tmp_path: Path,
    served: tuple[Counting, str],
    wrong: tuple[Mapping[str, object], Mapping[str, object]],
    code: int,
    line: str,
) -> None:
    """The line to write is named, after few requests; what the server may be wrong about is only asked."""
    service, base_url = served
    file = written(tmp_path / "hub.toml", base_url, wrong[0], **wrong[1])
    result = command("check", file, "--ask", "--state", str(tmp_path / "state"))
    assert (result.code, line in result.output) == (code, True), result.output
    assert service.asked.total() <= MOST_OF_A_KIND * len(ASKED)


def test_address_at_which_nothing_is_found(tmp_path: Path, served: tuple[Counting, str]) -> None:
    """Nothing under the path: what to look at first, and 3."""
    file = written(tmp_path / "hub.toml", f"{served[1]}/api", {})
    result = command("check", file, "--ask", "--state", str(tmp_path / "state"))
    assert f"base_url ends in /api, which the suite adds: is it {served[1]}?" in result.output
    assert result.code == INCONCLUSIVE


def test_requests_count_for_the_day(tmp_path: Path, served: tuple[Counting, str]) -> None:
    """What was asked is taken off the day of the target; where nothing is left, nothing is sent."""
    service, base_url = served
    state = ("--state", str(tmp_path / "state"))
    file = written(tmp_path / "hub.toml", base_url, {"pace": {"per_day": 40}})
    assert command("check", file, "--ask", *state).code == 0
    sent = service.asked.total()
    assert f"{40 - sent:,}" in command("check", file, *state).output
    assert command("check", file, "--ask", *state).code == INCONCLUSIVE  # what is left is used up
    assert command("check", file, "--ask", *state).code == INCONCLUSIVE
    assert service.asked.total() == 40


def test_access_that_is_refused_is_said(tmp_path: Path) -> None:
    """A token that the target does not take is no mistake that the file shows: 3."""
    with serve({"": Service(token="right")}) as base_url:
        file = written(tmp_path / "hub.toml", base_url, {})
        result = command("check", file, "--ask", "--state", str(tmp_path / "state"))
    assert "access is refused (status 401" in result.output
    assert result.code == INCONCLUSIVE
