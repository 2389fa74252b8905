"""The files of the gym, which say the oddities that a client does not survive.

gym.html is one self-contained page without any script; junit.xml has a suite for each sort of oddity, and a
test for each server.
"""

import shlex
from collections.abc import Iterator

from reports.formats.junit import JunitTest, suite_of
from reports.gym.model import Met, Survived
from reports.gym.story import counts, in_groups, last_words, smallest, with_more
from reports.page.rendering import render


def render_gym(survived: Survived) -> str:
    """The text of the page."""
    return render(
        *("gym.html.j2", "report.css", "gym.css"),
        survived=survived,
        command=shlex.join(survived.command),
        counts=counts(survived),
        broken=in_groups(smallest(survived.servers)),
        flaky=survived.of("flaky"),
        groups=in_groups(survived.servers),
        hostile=any(not one.allowed for one in survived.servers),
        with_more=with_more,
        last_words=last_words,
        VERDICT={"survived": "pass", "broke": "fail", "flaky": "inconclusive"},
    )


def gym_junit(survived: Survived) -> Iterator[str]:
    """The text of junit.xml, in pieces. A server that breaks the client at times has passed, and says so."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n'
    about = {"timestamp": survived.started.partition("+")[0]}
    for group, servers in in_groups(survived.servers):
        seconds = sum(attempt.seconds for one in servers for attempt in one.attempts)
        yield suite_of(group, [_test(one) for one in servers], about | {"time": f"{seconds:.3f}"})
    yield "</testsuites>\n"


def _test(server: Met) -> JunitTest:
    properties = {"survival": server.survival, "allowed": server.allowed}
    failed = server.failed
    reason = [server.allowed] if server.allowed else []
    text = "\n".join([server.what, *reason, *([failed.words, "", failed.said] if failed else [])])
    if server.survival == "broke":
        return JunitTest(
            server.name, properties, "failure", f"{server.what} {'; '.join(last_words(server))}", text
        )
    return JunitTest(server.name, properties, "", text=f"flaky: {text}" if server.survival == "flaky" else "")
