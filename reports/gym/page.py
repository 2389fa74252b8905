"""gym.html: one self-contained page, without any script: which oddities a client does not survive."""

import shlex

from reports.gym.model import Survived
from reports.gym.story import counts, in_groups, last_words, smallest, with_more
from reports.page.rendering import content_policy, environment, own_text
from reports.phrases import SYMBOL
from reports.texts import plural, time_in_words


def render_gym(survived: Survived) -> str:
    """The text of the page."""
    style = own_text("report.css") + own_text("gym.css")
    return (
        environment()
        .get_template("gym.html.j2")
        .render(
            survived=survived,
            command=shlex.join(survived.command),
            counts=counts(survived),
            broken=in_groups(smallest(survived.servers)),
            flaky=survived.of("flaky"),
            groups=in_groups(survived.servers),
            hostile=any(not one.allowed for one in survived.servers),
            with_more=with_more,
            last_words=last_words,
            plural=plural,
            time_in_words=time_in_words,
            SYMBOL=SYMBOL,
            VERDICT={"survived": "pass", "broke": "fail", "flaky": "inconclusive"},
            style=style,
            policy=content_policy(style),
        )
    )
