"""The kill matrix: as rows that are published, and as Markdown.

A row says what a server is and what came of it. Which mutants each clause kills follows from the rows, so the
published matrix can take the rows of a part of the proof, where all others are of servers that are still so.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from catalog.loader import CATALOG
from conformance.mutants.model import Mutant, Unearned, Variant
from conformance.mutants.registry import load_mutants, load_unearned, load_variants
from conformance.proof.proof import Proof, green_problems
from conformance.proof.trials import Trial, remote_budgets, usual_trials
from conformance.reference.profile import Knowledge

Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = dict[str, list[Row]]
"""The rows of mutants, variants and unearned servers, under these names."""

_KNOWN: Mapping[Knowledge, str] = {
    "L0": "with nothing claimed",
    "L1": "with what is supported",
    "L2": "with what is supported, and where answers hold what",
    "full": "with the whole truthful profile",
}
_MOST_NAMES = 12


class UnjudgedError(ValueError):
    """What a matrix cannot say: what became of some servers, or that a clause can fail."""


def matrix_of(proof: Proof) -> dict[str, Any]:
    """The matrix of a proof."""
    return _matrix(_rows(proof), proof.problems)


def with_rows(published: Mapping[str, Any], proof: Proof) -> dict[str, Any]:
    """The published matrix with the rows of a proof that holds, which may be a part of the whole one.

    Rows of servers that are no more are left out.

    Raises:
        UnjudgedError: a server that the proof has not judged has no row, or one of what it was before; or a
            clause that can fail kills none.
    """
    fresh, rows, unjudged = _rows(proof), Rows(), list[str]()
    for section, every in descriptions().items():
        known = {row["name"]: row for row in (*published[section], *fresh[section])}
        unjudged += [row["name"] for row in every if not row.items() <= known.get(row["name"], {}).items()]
        rows[section] = [known[row["name"]] for row in every if row["name"] in known]
    if unjudged:
        more = f" and {len(unjudged) - _MOST_NAMES} others" if len(unjudged) > _MOST_NAMES else ""
        names = ", ".join(unjudged[:_MOST_NAMES])
        raise UnjudgedError(f"no row says what becomes of {names}{more}: judge these as well")
    matrix = _matrix(rows, ())
    if unkilled := [row["id"] for row in matrix["clauses"] if not row["killed"]]:
        raise UnjudgedError(f"no mutant is killed by {', '.join(unkilled)}")
    return matrix


def _matrix(rows: Rows, problems: Iterable[str]) -> dict[str, Any]:
    clauses = [clause.id for clause in CATALOG.clauses.values() if clause.can_fail]
    killed = {
        clause: [row["name"] for row in rows["mutants"] if clause in row["killed_by"]] for clause in clauses
    }
    return {
        "clauses": [{"id": clause, "killed": names} for clause, names in killed.items()],
        **rows,
        "problems": list(problems),
    }


def _rows(proof: Proof) -> Rows:
    conforming = {row["name"]: row for row in descriptions()["variants"]}
    return {
        "mutants": [
            {
                **_mutant(tried.mutant),
                "killed_by": sorted(tried.kills),
                "survived": tried.mutant.clause not in tried.kills,
                "remote": {
                    "killed_by": sorted(proof.killed_remotely(name)),
                    "survived": tried.mutant in proof.survivors,
                },
            }
            for name, tried in proof.mutants.items()
        ],
        "variants": [
            {**conforming[name], "fails": sorted(outcome.fails)} for name, outcome in proof.variants.items()
        ],
        "unearned": [
            {
                **_unearned(server),
                "ends": outcome.ends,
                "holds": not any(green_problems({name: (server, outcome)})),
            }
            for name, (server, outcome) in proof.unearned.items()
        ],
    }


def descriptions() -> Rows:
    """What every server is: the part of its row that nobody has to judge for."""
    variants = {variant.name: variant for variant in load_variants()}
    mutants = {mutant.name for mutant in load_mutants()}
    return {
        "mutants": list(map(_mutant, load_mutants())),
        "variants": [
            _conforming(trial, variants) for trial in usual_trials().values() if trial.name not in mutants
        ],
        "unearned": list(map(_unearned, load_unearned())),
    }


def _mutant(mutant: Mutant) -> Row:
    return {
        "name": mutant.name,
        "fault": mutant.fault,
        "clause": mutant.clause,
        "seen_at": mutant.seen_at,
        "partners": dict(mutant.partners),
    }


def _unearned(server: Unearned) -> Row:
    return {
        "name": server.name,
        "what": server.what,
        "ground": server.ground.value,
        "level": server.level,
        "guards": list(server.guards),
    }


def _conforming(trial: Trial, variants: Mapping[str, Variant]) -> Row:
    name = trial.name.rpartition(".")[0]
    what = variants[name].what if name in variants else "the reference itself"
    return {"name": trial.name, "what": what, "known": _KNOWN[trial.knowledge]}


def render_matrix(proof: Proof) -> str:
    """The kill matrix as Markdown: clauses with their mutants, the tallies, and what does not hold."""
    tried = proof.mutants.values()
    twins = {id(one.twin): one.twin for one in tried}
    every = [*(one.outcome for one in tried), *twins.values()]
    every += [*proof.variants.values(), *(outcome for _, outcome in proof.unearned.values())]
    alike = sum(not outcome.differs for outcome in every)
    killed = sum(one.mutant.clause in one.kills for one in tried)
    clean = sum(not outcome.fails for outcome in proof.variants.values())
    verdicts = Counter(outcome.verdict for outcome in proof.variants.values())
    refused = sum(not any(green_problems({name: found})) for name, found in proof.unearned.items())
    green = sum(not twin.fails for twin in twins.values())
    budgets = ", ".join(f"pace.{name} {most}" for name, most in remote_budgets().items())
    left = proof.survivors
    clauses = ((one, proof.killers(one.id)) for one in CATALOG.clauses.values() if one.can_fail)
    lines = (
        "| clause | level | killed mutants |",
        "|---|---|---|",
        *(
            f"| {one.id} | {one.level} | {len(names)}{': ' if names else ''}{', '.join(names)} |"
            for one, names in clauses
        ),
        "",
        (
            f"{killed} of {len(proof.mutants)} mutants killed; {clean} of {len(proof.variants)} variants and"
            " references without a fail"
        ),
        f"{refused} of {len(proof.unearned)} unearned servers without a green run",
        f"{green} of {len(twins)} references in the place of mutants without a fail",
        f"{alike} of {len(every)} ledgers hold what was judged",
        f"variants: {', '.join(f'{count} {verdict}' for verdict, count in sorted(verdicts.items()))}",
        "",
        f"With what is generated of a remote target ({budgets})",
        f"{len(proof.mutants) - len(left)} of {len(proof.mutants)} mutants killed, {len(left)} not",
        *(f"- {mutant.name} ({mutant.clause})" for mutant in left),
        "",
        "The proof holds." if proof.holds else f"The proof does not hold, for {len(proof.problems)} reasons:",
        *(f"- {problem}" for problem in proof.problems),
    )
    return "\n".join(lines) + "\n"
