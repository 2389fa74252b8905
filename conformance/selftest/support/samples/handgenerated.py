"""Generated requests made by hand: what was sent, what was answered, and the plain reads in between."""

from dataclasses import replace

from conformance.checks.exchange import Exchange, Request
from conformance.checks.generated.mutations import METHODS, Mutation, RequestPart, generated_group
from conformance.selftest.support.samples.handmade import URL


def generated(
    mutation: Mutation,
    *answers: Exchange,
    part: RequestPart = RequestPart.KEY,
    sent: str = "/api",
    headers: tuple[tuple[str, str], ...] = (),
) -> tuple[Exchange, ...]:
    """One request in its tries, each with its answer; reads made to `repeat` stay plain, beside it."""
    method = mutation.name if mutation in METHODS else "GET"
    request, group = Request(method, f"{URL}{sent}", headers), generated_group(part, mutation)
    return tuple(
        replace(answer, group=group)
        if answer.purpose == "repeat"
        else replace(answer, group=group, purpose="generated", request=request)
        for answer in answers
    )
