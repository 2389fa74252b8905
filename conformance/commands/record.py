"""The command record: records what a client of any language says to a target, and judges it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from conformance.commands import options
from conformance.runs.exit_codes import INCONCLUSIVE, SUITE_FAULT
from conformance.runs.processes.interruption import EndAtOnce, interruptible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@click.command("record", context_settings={"allow_interspersed_args": False})
@click.argument("words", metavar="[COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--to", "target", metavar="TARGET", required=True, help="A base URL or a profile.")
@options.port(0)
@options.OUT
def command(words: tuple[str, ...], target: str, port: int, out: Path) -> None:
    """Record what a client says to a target, through a proxy on loopback, and judge it.

    COMMAND is run with the address of the proxy in the variable APPLIANCE_BASE_URL, which its client must
    take for the base URL. Without one, the proxy is there until Ctrl-C. It passes on what both sides say, and
    keeps what is about the target. What was recorded is judged as judge does, with the same exit codes; where
    COMMAND has failed, 0 becomes 3, since it may have said less than it should.
    """
    import ssl

    from appliance_conformance_clients import recording
    from appliance_conformance_recording import base_url_of, is_url

    from conformance.captures.passing_on import PassingOn
    from conformance.gym.commands import BASE_URL
    from conformance.harness.wire.network import verification
    from conformance.reference.server import ServeError, serve_app
    from conformance.runs.targets import profile_of

    profile = None if is_url(target) else profile_of(target, offline=True)  # its mistakes are said first
    try:
        base_url = base_url_of(target)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--to") from error
    try:
        tls = verification(profile, os.environ) if profile else None
        with (
            recording(base_url) as record,
            serve_app(PassingOn(base_url, tls or ssl.create_default_context()), port) as (place, _),
        ):
            code = _ended(words, f"{place}{urlsplit(base_url).path}")
    except ServeError as error:
        raise click.UsageError(f"{error}: choose another --port") from error
    for line in record.in_words(f"nothing was asked of the proxy: does the client take {BASE_URL}?"):
        click.echo(line, err=True)
    if code:
        click.echo(f"{words[0]} ended with {code}: it may have said less than it should", err=True)
    if not record.lines:
        sys.exit(INCONCLUSIVE)
    judged = _judged(record.lines, ("--out", str(out), *(("--profile", target) if profile else ())))
    sys.exit(judged or (INCONCLUSIVE if code else 0))


def _judged(lines: Sequence[str], words: Sequence[str]) -> int:
    """The exit code of the command judge, which reads the lines on standard input, as it does from a client.

    It is called here: another interpreter would import everything a second time.
    """
    from io import BytesIO, TextIOWrapper

    from conformance.commands import main

    EndAtOnce("interrupted before anything was judged").install()
    code: object = 0
    before, sys.stdin = sys.stdin, TextIOWrapper(BytesIO("\n".join(lines).encode()), encoding="utf-8")
    try:
        main(["judge", "-", *words], prog_name="appliance-conformance")
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdin = before
    return code if isinstance(code, int) else SUITE_FAULT


def _ended(words: Sequence[str], base_url: str) -> int:
    """The exit code of the client's command that has come to its end, or of Ctrl-C where there is none."""
    from conformance.gym.commands import BASE_URL

    with interruptible():
        if not words:
            click.echo(f"base URL  {base_url}\nCtrl-C ends the recording, and judges")
            with suppress(KeyboardInterrupt):
                threading.Event().wait()
            return 0
        with subprocess.Popen(words, env={**os.environ, BASE_URL: base_url}) as process:  # noqa: S603  the user's own
            try:
                return process.wait()
            except KeyboardInterrupt:
                process.terminate()
                return process.wait()
