"""The pictures of the README and the guides: `python -m conformance.selftest.house.pictures` judges a
showcase and takes them anew (`make pictures`).

The showcase is a household of the reference with the faults of some mutants at once. Addresses and times are
replaced before anything is shown, so that two nights give the same pictures.
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import ClassVar, Final

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry
from conformance.commands.around import write_used
from conformance.files.text_files import write_text
from conformance.gym.commands import Commands
from conformance.gym.meeting import play
from conformance.gym.servers import conforming_servers
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.writes import drops
from conformance.profiles.validation import build_profile
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import ROBOT_OLD
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support import ROOT
from conformance.selftest.support.browsing import Visit, chromium, visiting
from conformance.selftest.support.captured import BASE, Client, har
from conformance.selftest.support.commands import command
from conformance.selftest.support.results import a_case, history_of_story
from reports.certificate import CERTIFICATE_FILE
from reports.history.history_page import render_history
from reports.renderings import RENDERINGS, write_renderings
from reports.results.file import load_results
from reports.shown_run import ShownRun
from reports.survival import render_gym

PICTURES: Final = ROOT / ".github" / "pictures"
FAULTS: Final = (
    "alarm-clock-above",
    "lock-as-quoted-true",
    "door-state-ajar",
    "hood-light-above",
    "coffee-count-overflown",
    "battery-above",
)
"""The mutants whose wrong values the showcase sends."""

STORY: Final = {
    a_case("RANGE-ALARMCLOCK", "fail", message="value is 38400, above the maximum of 38340"): 9 * "p"
    + 14 * "f"
    + 37 * "p",
    a_case(
        "TYPE-BOOLEAN", "fail", keys.CHILD_LOCK, message='value is "true" (string), document says Boolean'
    ): 25 * "p" + 3 * "f" + 32 * "p",
    a_case(
        "ENUM-DOORSTATE", "fail", keys.DOOR_STATE, message="value is Ajar, which the document does not have"
    ): 50 * "p" + 10 * "f",
    a_case("READ-VALUE", "fail", keys.LIGHTING, message="no value: 404 (not found)"): 30 * "p"
    + 6 * "pf"
    + 18 * "p",
    a_case("READ-REPEAT", "pass"): 18 * "p" + 6 * "i" + 30 * "p" + "i" + 5 * "p",
    a_case("TYPE-INTEGER", "pass"): 41 * "p" + 2 * "i" + 17 * "p",
}
"""Nights of a hub, a word for the verdict of a case on each: p passed, f failed, i inconclusive."""

_WAIVER: Final = {
    "case": "RANGE-COUNT::*@coffee-maker-1",
    "reason": "Counter wraps, ticket HUB-1201",
    "owner": "A. Meyer",
    "expires": "2036-12-31",
}
_SIZE: Final = 1080, 720
_FIXED: Final = (
    (r"http://127\.0\.0\.1:\d+", "https://staging.example/hub"),
    (r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)", "2026-11-21T03:00:00+00:00"),
    (r'"elapsed_ms": ?[\d.]+', '"elapsed_ms": 4.0'),
)


_CLIENT: Final = """
import json, os, urllib.request
path = "/api/homeappliances/oven-1/settings/Vendor.Common.Setting.AlarmClock"
with urllib.request.urlopen(os.environ["APPLIANCE_BASE_URL"] + path) as answer:
    value = json.load(answer)["data"]["value"]
assert isinstance(value, int), f"AlarmClock is {value}, which is no int"
"""
_ODD: Final = ("integers-with-point", "throttled-once", "chunked", "members-reversed", "off-and-silent")


class Showcase(Service):
    """Sends the wrong values of several mutants at once."""

    name = "staging hub"
    fleet = (FRIDGE_CELSIUS, HOOD_COLORFUL, COFFEE_MAKER, OVEN, ROBOT_OLD)
    wrong: ClassVar[dict[str, Json]] = {}

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Send what a mutant sends for this key."""
        return self.wrong.get(entry.key, super().spell_value(appliance, entry, value))


def wrong_values(service: Service) -> dict[str, Json]:
    """What a mutant sends in place of the values that its appliance has."""
    (appliance,) = service.appliances.values()
    sent = {
        key: service.spell_value(appliance, service.entries[key], value)
        for key, value in appliance.values.items()
    }
    return {key: value for key, value in sent.items() if value != appliance.values[key]}


def main() -> None:
    """Judges the showcase and the reference, and takes the pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, chromium() as browser:
        failed, certified = (
            _judged_showcase(Path(directory, "showcase")),
            _judged_reference(Path(directory, "reference")),
        )
        with visiting(browser, failed, size=_SIZE) as visit:
            _take(visit, "first-screen")
            _take(visit, "finding", ".finding:has-text('TYPE-BOOLEAN')")
        with visiting(browser, failed, size=_SIZE, color_scheme="dark") as visit:
            visit.page.locator("#search").fill("oven-1")
            visit.page.locator("#search").press("Enter")
            _take(visit, "search", "#matrix")
        with visiting(browser, certified, size=_SIZE) as visit:
            _take(visit, "certificate", "#certificate")
        with visiting(browser, _told_story(Path(directory, "nights")), size=_SIZE) as visit:
            _take(visit, "history")
        with visiting(browser, _survived(Path(directory, "gym")), size=_SIZE) as visit:
            _take(visit, "gym")
        with visiting(browser, _judged_capture(Path(directory, "capture")), size=_SIZE) as visit:
            _take(visit, "capture")


def _take(visit: Visit, name: str, place: str = "") -> None:
    """A picture of what is on the screen, from `place` on."""
    if place:
        visit.page.locator(place).evaluate("element => element.scrollIntoView()")
    visit.page.screenshot(path=PICTURES / f"{name}.png")


def _survived(directory: Path) -> Path:
    """The page of a client that takes a number without a fraction for an int, and repeats no request."""
    directory.mkdir()
    client = directory / "test_client.py"
    client.write_text(_CLIENT, encoding="utf-8")
    servers = [one for one in conforming_servers() if one.name in _ODD]
    commands = Commands([sys.executable, "-I", "-S", str(client)], 60, 2)
    survived = play(commands, ["python", "test_client.py"], servers, told=str)
    page = re.sub(r"after \d+\.\d s", "after 0.2 s", render_gym(survived)).replace(f"{directory}/", "")
    for pattern, fixed in (
        (r"took \d+\.\d s", "took 0.2 s"),
        (r"\d+ \w+ 20\d\d, [\d:]+ UTC", "21 Nov 2026, 03:00:00 UTC"),
    ):
        page = re.sub(pattern, fixed, page)
    write_text(directory / "gym.html", page)
    return directory / "gym.html"


def _judged_showcase(directory: Path) -> Path:
    """The report of the showcase, with one of its faults waived."""
    directory.mkdir()
    for name in FAULTS:
        Showcase.wrong |= wrong_values(find_server(name)())
    service = Showcase()
    with serve({"": service}) as base_url:
        profile = truthful_profile(service, base_url)
        target = {"name": service.name, "base_url": base_url, "product": "Hub 3.2"}
        written = write_used(
            build_profile({**profile, "target": target, "waiver": [_WAIVER]}),
            directory / "hub.toml",
        )
        return _settled(
            command("run", str(written), "--level", "write", "--certify", directory=directory).out
        )


def _told_story(directory: Path) -> Path:
    """The page of many nights."""
    page = directory / "history.html"
    write_text(page, render_history(history_of_story(directory, STORY)))
    return page


def _judged_capture(directory: Path) -> Path:
    """The report of what an app did with a refrigerator that takes temperatures and forgets them."""
    directory.mkdir()

    class Forgetful(drops(keys.SETPOINT)):
        """A household with one refrigerator."""

        name, fleet = "the household of the app", (FRIDGE_CELSIUS,)

    client = Client(Forgetful, FRIDGE_CELSIUS.ha_id)
    for value in (6, 7):
        client.sets(keys.SETPOINT, value, keys.TEMPERATURE_UNIT, *keys.COOLING_MODES, keys.FRIDGE_SABBATH)
    profile = build_profile(truthful_profile(Forgetful(), BASE))
    written = write_used(profile, directory / "hub.toml")
    recorded = har(directory / "app.har", client.entries)
    command("judge", str(recorded), "--profile", str(written), "--out", str(directory / "out"))
    return _settled(directory / "out")


def _judged_reference(directory: Path) -> Path:
    """The report of the reference, with a certificate."""
    directory.mkdir()
    return _settled(command("run", "reference", "--level", "read", "--certify", directory=directory).out)


def _settled(directory: Path) -> Path:
    """The report of a run again, with fixed addresses and times."""
    for file in directory.glob("*.*json"):
        text = file.read_text(encoding="utf-8")
        for pattern, fixed in _FIXED:
            text = re.sub(pattern, fixed, text)
        file.write_text(text, encoding="utf-8")
    results = load_results(directory / "results.json")
    results = replace(results, run=replace(results.run, finished="2026-11-21T03:04:11+00:00"))
    renderings = {name: RENDERINGS[name] for name in (CERTIFICATE_FILE, "report.html")}
    assert write_renderings(ShownRun(results, directory), renderings) == ()
    return directory / "report.html"


if __name__ == "__main__":
    main()
