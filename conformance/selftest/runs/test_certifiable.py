"""Servers that conform in an unusual way can have a certificate, where the profile can say what they mean."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.mutants.registry import find_server
from conformance.profiles.toml import toml_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.selftest.support.commanding import run

NULL_MEANS_NOBODY = {"http": {"not_supported": [{"status": 200, "pointer": "/data/value"}]}}
NEEDED = "if that says that there is nothing of that name, declare it in http.not_supported"


@pytest.mark.parametrize(
    ("name", "more", "verdict"),
    [
        ("nobody-forbidden", {}, "conforms"),
        ("lacking-null", NULL_MEANS_NOBODY, "conforms"),
        ("lights-off-null", {}, "conforms conditionally"),
    ],
)
def test_certificate_is_given(name: str, more: Mapping[str, Any], verdict: str, tmp_path: Path) -> None:
    """403 for a wrong haId, null for a key that nobody has, null while a light is off."""
    service = find_server(name)()
    with serve({"": service}) as base_url:
        profile: dict[str, Any] = {**truthful_profile(service, base_url), **more}
        (tmp_path / "hub.toml").write_text(toml_of(profile), encoding="utf-8")
        ran = run(tmp_path, "hub.toml", "--certify")
    assert (ran.code, ran.results["refused"]) == (0, [])
    assert f'"verdict": "{verdict}"' in (ran.out / "certificate.json").read_text(encoding="utf-8")


def test_case_says_what_would_be_needed(tmp_path: Path) -> None:
    """Without that declaration the reason names it."""
    ran = run(tmp_path, "variant:lacking-null", "--certify", "--level", "read")
    says = [case["message"] for case in ran.results["cases"] if case["verdict"] == "inconclusive"]
    assert (ran.code, {NEEDED in text for text in says}) == (3, {True})
