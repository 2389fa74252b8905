"""Where the access tokens of a profile come from, and the header that carries one (line 155: not shown)."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.tokens.access import Access
from conformance.harness.wire.tokens.commanded import CommandedAccess
from conformance.harness.wire.tokens.granting import Grant
from conformance.profiles.model import Profile


def access_of(profile: Profile, redactor: Redactor, environment: Mapping[str, str]) -> Access | None:
    """What gets access tokens as the profile says; None where it says nothing."""
    auth = profile.auth
    if auth.oauth2:
        return Grant(auth.oauth2, redactor, environment)
    return CommandedAccess(auth.token_cmd, redactor, environment) if auth.token_cmd else None


def bearer(token: str) -> dict[str, str]:
    """The header with an access token; none for an empty one."""
    return {"Authorization": f"Bearer {token}"} if token else {}
