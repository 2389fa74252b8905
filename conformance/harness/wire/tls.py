"""How a run makes sure of whom it talks to: one TLS context for all connections (line 142: not shown)."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from conformance.profiles.model import Profile
from conformance.profiles.variables import fill


def verification(profile: Profile, environment: Mapping[str, str]) -> ssl.SSLContext | None:
    """One TLS context for all connections: building one is slow, and only https needs it."""
    token_url = profile.auth.oauth2.token_url if profile.auth.oauth2 else ""
    if "https" not in {urlsplit(url).scheme for url in (profile.target.base_url, token_url)}:
        return None
    if profile.http.verify is False:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    else:
        context = ssl.create_default_context(
            cafile=profile.http.verify if isinstance(profile.http.verify, str) else None
        )
    if profile.http.client_cert:
        context.load_cert_chain(*(fill(text, environment) for text in profile.http.client_cert))
    return context
