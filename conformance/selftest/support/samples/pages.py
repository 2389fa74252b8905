"""Pages made of results, and what a browser would see of them."""

from html.parser import HTMLParser
from pathlib import Path

from msgspec.structs import replace

import reports
from catalog.loader import load_catalog
from conformance.checks.exchange import Request, Response
from conformance.records.results import Results
from conformance.selftest.support.samples.handmade import exchange
from conformance.selftest.support.samples.results import FAIL
from reports.page.document import render_page
from reports.recorded.exchanges import Recorded

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "</pre></style><svg onload=alert(1)>",
    "{{ 7 * 7 }}",
)
OWN = {
    (Path(reports.__file__).parent / "templates" / name).read_text(encoding="utf-8")
    for name in ("report.css", "report.js")
}
CURL = "curl -i 'https://staging.example/hub/api/homeappliances/fridge-1/settings/Vendor.Common.Setting.AlarmClock'"
EXCHANGE = replace(
    exchange(FAIL.key),
    n=1,
    request=Request("GET", "https://staging.example/hub/x", ()),
    response=Response(
        200, (("Content-Type", "application/json"),), b'{"data":{"value":1.50,"value":1e999}}', 4.2
    ),
)


class Seen(HTMLParser):
    """Every tag with its attributes, and the text, as a browser's parser would take them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._raw = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes a tag."""
        self.tags.append((tag, dict(attrs)))
        self._raw = tag in {"script", "style"}

    def handle_endtag(self, tag: str) -> None:
        """After a script there is text again."""
        self._raw = self._raw and tag not in {"script", "style"}

    def handle_data(self, data: str) -> None:
        """Adds text that is shown, and keeps scripts apart."""
        if self._raw:
            self.scripts.append(data)
        else:
            self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every tag of that name."""
        return [attributes for name, attributes in self.tags if name == tag]


def page_of(results: Results, exchanges: dict[int, Recorded] | None = None) -> Seen:
    """The page of these results, parsed."""
    return Seen(render_page(results, load_catalog(), exchanges or {}))


def assert_harmless(page: Seen) -> None:
    """No tag but the page's own runs, fetches or draws, and no attribute handles an event."""
    assert not {"img", "svg", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert set(page.scripts) <= OWN
    assert not any(page.named("script"))
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
