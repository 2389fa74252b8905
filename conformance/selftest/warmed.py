"""What every run works out first, worked out once in the process that the others are forked from."""

from __future__ import annotations

import gc

from conformance.cases import all_derivations
from conformance.runs.identity import catalog_digest, judging_digest
from reports.kills import published_kills
from reports.page.render import _environment  # pyright: ignore[reportPrivateUsage]  its templates take longer to compile than to render

all_derivations()
catalog_digest()
judging_digest()
published_kills()
for name in ("report.html.j2", "certificate.html.j2"):
    _environment().get_template(name)
gc.freeze()  # whoever is forked looks for garbage among its own objects alone
