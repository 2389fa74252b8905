"""The headline of a run says what was shown, at which level, what was waived, and why it ends with 3 or 4."""

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.records.results import CaseResult, Omitted, WaiverResult
from conformance.records.run_facts import Campaign, JudgedAppliance, Keys, Loss, Requests, RunFacts, Writing
from conformance.selftest.support.samples.results import (
    CLAIMED,
    FAIL,
    PASS,
    RUN,
    UNSURE,
    a_case,
    results_of,
)
from reports.phrases import lead
from reports.results.build import build_results, exit_code
from reports.results.headline import headline, next_step

WRITTEN = replace(RUN, level="write", requests=Requests(12, 5, 9))
REFUSED = Writing(sent=319, refused=319, effects=0, statuses=(404,))
ASK = "are write.method, write.path and write.body right?"
TOKEN = "the token of [auth] may have expired"
AT = "2026-11-25T10:49:32.100+00:00"
EXPIRED_TOKEN = Loss("*", 61, AT, "401 (access refused)", is_access=True)
AWAY = Loss("washer-1", 61, AT, "409 (refused)")
WAIVER = WaiverResult("RANGE-*", "HUB-123", "hub team", "2026-11-08", "used", (FAIL.id,))
STALE = WaiverResult("TYPE-*", "HUB-7", "hub team", "2026-11-08", "passing")
JUDGED = [replace(PASS, id=f"TYPE-INTEGER::{number}@fridge-1", claimed=True) for number in range(38)]
OPEN = [replace(CLAIMED, id=f"TYPE-NOTNULL::{number}@fridge-1") for number in range(3)]
OFF = replace(RUN, appliances=(JudgedAppliance("dishwasher-1", "Dishwasher", off="off"),))
LEVELS = [
    Omitted(clause, "k", "a", "the run only reads", "--level write") for clause in ("A", "B", "TYPE-INTEGER")
]


@pytest.mark.parametrize(
    ("cases", "run", "said", "code"),
    [
        ([PASS], RUN, "Conforms as far as reading shows (nothing was written)", 0),
        ([PASS], replace(RUN, level="write"), "Conforms as far as reading shows (nothing was written)", 0),
        ([PASS], WRITTEN, "Conforms", 0),
        (
            [PASS],
            replace(WRITTEN, writing=REFUSED),
            f"No write was taken (319 of 319 refused, status 404): {ASK}",
            3,
        ),
        (
            [PASS],
            replace(WRITTEN, writing=replace(REFUSED, refused=7)),
            f"No write had an effect (312 of 319 were acknowledged): {ASK}",
            3,
        ),
        (
            [PASS],
            replace(WRITTEN, writing=Writing(sent=0, refused=0, effects=0)),
            "No allowed value was written: the cases that are open say why",
            3,
        ),
        ([PASS], replace(WRITTEN, writing=replace(REFUSED, effects=1)), "Conforms", 0),
        ([PASS], replace(WRITTEN, campaign=Campaign(3, 3, 900, 900)), "Conforms", 0),
        (
            [PASS],
            replace(WRITTEN, campaign=Campaign(2, 5, 1_780, 4_020)),
            "Inconclusive: the requests of the day are used up",
            3,
        ),
        ([PASS, FAIL], replace(WRITTEN, writing=REFUSED), "Does not conform", 1),
        (
            [PASS, replace(CLAIMED, exempt="X13"), replace(CLAIMED, id="2", exempt="X8")],
            replace(WRITTEN, writing=REFUSED),
            "No write was taken (319 of 319 refused, status 404): perhaps because the child lock is on",
            3,
        ),
        (
            [*JUDGED, *OPEN],
            WRITTEN,
            "Nothing contradicts the document, but 3 of 41 claimed cases are open",
            3,
        ),
        ([*JUDGED, *OPEN[:2]], WRITTEN, "Conforms", 0),
        ([*JUDGED, *OPEN], replace(WRITTEN, most_open=0.1), "Conforms", 0),
        ([*JUDGED, *(replace(one, exempt="X4") for one in OPEN)], WRITTEN, "Conforms", 0),
        ([PASS, UNSURE], WRITTEN, "Conforms", 0),
        (
            [PASS],
            replace(WRITTEN, lost=(EXPIRED_TOKEN,)),
            f"Inconclusive: access was refused from request 61 on (401, since 10:49:32 UTC): {TOKEN}",
            3,
        ),
        (
            [PASS],
            replace(WRITTEN, lost=(AWAY,)),
            "Inconclusive: since 10:49:32 UTC washer-1 answers 409 (refused)",
            3,
        ),
        ([PASS, FAIL], replace(WRITTEN, lost=(AWAY,)), "Does not conform", 1),
        ([PASS], OFF, "Nothing could be judged of dishwasher-1 (it was off)", 3),
        ([UNSURE], RUN, "Nothing could be judged", 3),
    ],
)
def test_headline_says_what_was_shown(cases: list[CaseResult], run: RunFacts, said: str, code: int) -> None:
    """The line of every rendering goes with the exit code."""
    results = results_of(*cases, run=run)
    assert (headline(results), exit_code(results)) == (said, code)


def test_selected_part_may_be_open() -> None:
    """Of a part that somebody has selected, no share is asked for."""
    results = build_results(WRITTEN, [*JUDGED, *OPEN], load_catalog(), unselected=7)
    assert (headline(results), exit_code(results)) == (
        "Nothing contradicts the document; only a part was judged",
        0,
    )


def test_nothing_contradicts_but_for_what_is_waived() -> None:
    """Also a run that says less than conformance says so, right behind the words that it bounds."""
    waived = (PASS, replace(FAIL, waived=True))
    excused = (
        "Nothing contradicts the document but for 1 waived failure (HUB-123, hub team, until 2026-11-08)"
    )
    unclaimed = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=1))
    partly = build_results(WRITTEN, waived, load_catalog(), unselected=7)
    for results, more in (
        (results_of(*waived, run=unclaimed), "; nothing was claimed"),
        (partly, "; only a part was judged"),
        (results_of(*JUDGED, *OPEN, *waived, run=WRITTEN), ", but 3 of 41 claimed cases are open"),
    ):
        assert headline(replace(results, waivers=(WAIVER,))) == excused + more


def test_waiver_that_ends_soon_is_named() -> None:
    """A week before a waiver ends, the run says so."""
    used = replace(results_of(PASS, replace(FAIL, waived=True)), waivers=(WAIVER,))
    soon = replace(used, waivers=(replace(WAIVER, expires="2026-11-28"),))
    late = replace(used, waivers=(replace(WAIVER, expires="2026-11-29"),))
    said = "The waiver of RANGE-* ends on 2026-11-28."
    assert (said in lead(soon), "The waiver of" in lead(late)) == (True, False)


def test_stale_waiver_is_in_the_headline() -> None:
    """A run that ends with 4 says so, and what ends that; one that ends with 1 or 5 does not."""
    results = replace(results_of(PASS, run=WRITTEN), waivers=(STALE,))
    said = "; a waiver is stale (this ends with 4): delete it, its case passes"
    assert (headline(results), exit_code(results)) == (f"Conforms{said}", 4)
    assert headline(replace(results, waivers=(STALE, STALE))).endswith(
        "; 2 waivers are stale (this ends with 4)"
    )
    failed = replace(results_of(PASS, FAIL), waivers=(STALE,))
    assert (headline(failed), exit_code(failed)) == ("Does not conform", 1)


def test_next_step_names_the_level() -> None:
    """A run that nothing contradicts says which level shows more, and of how many clauses."""
    declared = replace(RUN, answers={"write.method": '"PUT"'})
    reading = build_results(declared, [PASS], load_catalog(), omitted=LEVELS)
    assert next_step(reading) == "next: --level write judges 2 more clauses"
    undeclared = build_results(RUN, [PASS], load_catalog(), omitted=LEVELS)
    assert next_step(undeclared) == "next: [write] in the profile, and --level write, judge 2 more clauses"
    assert next_step(results_of(PASS)) == next_step(results_of(PASS, FAIL)) == ""


def test_few_open_cases_are_counted() -> None:
    """A run that conforms says how many of the claimed cases no state explains."""
    told = lead(results_of(*JUDGED, *OPEN[:2], UNSURE, run=WRITTEN))
    assert "3 cases could not be decided, 2 of the 40 claimed ones without a state that explains it." in told


def test_run_without_a_profile_names_the_command_that_drafts_one() -> None:
    """The next step has the words that the run was started with, ready to be pasted."""
    given = ("--vendor", "Acme", "--header", "Authorization: Bearer ${TOKEN}")
    run = replace(
        RUN,
        keys=Keys(tried=27, claimed=0, gave_value=5),
        argv=("run", "--base-url", "http://hub", *given),
        target=replace(RUN.target, base_url="http://hub", vendor="Acme"),
        appliances=(JudgedAppliance("fridge 1", "Refrigerator"),),
    )
    assert next_step(build_results(run, (PASS,), load_catalog())) == (
        "next: appliance-conformance init --base-url http://hub --appliance 'fridge 1:Refrigerator' --vendor"
        " Acme --header 'Authorization: Bearer ${TOKEN}' -o hub.toml"
    )
    own = replace(run, argv=("run", "hub.toml"))
    assert "init -o FILE" in next_step(build_results(own, (PASS,), load_catalog()))


def test_nothing_is_called_claimed_that_nobody_claims() -> None:
    """Where the profile claims nothing, what is open is of keys that gave a value."""
    run = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=1))
    results = results_of(a_case("READ-SETTING", "pass"), UNSURE, run=run)
    assert headline(results).endswith("but 1 of 2 cases of keys with a value are open")
