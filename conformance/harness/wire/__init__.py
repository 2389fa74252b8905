"""One request and its answer over HTTP: connections, limits, access tokens, secrets."""
