"""Texts of profiles, and the mistakes that are found in one."""

from pathlib import Path

from conformance.profiles.fields import Problem, ProfileError
from conformance.profiles.validation import load_profile

GOOD = """
[target]
name = "hub"
base_url = "http://127.0.0.1:1"
[[appliance]]
ha_id = "one"
kind = "Refrigerator"
"""
WRITING = f'{GOOD}[write]\nmethod = "PUT"\n'


def problems_of(
    path: Path, text: str | bytes, environment: dict[str, str] | None = None
) -> tuple[Problem, ...]:
    """The mistakes in the text of a profile; none if it is good."""
    file = path / "profile.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        load_profile(file, environment or {})
    except ProfileError as error:
        return error.problems
    return ()
