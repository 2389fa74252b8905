"""junit.xml of the gym: a suite for each sort of oddity, a test for each server."""

from collections.abc import Iterator

from reports.formats.junit import JunitTest, suite_of
from reports.gym.model import Met, Survived
from reports.gym.story import in_groups, last_words


def gym_junit(survived: Survived) -> Iterator[str]:
    """The text of junit.xml, in pieces. A server that breaks the client at times has passed, and says so."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n'
    about = {"timestamp": survived.started.partition("+")[0]}
    for group, servers in in_groups(survived.servers):
        seconds = sum(attempt.seconds for one in servers for attempt in one.attempts)
        yield suite_of(group, [_test(one) for one in servers], about | {"time": f"{seconds:.3f}"})
    yield "</testsuites>\n"


def _test(server: Met) -> JunitTest:
    properties = {"survival": server.survival, "allowed": "; ".join(server.allowed)}
    failed = server.failed
    text = "\n".join([server.what, *server.allowed, *([failed.words, "", failed.said] if failed else [])])
    if server.survival == "broke":
        return JunitTest(
            server.name, properties, "failure", f"{server.what} {'; '.join(last_words(server))}", text
        )
    return JunitTest(server.name, properties, "", text=f"flaky: {text}" if server.survival == "flaky" else "")
