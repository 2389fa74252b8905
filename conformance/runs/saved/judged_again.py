"""Judges all cases of a session in this process, without pytest: of a saved run, or of a trial."""

from conformance.cases import check_of, each_case
from conformance.records.faults import Fault
from conformance.records.results import CaseResult, Omitted, Results
from conformance.runs.observed_run import ObservedRun
from reports.results.build import build_results
from reports.results.findings import apply_waivers


def judged_in(session: ObservedRun, *, certify: bool = False) -> Results:
    """Makes the exchanges of a session, unless it is of a saved run, and judges all its cases.

    With `certify`, the results say why a certificate is refused.
    """
    try:
        facts = session.facts()
        every = list(each_case(session.profile, session.level))
        cases = [case for case, omission in every if omission is None]
        session.select(cases)
        session.read()
        session.write()
        told = [session.judge(case, check_of(case)).result for case in cases]
        faults = [*session.finish(), *(Fault("leaked", leak) for leak in session.leaks())]
        ending = session.ending(facts, every)
    finally:
        session.close()
    ending = ending.without({one for one in told if isinstance(one, Omitted)})
    judged = (one for one in told if isinstance(one, CaseResult))
    cases, waivers = apply_waivers(judged, session.profile.waiver, ending)
    is_cut = not session.contents.complete
    return build_results(ending, cases, faults=faults, waivers=waivers, interrupted=is_cut, certify=certify)
