"""The access token of a run: commanded, or granted by an issuer."""
