"""A case of several requests is shown as a script: whole where there is room, cut where there is little."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.selftest.support.samples.pages import HOSTILE, Seen, assert_harmless
from conformance.selftest.support.samples.results import FAIL, PASS, a_case, results_of
from conformance.selftest.support.samples.tables import page_of as cases_of
from conformance.selftest.support.terminals import terminal_lines
from reports.formats.summary import render_markdown
from reports.page.document import render_page
from reports.story.blocks import SUMMARY
from reports.texts import script_lines

SCRIPT = (
    "# 1 read\ncurl -sS 'https://x/y'\n# 2 write\ncurl -sS -X PUT --data-binary '{\"a\":\n  1}' 'https://x/y'"
)
LONG = "\n".join(f"curl -sS 'https://x/{number}'" for number in range(100))


def failed(curl: str) -> list[str]:
    """The lines of the summary of one failing case."""
    return render_markdown(results_of(PASS, replace(FAIL, curl=curl, message="wrong"))).splitlines()


def test_page_shows_the_script_as_it_is() -> None:
    """The page has the whole script in one block, line for line, so that it can be copied."""
    for script in (SCRIPT, LONG):
        html = render_page(results_of(PASS, replace(FAIL, curl=script)), load_catalog(), {})
        block = html[html.index('<pre class="curl"') :]
        assert Seen(block[: block.index("</pre>")]).text == script


def test_page_folds_what_led_there() -> None:
    """The proof stands open, and what the run did before it is folded, if there is any."""
    plain, html = (
        render_page(results_of(PASS, replace(FAIL, curl=SCRIPT, earlier=earlier)), load_catalog(), {})
        for earlier in ("", LONG)
    )
    fold = "<details><summary>What the run did before that"
    folded = html[html.index(fold) :]
    assert Seen(folded[folded.index("<pre") : folded.index("</pre>")]).text == LONG
    assert (html.index('<pre class="curl"') < html.index(fold), fold in plain) == (True, False)


def test_summary_has_a_block_of_code() -> None:
    """In Markdown a script is a fenced block inside its item; one line stays a code span."""
    lines = failed(SCRIPT)
    start = lines.index("  ```sh")
    assert [
        line.removeprefix("  ") for line in lines[start + 1 : lines.index("  ```")]
    ] == SCRIPT.splitlines()
    assert "  - `curl -i x`" in failed("curl -i x")


@pytest.mark.parametrize("text", [*HOSTILE, "```\n# heading", "````\n```", "\n\n- item"])
def test_summary_block_cannot_be_ended(text: str) -> None:
    """No line of a script ends the block or the item it stands in."""
    lines = failed(f"curl 'a'\ncurl '{text}'")
    start = next(number for number, line in enumerate(lines) if line.startswith("  ```"))
    fence = lines[start].strip().removesuffix("sh")
    inside = lines[start + 1 : lines.index(f"  {fence}", start + 1)]
    assert len(inside) == len(f"{text} ".split("\n")) + 1
    assert all(line.startswith("  ") and fence not in line for line in inside)


def test_terminal_shows_each_line(tmp_path: Path) -> None:
    """The terminal shows each line of a script indented; a comment stands for what is too long."""
    cases = [replace(FAIL, message="a", curl=SCRIPT), a_case("TYPE-DOUBLE", "fail", message="b", curl=LONG)]
    lines = terminal_lines(results_of(*cases), tmp_path)
    start = lines.index("    # 1 read")
    assert [line.removeprefix("    ") for line in lines[start : start + 5]] == SCRIPT.split("\n")
    assert "    # 84 further lines: see report.html" in lines


def test_short_places_cut_a_long_script() -> None:
    """What is cut stays a script: the lines left out are a comment, and so is a line of 10 kB."""
    lines = script_lines(LONG, SUMMARY.script_lines)
    assert (len(lines), lines[-1]) == (SUMMARY.script_lines + 1, "# 70 further lines: see report.html")
    assert script_lines("x" * 10_000, 5) == ["# a line of 10,000 characters: see report.html"]
    assert script_lines("\n".join(["x" * 1_999] * 10), 5)[3:] == ["# 7 further lines: see report.html"]
    assert script_lines("a\x1b[2J\u2028\u202eb", 5) == ["a\\x1b[2J\\u2028\\u202eb"]


def test_table_keeps_a_script_on_one_line() -> None:
    """In cases.html the lines of a script stand below each other, in one line of the file, as text."""
    text = " ".join(HOSTILE)
    page = cases_of(replace(FAIL, curl=f"{SCRIPT}\ncurl '{text}'"))
    assert "\n" not in page.rows[0]["log"]
    assert_harmless(page.below[0])
    assert len(page.below[0].named("code")) == 6
    assert f"curl '{text}'" in page.below[0].text
