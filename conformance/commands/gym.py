"""The command gym: lets a client meet the conforming servers of the suite."""

import os
import shlex
import sys
from pathlib import Path

import click

from conformance.commands import options
from conformance.runs.exit_codes import USAGE
from conformance.runs.processes.interruption import interruptible


@click.command("gym")
@click.argument("words", metavar="-- COMMAND", nargs=-1, type=click.UNPROCESSED, required=True)
@options.ONLY
@click.option(
    "--without", metavar="TEXT", multiple=True, help="No server with TEXT in its name. May be repeated."
)
@click.option("--hostile", is_flag=True, help="Also hostile servers: there the command only has to end.")
@options.CLIENT_VENDOR
@click.option(
    "--timeout",
    "limit_s",
    metavar="SECONDS",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="What one run of the command may take.",
)
@click.option(
    "--at-once",
    type=click.IntRange(1, 64),
    default=None,
    help="Runs side by side. Default: twice the processors.",
)
@options.out(Path("reports/out/gym"))
def command(  # noqa: PLR0913  one parameter an option
    words: tuple[str, ...],
    only: tuple[str, ...],
    without: tuple[str, ...],
    *,
    hostile: bool,
    vendor: str | None,
    limit_s: float,
    at_once: int | None,
    out: Path,
) -> None:
    """Run the tests of a client on servers that conform and are odd, and say which of them break it.

    COMMAND runs once for each server. In its environment APPLIANCE_BASE_URL says where the server is, a base
    path included, and APPLIANCE_PROFILE names a profile of it. It survives a server if it ends with 0. All
    servers have the appliances of `serve reference`, and one oddity each, which the document allows or is
    silent about. What fails is run twice again. The sort of its oddity counts as part of a server's name.

    Ends with 0 if the client survives all of them, 1 if one breaks it, 2 if it fails on the reference, or
    asks nothing of it.
    """
    from conformance.files.text_files import write_text
    from conformance.gym.commands import Commands
    from conformance.gym.meeting import NothingSaidError, play
    from conformance.gym.servers import conforming_servers
    from conformance.mutants.hostile.servers import HOSTILE
    from conformance.mutants.registry import is_among
    from reports.story.blocks import plain
    from reports.survival import gym_junit, gym_story, render_gym
    from reports.texts import one_line

    conforming = {f"{one.name} {one.sort}": one for one in conforming_servers()}
    attacking = {f"{one.name} hostile": one for one in HOSTILE if one.scheme == "http"}
    options.assert_named((*only, *without), (*conforming, *attacking))

    def is_meant(name: str) -> bool:
        return is_among(name, only) and not (without and is_among(name, without))

    servers = [one for name, one in conforming.items() if is_meant(name)]
    attackers = [one for name, one in attacking.items() if hostile and is_meant(name)]
    if not servers and not attackers:
        raise click.UsageError("no server has such a name")
    commands = Commands(words, limit_s, at_once or 2 * (os.cpu_count() or 1))
    try:
        with interruptible():
            survived = play(
                commands,
                words,
                servers,
                hostile=attackers,
                vendor=vendor or "",
                told=lambda text: click.echo(text, err=True),
            )
    except NothingSaidError as error:
        for line in error.attempt.said.splitlines()[-20:]:
            click.echo(f"    {one_line(line)}", err=True)
        click.echo(f"{shlex.join(words)}: {error}, so nothing is said of the other servers", err=True)
        sys.exit(USAGE)
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "gym.html", render_gym(survived))
    write_text(out / "junit.xml", "".join(gym_junit(survived)))
    for line, _ in plain(gym_story(survived)):
        click.echo(line)
    click.echo(f"report: {out / 'gym.html'}")
    sys.exit(1 if survived.of("broke") else 0)
