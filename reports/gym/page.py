"""gym.html: one self-contained page, without any script: which oddities a client does not survive."""

import shlex

from reports.gym.model import Survived
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
