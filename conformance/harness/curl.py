"""An exchange as a command line of sh and curl that makes it again; secrets stay `$NAME`.

What curl would do of its own accord and the run did not is switched off: its settings file, proxies of the
environment, a content type for every body, patterns in addresses, HTTP/2. Only its User-Agent is its own, and
it asks for a packed answer only where one came. A text of a server is never more than a word to the shell: a
name is filled in only where the profile has it filled in.
"""

import re
import shlex
import string
from collections.abc import Iterator, Mapping
from urllib.parse import quote_plus

from conformance.checks.exchange import Exchange, Request, Response
from conformance.harness.wire.tokens.access import ACCESS_TOKEN
from conformance.profiles.model import Profile

_NAMES = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_QUIET = re.compile(r'[^"$`\\!]*')
"""A text that means itself between double quotes, also to a shell with a history."""
_PLAIN = frozenset(string.ascii_letters + string.digits + string.punctuation + " ") - frozenset("%\\-")
_ENCODINGS = frozenset({"gzip", "deflate"})
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


def curl_of(exchange: Exchange, profile: Profile) -> str:
    """The command line; after redirects it asks the last address, so that no header goes further."""
    request, response = exchange.request, exchange.response
    came = response or exchange.failure
    whole = came.redirects[-1] if came and came.redirects else request.url
    url, parameters = _parted(whole, profile.auth.query)
    head = request.method == "HEAD"
    words = ["curl", "-q", "-sS", "-I" if head else "-i", "--path-as-is", "--noproxy", "'*'"]
    if re.search(r"[][{}]", url):
        words.append("-g")
    if url.startswith("https:"):
        words += _trusting(profile)
    if response and _is_packed(response):
        words.append("--compressed")
    if exchange.failure:
        words += ["-m", f"{profile.http.timeout_s:g}"]
    # an empty one has a length where one is expected
    body = request.body or ("" if request.method in _WITH_BODY else None)
    if not head and (request.method != "GET" or body is not None):
        words += ["-X", request.method]
    names = names_of(profile)
    for name, value in parameters.items():
        words += ["--url-query", _word(f"{name}={value}", names)]
    for line in _header_lines(request, has_body=body is not None):
        words += ["-H", _word(line, names)]
    if body is None:
        return " ".join([*words, _word(url, names)])
    if body.isprintable():
        return " ".join([*words, "--data-raw", _word(body, names), _word(url, names)])
    return " ".join(
        ["printf", shlex.quote(_format(body)), "|", *words, "--data-binary", "@-", _word(url, names)]
    )


def _parted(url: str, query: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """An address without the secrets at its end, and these: the shell fills them in, curl encodes them."""
    tail = "&".join(f"{quote_plus(name)}={value}" for name, value in query.items())
    return (url[: -len(tail) - 1], query) if tail and url.endswith(tail) else (url, {})


def names_of(profile: Profile) -> frozenset[str]:
    """The variables that a command line may name: those of the headers, and the access token."""
    oauth2 = profile.auth.oauth2
    texts = [*profile.http.headers.values(), *profile.auth.headers.values(), *profile.http.client_cert]
    texts += [*profile.http.query.values(), *profile.auth.query.values()]
    texts += [oauth2.client_id, oauth2.client_secret, oauth2.refresh_token] if oauth2 else []
    found = {name for text in texts for name in _NAMES.findall(text)}
    return frozenset(found | {ACCESS_TOKEN} if profile.auth.is_renewable else found)


def _trusting(profile: Profile) -> Iterator[str]:
    """How the run made sure of whom it talks to."""
    http = profile.http
    yield "--http2" if http.http2 else "--http1.1"
    if http.verify is False:
        yield "-k"
    elif isinstance(http.verify, str):
        yield from ("--cacert", shlex.quote(http.verify))
    for option, text in zip(("--cert", "--key", "--pass"), http.client_cert, strict=False):
        yield from (option, _word(text, names_of(profile)))


def _is_packed(response: Response) -> bool:
    """Whether the body came in an encoding that was undone; one that nobody here knows is left as it is."""
    encodings = {word.strip().casefold() for word in (response.header("content-encoding") or "").split(",")}
    return encodings <= _ENCODINGS


def _header_lines(request: Request, *, has_body: bool) -> Iterator[str]:
    for name, value in request.headers:
        yield f"{name}: {value}" if value else f"{name};"  # curl sends `name:` by not sending it
    if has_body and "content-type" not in {name.casefold() for name, _ in request.headers}:
        yield "Content-Type:"


def _word(text: str, names: frozenset[str]) -> str:
    """`text` as one word of the shell, in double quotes where a variable has to be filled in."""
    parts = re.split(rf"\$\{{({'|'.join(sorted(names))})\}}", text) if names else [text]
    if len(parts) == 1:
        return shlex.quote(text)
    plain, named = parts[::2], parts[1::2]
    if all(_QUIET.fullmatch(part) for part in plain):
        filled = (_variable(name, after) + after for name, after in zip(named, plain[1:], strict=True))
        return f'"{plain[0]}{"".join(filled)}"'
    quoted = (
        f'"${name}"{shlex.quote(after) if after else ""}'
        for name, after in zip(named, plain[1:], strict=True)
    )
    return (shlex.quote(plain[0]) if plain[0] else "") + "".join(quoted)


def _variable(name: str, after: str) -> str:
    joins = after[:1].isalnum() or after[:1] == "_"
    return f"${{{name}}}" if joins else f"${name}"


def _format(body: str) -> str:
    """A format of printf that prints `body`, which may hold unprintable characters."""
    return "".join(chr(octet) if chr(octet) in _PLAIN else f"\\{octet:03o}" for octet in body.encode())
