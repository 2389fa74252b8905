"""The pictures of the README: `python -m conformance.selftest.house.pictures` judges a showcase and takes
them anew (`make pictures`).

The showcase is a household of the reference with the faults of some mutants at once. Addresses and times are
replaced before anything is shown, so that two nights give the same pictures.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from catalog.loader import load_catalog
from conformance.mutants.registry import find_server
from conformance.profiles.toml import write_profile
from conformance.profiles.validation import build_profile
from conformance.reference.fleets.cleaning import ROBOT_OLD
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.browsing import chromium, visiting
from conformance.selftest.support.commanding import ROOT, run
from reports.certificate import CERTIFICATE_FILE
from reports.renderings import RENDERINGS, write_renderings
from reports.results.file import load_results

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json
    from conformance.selftest.support.browsing import Visit

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

_WAIVER: Final = {
    "case": "RANGE-COUNT::*@coffee-maker-1",
    "reason": "Counter wraps, ticket HUB-1201",
    "owner": "A. Meyer",
    "expires": "2036-12-31",
}
_SIZE: Final = {"width": 1080, "height": 720}
_FIXED: Final = (
    (r"http://127\.0\.0\.1:\d+", "https://staging.example/hub"),
    (r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)", "2026-11-21T03:00:00+00:00"),
    (r'"elapsed_ms": ?[\d.]+', '"elapsed_ms": 4.0'),
)


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
        with visiting(browser, failed, viewport=_SIZE) as visit:
            _take(visit, "first-screen")
            _take(visit, "finding", ".finding:has-text('TYPE-BOOLEAN')")
        with visiting(browser, failed, viewport=_SIZE, color_scheme="dark") as visit:
            visit.page.locator("#search").fill("oven-1")
            visit.page.locator("#search").press("Enter")
            _take(visit, "search", "#matrix")
        with visiting(browser, certified, viewport=_SIZE) as visit:
            _take(visit, "certificate", "#certificate")


def _take(visit: Visit, name: str, place: str = "") -> None:
    """A picture of what is on the screen, from `place` on."""
    if place:
        visit.page.locator(place).evaluate("element => element.scrollIntoView()")
    visit.page.screenshot(path=PICTURES / f"{name}.png")


def _judged_showcase(directory: Path) -> Path:
    """The report of the showcase, with one of its faults waived."""
    directory.mkdir()
    for name in FAULTS:
        Showcase.wrong |= wrong_values(find_server(name)())
    service = Showcase()
    with serve({"": service}) as base_url:
        profile = truthful_profile(service, base_url)
        target = {"name": service.name, "base_url": base_url, "product": "Hub 3.2"}
        written = write_profile(
            build_profile({**profile, "target": target, "waiver": [_WAIVER]}, load_catalog()),
            directory / "hub.toml",
        )
        return _settled(run(directory, str(written), "--level", "write", "--certify").out)


def _judged_reference(directory: Path) -> Path:
    """The report of the reference, with a certificate."""
    directory.mkdir()
    return _settled(run(directory, "reference", "--level", "read", "--certify").out)


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
    assert write_renderings(results, directory, load_catalog(), renderings) == ()
    return directory / "report.html"


if __name__ == "__main__":
    main()
