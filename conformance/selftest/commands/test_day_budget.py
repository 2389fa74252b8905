"""What users meet when the requests of a day are used up."""

from pathlib import Path

from conformance.profiles.toml import toml_of
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.selftest.support.commanding import BARE, run, said
from conformance.selftest.support.samples.fleets import several


def test_all_runs_spend_one_budget(tmp_path: Path) -> None:
    """The second run has what the first one left; the third is told so, and the files of the second stay."""
    service = several(OVEN, 1)()
    profile, state = tmp_path / "hub.toml", ("--state", str(tmp_path / "state"))
    with serve({"": service}) as base_url:
        pace = {"per_day": 60, "generated_reads": 0}
        profile.write_text(toml_of({**truthful_profile(service, base_url), "pace": pace}), encoding="utf-8")
        words = (str(profile), "--level", "read", *state)
        assert "60 of the 60 requests of today are left" in said("check", str(profile), *state).output
        first = run(tmp_path, *words, "--", "--no-renderings", "-k", "AlarmClock")
        asked = sum("request" in line for line in first.evidence)
        assert f"\ntoday        {60 - asked} of the 60 requests" in said("plan", *words).output
        second = run(tmp_path, *words, *BARE)
        assert (second.code, sum("request" in line for line in second.evidence)) == (3, 60 - asked)
        kept = (second.out / "results.json").read_bytes()
        third = run(tmp_path, *words, *BARE)
    told = "the 60 requests of a day are used up (pace.per_day); more at 00:00 UTC"
    assert (third.code, third.output) == (3, f"nothing is sent: {told}\n")
    assert (second.out / "results.json").read_bytes() == kept
    assert told in said("check", str(profile), *state).output
