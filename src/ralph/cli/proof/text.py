"""The record of a proof as text."""

from collections.abc import Iterator

from ralph.app.proof.records import Found
from ralph.checks.proof.record import CheckRecord
from ralph.kernel.actions.proof import TITLES, told
from ralph.model.proof import TrialSeen
from ralph.model.verdicts import PROOF_WORDS
from ralph.model.words import count

SHORT = 12


def record_text(found: Found) -> Iterator[str]:
    record, predicate = found.record, found.record.predicate
    what = f"commit {record.subject.commit[:SHORT]}" if record.subject.commit else f"tree {record.subject.tree[:SHORT]}"
    of = f" (task {predicate.task})" if predicate.task else ""
    yield f"{what}{of}: {PROOF_WORDS[predicate.proof].replace('{after}', '')}"
    where = predicate.environment
    signed = "signed" if found.statements.is_signed else "not signed"
    facts = [
        f"the work started from {predicate.base[:SHORT]}",
        record.verified_at,
        f"ralph {where.ralph}",
        where.platform,
    ]
    yield f"  {' · '.join([*facts, *([f'image {where.image}'] if where.image else [])])}"
    yield f"  {found.where} · {signed}"
    yield from (f"  ! {each}" for each in predicate.doubts)
    for number, each in enumerate(predicate.criteria, start=1):
        yield f"  criterion {number}: {each.criterion}"
        yield from (f"    shown by {name}" for name in each.checks)
        yield from (f"    {_mark(said.passed)} judged by a model ({said.role}): {said.reason}" for said in each.judged)
        if not each.checks and not each.judged:
            yield "    no single check shows it"
    for check in predicate.checks:
        yield from _check_text(check)
    yield from (f"  {name}: {version}" for name, version in where.programs.items())


def _check_text(check: CheckRecord) -> Iterator[str]:
    yield f"{_mark(check.passed)} {check.name}: {check.reason}"
    yield f"    {check.check.label}"
    for trial in check.trials:
        yield f"    {TITLES[trial.trial]}: {_trial_text(trial)} ({trial.tree[:SHORT]})"
    for each in check.findings:
        yield f"    {'✗' if each.level == 'block' else '!'} {told(each)}"
        if each.shown:
            yield f"      {each.shown}"
    yield from (f"    not tried: {each}" for each in check.left_out)
    yield from (f"    flaky at the base, so it decided nothing: {each}" for each in check.flaky)


def _trial_text(trial: TrialSeen) -> str:
    tests = f", {count(trial.tests, 'test')}" if trial.tests else ""
    failed = f", {trial.failed} failed" if trial.failed else ""
    return f"{'passes' if trial.passed else 'fails'}{tests}{failed}"


def _mark(passed: bool) -> str:
    return "✓" if passed else "✗"
