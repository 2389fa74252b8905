"""A secret is replaced in every form it may turn up in, and never reaches a file."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

import pytest

from conformance.cases import all_cases
from conformance.checks.value_types import assert_boolean
from conformance.derive import CATALOG
from conformance.harness.curl import curl_of
from conformance.harness.redaction import Redactor
from conformance.profiles.loader import build_profile
from conformance.profiles.writing import write_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Reply
from conformance.selftest.handmade import profile_of, value
from conformance.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conformance.reference.wire import Incoming

SECRET = 'pä/s+s "w<or&d\\?~'
WORD = "c2VjcmV0/d29yZA+x"

FORMS = {
    "plain": SECRET,
    "URL-encoded": quote(SECRET, safe=""),
    "URL-encoded, small letters": quote(SECRET, safe="").lower(),
    "in a form": quote_plus(SECRET),
    "in JSON": json.dumps(SECRET)[1:-1],
    "in JSON with letters": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "in JSON with escaped slashes": json.dumps(SECRET)[1:-1].replace("/", "\\/"),
    "in JSON of .NET": json.dumps(SECRET)[1:-1]
    .replace('\\"', r"\u0022")
    .replace("<", r"\u003C")
    .replace("&", r"\u0026")
    .replace("+", r"\u002B"),
    "in HTML": SECRET.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;"),
    "in HTML by numbers": SECRET.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&#34;"),
    "in JSON for a script element": json.dumps(SECRET)[1:-1].replace("<", "\\u003c").replace("&", "\\u0026"),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_replaced(name: str) -> None:
    """The secret is found in a text and in bytes, whatever it was made fit for."""
    redactor = Redactor({"TOKEN": SECRET})
    assert redactor.text(f"before {FORMS[name]} after") == "before ${TOKEN} after"
    assert redactor.body(f"before {FORMS[name]} after".encode()) == b"before ${TOKEN} after"


def test_padding_that_is_escaped_is_replaced() -> None:
    """Gson spells the = at the end of a base64 token by its number."""
    assert Redactor({"TOKEN": "YWJjZGVmZw=="}).text('"YWJjZGVmZw\\u003d\\u003d"') == '"${TOKEN}"'


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "user:"])
@pytest.mark.parametrize("after", ["", "x", "xy", "xyz"])
@pytest.mark.parametrize("secret", [SECRET, WORD, "sixsix"])
def test_base64_is_found_at_every_offset(encode: Callable[[bytes], bytes], before: str, after: str, secret: str) -> None:
    """Inside a longer base64 text the secret's bytes begin at any of three places; nothing of its middle is left."""
    hidden = Redactor({"TOKEN": secret}).text(encode(f"{before}{secret}{after}".encode()).decode())
    assert "${TOKEN}" in hidden
    assert len(hidden.replace("${TOKEN}", "")) <= 4 * (len(before) + len(after)) / 3 + 6


def test_longer_secret_goes_first() -> None:
    """A secret that holds another one is replaced as a whole."""
    assert Redactor({"A": "token", "B": "token-and-more"}).text("x token-and-more token") == "x ${B} ${A}"


@pytest.mark.parametrize("secret", ["", "abc"])
def test_short_secret_is_left_alone(secret: str) -> None:
    """Three letters are everywhere."""
    assert Redactor({"A": secret}).text("abc def") == "abc def"


def test_secret_that_is_learnt_later_is_replaced_too() -> None:
    """A token fetched on the way counts from then on."""
    redactor = Redactor({})
    redactor.add("access_token", "granted-token")
    assert redactor.text("Bearer granted-token") == "Bearer ${access_token}"


def test_leak_is_named(tmp_path: Path) -> None:
    """A file that holds a secret in any form is named with the variable, never with the value."""
    (tmp_path / "a.html").write_text(f"<p>{base64.b64encode(WORD.encode()).decode()}</p>")
    (tmp_path / "b.html").write_text("clean")
    assert Redactor({"TOKEN": WORD}).leaks(sorted(tmp_path.iterdir())) == ["a.html holds ${TOKEN}"]


class Echo(Service):
    """Repeats the Authorization header in every answer: as the value, escaped as PHP does, in a header and in base64."""

    name = "echo"

    def answer(self, request: Incoming) -> Reply:
        """Everything a careless server could repeat."""
        shown = request.headers.get("authorization", "none")
        data = {"value": shown, "basic": base64.b64encode(f"user:{shown}".encode()).decode(), "url": quote(shown)}
        body = json.dumps({"data": data}).replace("/", "\\/").encode()
        status = 200 if "Setting" in request.path and "Nonce" not in request.path else 404
        return Reply(status, body, headers={"X-Echo": shown, "WWW-Authenticate": f'Bearer realm="{shown}"'})


def test_secret_never_reaches_a_file_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a server that repeats the token everywhere, neither the ledger nor a finding nor a curl line holds it."""
    monkeypatch.setenv("REFERENCE_TOKEN", WORD)
    with serve({"": Echo()}) as base_url:
        auth = {"headers": {"Authorization": "Bearer ${REFERENCE_TOKEN}"}}
        data = {"target": {"name": "echo", "base_url": base_url}, "auth": auth, "appliance": [{"ha_id": "oven-1", "kind": "Oven"}]}
        path = write_profile(build_profile(data, CATALOG), tmp_path / "profile.toml")
        session = Session(str(path), tmp_path)
        session.select(all_cases(session.profile))
        judged = [session.judge(case, assert_boolean) for case in all_cases(session.profile) if case.clause.id == "TYPE-BOOLEAN"]
        (tmp_path / "findings.txt").write_text(
            "\n".join([*map(str, (item.properties for item in judged)), *(item.text for item in judged)])
        )
        assert session.leaks() == []
        session.close()
    assert {item.verdict for item in judged if item.case.ha_id == "oven-1"} >= {"fail"}
    everything = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"${REFERENCE_TOKEN}" in everything
    assert not [form for form in (WORD, quote(WORD, safe=""), WORD.replace("/", "\\/")) if form.encode() in everything]


def test_curl_line_names_the_variable() -> None:
    """A secret in a command line is left to the shell, everything else is taken literally."""
    made = value("Vendor.Common.Setting.AlarmClock", 5)
    object.__setattr__(made.request, "headers", (("Authorization", "Bearer ${TOKEN}"), ("X", "it's $5 `x`")))
    line = curl_of(made, profile_of(auth={"headers": {"Authorization": "Bearer ${TOKEN}"}}))
    assert '-H "Authorization: Bearer $TOKEN"' in line
    assert """-H 'X: it'"'"'s $5 `x`'""" in line
