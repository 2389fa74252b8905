"""A real browser over the reports, driven by Playwright. As a program: get a browser if there is none."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from playwright.sync_api import Browser, Page, sync_playwright

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_INSTALLING_S = 300
_PATIENCE_MS = 300_000
"""How long a browser may take for a step, however busy the machine is."""
Scheme: TypeAlias = Literal["light", "dark"]
"""The colours that a reader prefers."""
JENKINS: Final = "sandbox; default-src 'none'; img-src 'self'; style-src 'self';"
"""The content policy that Jenkins serves archived files with, unless it is told otherwise."""
_QUIET: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # each context is a window, and each window would load two pages of the browser's own, for half a second
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
)


_IDLE: Final[dict[str, list[Page]]] = {}
"""Pages of the open browser that nobody looks at, by the options of their context."""


class NoBrowserError(RuntimeError):
    """There is no browser to look at the pages with."""


@dataclass
class Visit:
    """A page that is open, what its console said as an error, and every address it asked for."""

    page: Page
    said: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """What a reader sees; folded parts are not in it."""
        return self.page.locator("body").inner_text()


def find_browser() -> str:
    """The browser of this machine: one on the path, else the download of the driver.

    Raises:
        NoBrowserError: when there is neither.
    """
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:  # starting the driver takes longer than looking
        with sync_playwright() as playwright:
            found = shutil.which(playwright.chromium.executable_path)
    if found is None:
        raise NoBrowserError(f"none of {', '.join(BROWSERS)} is on the path, and playwright has none")
    return found


def install_browser() -> None:
    """Get a browser if there is none: the download of the driver, which is no package of the system."""
    with suppress(NoBrowserError):
        find_browser()
        return
    with suppress(OSError, subprocess.SubprocessError):
        driver = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(driver, check=True, timeout=_INSTALLING_S, capture_output=True)


@contextmanager
def chromium() -> Generator[Browser]:
    """A browser without a window, until the context ends."""
    found = find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(_QUIET), timeout=_PATIENCE_MS)
        yield browser
        _IDLE.clear()
        browser.close()


@contextmanager
def visiting(
    browser: Browser,
    place: Path | str,
    *,
    size: tuple[int, int] = (1280, 800),
    color_scheme: Scheme = "light",
    **options: Any,
) -> Generator[Visit]:
    """A page on a file or an address; `options` are those of a browser context.

    Visits with the same options that follow each other share a page: a new one is a new process.
    """
    idle = _IDLE.setdefault(str(sorted(options.items())), [])
    page = idle.pop() if idle else browser.new_context(reduced_motion="reduce", **options).new_page()
    page.set_default_timeout(_PATIENCE_MS)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=color_scheme)
    visit = Visit(page)
    heard: dict[Any, Callable[[Any], None]] = {
        "console": lambda message: (
            visit.said.append(message.text) if message.type in {"error", "warning"} else None
        ),
        "pageerror": lambda error: visit.said.append(str(error)),
        "request": lambda request: visit.asked.append(request.url),
    }
    for event, note in heard.items():
        page.on(event, note)
    page.goto(place.as_uri() if isinstance(place, Path) else place)
    yield visit
    for event, note in heard.items():
        page.remove_listener(event, note)
    page.emulate_media(media="null")
    page.goto("about:blank")
    idle.append(page)


TOO_PALE: Final = """() => {
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => {
    const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [red, green, blue] = numbers(color).map(part => linear(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      if ((numbers(color)[3] ?? 1) > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const pale = [];
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!hasText || !element.getClientRects().length) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const [darker, lighter] = [light(style.color), light(behind(element))].sort((one, other) => one - other);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if ((lighter + 0.05) / (darker + 0.05) < (large ? 3 : 4.5)) pale.push(element.outerHTML.slice(0, 120));
  }
  return pale;
}"""
"""Texts whose color differs too little from what lies behind them (WCAG 2.2, 1.4.3): 4.5 to 1, large
ones 3 to 1.
"""


if __name__ == "__main__":
    install_browser()
