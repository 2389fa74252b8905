"""What several tests share: servers, runs, samples."""

from pathlib import Path

import conformance

ROOT = Path(conformance.__file__).parent.parent
"""The checkout."""
