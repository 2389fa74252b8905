"""A secret is replaced in every form it may turn up in, and never reaches a file."""

import base64
import html
import json
import re
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.checks.exchange import Response
from conformance.harness.errors import DayBudgetError, TransportError, UnmaskableSecretError
from conformance.harness.wire.messages import Wanted
from conformance.harness.wire.recording import Recorder
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.spellings import layers
from conformance.harness.wire.transport import Transport
from conformance.mutants.hostile.model import Answer
from conformance.mutants.hostile.sockets import Served
from conformance.profiles.keeping import known_text
from conformance.selftest.support import ROOT
from conformance.selftest.support.handmade import profile_of
from conformance.selftest.support.raw_server import always, http, profile_at, raw_server, transport_of

SECRET = 'pä/s+s "w<or&d\\?~'
WORD = "c2VjcmV0/d29yZA+x"


def by_letter(text: str, spell: str) -> str:
    """`text` with each character spelled by a pattern of its number."""
    return "".join(spell.format(ord(letter)) for letter in text)


def by_octet(raw: bytes, spell: str) -> str:
    """`raw` with each byte spelled by a pattern of its number."""
    return "".join(spell.format(octet) for octet in raw)


def in_base64(raw: bytes) -> str:
    """`raw` in base64."""
    return base64.b64encode(raw).decode()


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "in other letters": str.swapcase,
    "reversed": lambda text: text[::-1],
    "URL-encoded": lambda text: quote(text, safe=""),
    "URL-encoded in every byte": lambda text: by_octet(text.encode(), "%{:02X}"),
    "URL-encoded twice": lambda text: quote(by_octet(text.encode(), "%{:02x}")),
    "URL-encoded as JavaScript does": lambda text: by_letter(text, "%u{:04x}"),
    "in a form": quote_plus,
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in JSON with escaped slashes": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "in JSON by numbers": lambda text: by_letter(text, "\\u{:04x}"),
    "in JSON within JSON": lambda text: json.dumps(json.dumps(by_letter(text, "\\u{:04X}"))),
    "in JavaScript": lambda text: by_letter(text, "\\u{{{:x}}}"),
    "in C": lambda text: by_octet(text.encode(), "\\x{:02x}"),
    "in HTML": html.escape,
    "in HTML by numbers": lambda text: by_letter(text, "&#{:d};"),
    "in HTML by hexadecimal numbers": lambda text: by_letter(text, "&#x{:04X};"),
    "in HTML in JSON in a URL": lambda text: quote(json.dumps(by_letter(text, "&#{:d};"))),
    "hexadecimal": lambda text: text.encode().hex(),
    "in base64": lambda text: in_base64(text.encode()),
    "in base64 twice": lambda text: in_base64(in_base64(text.encode()).encode()),
    "in base64 twice, after a name": lambda text: in_base64(
        f"x: {in_base64(b'user:' + text.encode())}".encode()
    ),
    "in base64 of UTF-16": lambda text: in_base64(text.encode("utf-16")),
    "in UTF-16": lambda text: text.encode("utf-16-le").decode("latin-1"),
    "in UTF-16, in JSON": lambda text: json.dumps(text.encode("utf-16-be").decode("latin-1")),
}


@pytest.mark.parametrize("secret", [SECRET, WORD])
@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_replaced(name: str, secret: str) -> None:
    """The secret is found in a text and in bytes, and what stands beside it stays."""
    written, redactor = FORMS[name](secret), Redactor({"TOKEN": secret})
    before = f"before {written} after"
    for hidden in (redactor.text(before), redactor.body(before.encode()).decode()):
        assert "${TOKEN}" in hidden
        assert (hidden[:7], hidden[-6:]) == ("before ", " after")
        assert redactor.text(hidden) == hidden


def test_forms_are_those_that_users_are_told() -> None:
    """SECURITY.md names each spelling."""
    told = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
    assert "; ".join(FORMS) in " ".join(told.split())


@given(
    st.text("abcdEFGH0123/+=-_.~", min_size=8, max_size=24),
    st.lists(st.sampled_from(sorted(FORMS)), min_size=1, max_size=2),
)
def test_forms_within_forms_leave_nothing(secret: str, names: list[str]) -> None:
    """Escapes over escapes are taken off one by one: no layer of what is left holds the secret."""
    written = secret
    for name in (name for name in names if "base64" not in name):
        written = FORMS[name](written)
    hidden = Redactor({"VARIABLE": secret}).text(f"<<{written}>>")
    assert all(secret.lower() not in layer.lower() for layer in layers(hidden, 9))


@pytest.mark.parametrize("charset", ["utf-16", "utf-16-le", "utf-32", "cp500", "utf-7"])
def test_body_in_another_encoding_is_searched_decoded(charset: str) -> None:
    """Whatever encoding its media type names, a body holds no secret for whoever decodes it."""
    body = Redactor({"TOKEN": WORD}).body(f"before {WORD} after".encode(charset), charset)
    assert body.decode(charset) == "before ${TOKEN} after"


def test_text_without_a_secret_stays_as_it_is() -> None:
    """What only looks like an escape is left alone, to the byte."""
    body = b'{"a": "\\u0041 %41 &#65; &amp; \\/ \x00", "b": "\xff"}'
    assert Redactor({"TOKEN": WORD}).body(body) == body


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "user:"])
@pytest.mark.parametrize("after", ["", "x"])
@pytest.mark.parametrize("secret", [SECRET, WORD])
def test_base64_is_found_at_every_offset(
    encode: Callable[[bytes], bytes], before: str, after: str, secret: str
) -> None:
    """Inside a longer base64 text the secret's bytes begin at any of three places."""
    hidden = Redactor({"TOKEN": secret}).text(encode(f"{before}{secret}{after}".encode()).decode())
    assert "${TOKEN}" in hidden
    assert len(hidden.replace("${TOKEN}", "")) <= 4 * (len(before) + len(after)) / 3 + 6


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "has fewer than 8"),
        ("7 chars", "has fewer than 8"),
        ("AlarmClock", "is part of a word"),
        ("/settings/", "is part of a word"),
        ("fridge-one", "is part of a word"),
    ],
)
def test_secret_that_cannot_be_masked_is_refused(value: str, reason: str) -> None:
    """What is short, or stands in answers anyway, would change the evidence where it is masked."""
    with pytest.raises(UnmaskableSecretError, match=reason):
        Redactor({"A": value}, known_text({"appliance": [{"ha_id": "Fridge-One"}]}))


def test_secret_that_is_learnt_later_is_replaced_too() -> None:
    """A token fetched on the way counts from then on; of two of which one holds the other, the longer one."""
    redactor = Redactor({"A": "a-token!"})
    redactor.add("B", "a-token!-and-more")
    assert redactor.text("x a-token!-and-more a-token!") == "x ${B} ${A}"


def test_name_of_a_header_is_searched() -> None:
    """A server may hide a secret in the name of a header, which comes in small letters."""
    recorder = Recorder(profile_of(), Redactor({"TOKEN": "S3cret-Token"}))
    assert recorder.response(Response(200, (("x-s3cret-token", "1"),), b"", 1.0)).headers == (
        ("x-${TOKEN}", "1"),
    )


def test_time_does_not_grow_with_the_number_of_secrets(tmp_path: Path) -> None:
    """Three hundred of 44 characters are looked for as fast as a few: once, such a run took hours."""
    drawn = Random(3)
    secrets = {f"TOKEN_{number}": in_base64(drawn.randbytes(33)) for number in range(300)}
    redactor = Redactor(secrets)
    line = json.dumps({"key": "Vendor.Common.Setting.PowerState", "value": 'a "text"', "n": drawn.random()})
    (tmp_path / "ledger").write_text(f"{line}\n" * 60_000, encoding="utf-8")
    (tmp_path / "leak").write_text(
        f"{line}{by_octet(secrets['TOKEN_77'].encode(), '%{:02X}')}", encoding="utf-8"
    )
    began = time.process_time()
    assert [redactor.text(line) for _ in range(1_000)] == [line] * 1_000
    assert redactor.text(f"Bearer {secrets['TOKEN_299']}") == "Bearer ${TOKEN_299}"
    assert redactor.leaks(sorted(tmp_path.iterdir())) == ["leak holds ${TOKEN_77}"]
    assert time.process_time() - began < 8


def test_leak_is_named(tmp_path: Path) -> None:
    """A file that holds a secret in any form is named with the variable, never with the value."""
    (tmp_path / "a.html").write_text(f"<p>{base64.b64encode(WORD.encode()).decode()}</p>")
    (tmp_path / "b.html").write_text("clean")
    assert Redactor({"TOKEN": WORD}).leaks(sorted(tmp_path.iterdir())) == ["a.html holds ${TOKEN}"]


@pytest.mark.parametrize(
    ("secret", "part"),
    [
        ("theme=dark; sid=0815-open-sesame; lang=de", "0815-open-sesame"),
        ("sid=0815-open-sesame; x=1", "0815-open-sesame"),
        (in_base64(b"ann:open-sesame"), "open-sesame"),
        (in_base64(b"somebody:a password"), "somebody:a password"),
    ],
)
def test_secret_within_a_secret_is_replaced(secret: str, part: str) -> None:
    """One cookie of a line, a login that stands there in base64, and its password are secrets by themselves;
    short cookies are none.
    """
    redactor = Redactor({"TOKEN": secret})
    assert redactor.text(f"Set-Cookie: sid={part}; Path=/") == "Set-Cookie: sid=${TOKEN}; Path=/"
    assert redactor.text("it is dark") == "it is dark"


# What is asked of an issuer of tokens, and what of that is kept.
OAUTH2 = {"client_id": "me", "client_secret": "${SECRET}", "scope": "read"}
GRANTED = http(200, b'{"access_token": "granted-token", "expires_in": 100}')


@contextmanager
def issued(answer: Answer, /, **tables: Mapping[str, object]) -> Generator[tuple[Transport, Served, Served]]:
    """A transport that needs a token, the issuer that answers so, and the target."""
    with raw_server(answer) as issuer, raw_server(always(http(200, b"granted-token"))) as raw:
        oauth2 = {"token_url": f"{issuer.base_url}/token", **OAUTH2}
        auth = {"oauth2": oauth2, "headers": {"X-Key": "${TOKEN}"}}
        with transport_of(profile_at(raw.base_url, auth=auth, **tables)) as transport:
            yield transport, issuer, raw


def test_request_for_a_token_is_one_of_the_day() -> None:
    """Where a day has one request, the token is all that is asked for."""
    budget = issued(always(GRANTED), pace={"per_day": 1})
    with budget as (transport, issuer, raw), pytest.raises(DayBudgetError):
        transport.send(Wanted("/x"))
    assert (len(issuer.requests), raw.requests) == (1, [])


def test_request_for_a_token_is_kept_without_what_is_secret() -> None:
    """The form is kept in the profile's words; of the answer only plain members and headers are."""
    members = {"access_token": "granted-token", "refresh_token": "another secret", "x": "granted-token"}
    body = json.dumps({**members, "scope": "read", "expires_in": 60}).encode()
    answer = http(200, body, Set_Cookie="granted-token", Content_Type="application/json")
    with issued(always(answer)) as (transport, issuer, _):
        transport.send(Wanted("/x"))
    kept = transport.granted.get_nowait()
    form = "grant_type=client_credentials&scope=read&client_id=me&client_secret=${SECRET}"
    assert (kept.request.body, "open sesame" in str(issuer.requests[0])) == (form, False)
    assert kept.response
    plain = {"access_token": "${ACCESS_TOKEN}", "expires_in": 60, "scope": "read"}
    assert json.loads(kept.response.body) == plain
    assert kept.response.headers == (("content-type", "application/json"),)


REFUSED_TOKENS = {
    "refused": http(401, b'{"error": "invalid_client", "client_secret": "very secret"}'),
    "no JSON": http(200, b"<html>"),
    "no token": http(200, b"{}"),
    "a list": http(200, b"[]"),
    "a life that is no number": http(200, b'{"access_token": "granted-token", "expires_in": "soon"}'),
    "a life without end": http(200, b'{"access_token": "granted-token", "expires_in": 1' + b"0" * 400 + b"}"),
    "an infinite life": http(200, b'{"access_token": "granted-token", "expires_in": Infinity}'),
    "half a character": http(
        200, b'{"access_token": "granted-token", "refresh_token": "very secret\\ud800"}'
    ),
    "a token that fits no header": http(200, b'{"access_token": "granted\\r\\nX: \\u00e4"}'),
    "garbage": b"garbage\r\n\r\n",
}


@pytest.mark.parametrize("name", REFUSED_TOKENS)
def test_refused_token_is_the_operators_matter(name: str) -> None:
    """Without a token nothing is sent to the target; error and record of the request hold no secret."""
    refused = pytest.raises(TransportError, match=r"auth\.oauth2\.token_url")
    with issued(always(REFUSED_TOKENS[name])) as (transport, _, raw), refused as error:
        transport.send(Wanted("/x"))
    kept = transport.granted.get_nowait()
    assert (raw.requests, transport.granted.empty()) == ([], True)
    assert (kept.response is None) == (kept.failure is not None)
    assert not re.search(r"granted|very.secret", f"{error.value} {kept}")
