"""Whether a record matches the commit, itself, and the checks that the verifier's own settings require."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from ralph.app.proof.policy import checks_of_task, configured_checks
from ralph.app.proof.records import DoesNotFit, Statements, read_statements
from ralph.app.proof.subjects import Subject, repository_at
from ralph.app.runs.proof_rules import proof_rules
from ralph.checks.proof.record import CheckRecord, Record
from ralph.checks.proof.signing import named_file, signer_of
from ralph.config.schema import Settings
from ralph.git.repository import Repository
from ralph.git.subjects import is_shallow, parent_of
from ralph.kernel.actions.checks import Rules
from ralph.kernel.actions.proof import TITLES, told
from ralph.kernel.recipes.verify import WantedCheck
from ralph.model.errors import ConfigError
from ralph.model.verification import External
from ralph.workbench.bench import Workbench

UNSHALLOW = "Fetch the history: git fetch --unshallow"
LOOK = "Compare it with where it was made: ralph proof show"
SHORT = 12
SHOWN = 5


class Fitting(NamedTuple):
    """A consistent record, and what must run to see that it is true."""

    record: Record
    base: str
    checks: tuple[WantedCheck, ...]
    rules: Rules
    signers: tuple[str, ...]
    unlisted: tuple[str, ...]
    """Commands that the verifier's settings do not have, and files that they do not allow to change."""


async def fitting(settings: Settings, project: Path, subject: Subject, statements: Statements) -> Fitting:
    signers = await _signers(settings, project, statements)
    record = read_statements(statements)
    repository = repository_at(project)
    await _require_subject(repository, record, subject)
    base = await _base(repository, record, subject)
    known = _known(settings, subject)
    _require_policy(_policy(settings, subject), record.predicate.checks)
    rules = proof_rules(settings, subject.task.may_change if subject.task else ())
    more = tuple(each for each in _texts(record.predicate.rules.get("mayChange")) if each not in rules.may_change)
    return Fitting(
        record,
        base,
        tuple(_wanted(each, known) for each in record.predicate.checks),
        replace(rules, may_change=(*rules.may_change, *more)),
        signers,
        (*_unknown(record.predicate.checks, known), *(f"mayChange: {each}" for each in more)),
    )


async def _signers(settings: Settings, project: Path, statements: Statements) -> tuple[str, ...]:
    allowed = _allowed_signers(settings, project)
    if not allowed:
        return ()
    bench = Workbench(project, os.environ, "look")
    found: list[str] = []
    for payload, envelope in zip(statements.payloads, statements.envelopes, strict=True):
        name = await signer_of(payload, envelope, allowed, bench) if envelope else ""
        if not name:
            how = "is signed by nobody in" if envelope else "is not signed, as it has to be by"
            raise DoesNotFit(f"a statement of the record {how} {allowed}.", LOOK)
        found.append(name)
    return tuple(dict.fromkeys(found))


def _allowed_signers(settings: Settings, project: Path) -> Path | None:
    given = settings.proof.allowed_signers
    allowed = named_file(project, given) if given else None
    if allowed and not allowed.is_file():
        raise ConfigError(f"proof.allowedSigners names {allowed}, which is not a file.", "Write it, or unset it.")
    return allowed


async def _require_subject(repository: Repository, record: Record, subject: Subject) -> None:
    told = record.subject
    [tree] = await repository.resolve(f"{subject.commit}^{{tree}}")
    if told.commit and told.commit != subject.commit:
        raise DoesNotFit(f"the record is about {told.commit[:SHORT]}, not about {subject.commit[:SHORT]}.", LOOK)
    if told.tree != tree:
        raise DoesNotFit(f"the record is about the tree {told.tree[:SHORT]}, and the commit has {tree[:SHORT]}.", LOOK)
    for check in record.predicate.checks:
        for trial in check.trials:
            if trial.trial == "commit" and trial.tree != tree:
                raise DoesNotFit(f"{check.name} was tried on {trial.tree[:SHORT]}, which is another tree.", LOOK)


async def _base(repository: Repository, record: Record, subject: Subject) -> str:
    """Where the work began, according to the record; it must be a part of the commit's history."""
    told = record.predicate.base
    base = await repository.commit_at(told)
    if not base:
        if await is_shallow(repository):
            raise ConfigError(
                "this clone is shallow, and the commit that the work started from is not in it.", UNSHALLOW
            )
        return await parent_of(repository, subject.commit)
    if base == subject.commit or await repository.merge_base(base, subject.commit) != base:
        raise DoesNotFit(f"the work cannot have begun at {told[:SHORT]}: that is not before the commit.", LOOK)
    [tree] = await repository.resolve(f"{base}^{{tree}}")
    for check in record.predicate.checks:
        for trial in check.trials:
            if trial.trial == "base" and trial.tree != tree:
                raise DoesNotFit(f"{check.name} was tried on another base than {told[:SHORT]}.", LOOK)
    return base


def _known(settings: Settings, subject: Subject) -> dict[str, External]:
    """The commands in the verifier's own settings, or in the task of the verifier's own store."""
    wanted = (*configured_checks(settings), *(checks_of_task(settings, subject.task) if subject.task else ()))
    return {each.check.command: each.check for each in wanted if isinstance(each.check, External)}


def _policy(settings: Settings, subject: Subject) -> list[External]:
    """The checks that a record must have."""
    if settings.proof.require is not None:
        known = _known(settings, subject)
        return [known.get(command, External(command)) for command in settings.proof.require]
    wanted = checks_of_task(settings, subject.task) if subject.task else configured_checks(settings)
    return [each.check for each in wanted if each.required and isinstance(each.check, External)]


def _require_policy(policy: Sequence[External], checks: Sequence[CheckRecord]) -> None:
    by_command = {each.check.command: each for each in checks}
    for wanted in policy:
        seen = by_command.get(wanted.command)
        if seen is None:
            raise DoesNotFit(
                f'the settings here want the check "{wanted.label}", and the record does not have it.',
                "If the record does not need it, list the required checks: proof.require",
            )
        if not seen.passed:
            raise DoesNotFit(f'the record says itself that "{wanted.label}" failed.', LOOK)
    if not checks:
        raise DoesNotFit("the record has no check.", LOOK)


def _wanted(seen: CheckRecord, known: dict[str, External]) -> WantedCheck:
    """The check as the verifier defines it. A check that failed when it was recorded was not required."""
    own = known.get(seen.check.command)
    if own and _essence(own) != _essence(seen.check):
        raise DoesNotFit(f'the check "{own.label}" of the record is not judged as the settings here want it.', LOOK)
    return WantedCheck(seen.name, own or seen.check, required=seen.passed)


def _essence(check: External) -> External:
    """The deciding part of a check, without its time limit and the criteria that it covers."""
    return replace(check, timeout=0.0, covers=())


def _unknown(checks: Sequence[CheckRecord], known: dict[str, External]) -> list[str]:
    wanted = [check for each in checks for check in (*each.before, each.check)]
    return list(dict.fromkeys(each.command for each in wanted if each.command not in known))


def _texts(told: Any) -> list[str]:
    return [str(each) for each in cast("list[Any]", told)] if isinstance(told, list) else []


def differences(record: Record, now: Sequence[CheckRecord]) -> list[str]:
    """The differences between the current results and the recorded ones, in words."""
    seen = {(each.name, each.check.command): each for each in now}
    found: list[str] = []
    for then in record.predicate.checks:
        again = seen.get((then.name, then.check.command))
        if again is None:
            found.append(f"{then.name} did not run")
            continue
        if then.exit_code != again.exit_code:
            found.append(f"{then.name}: exit code {then.exit_code} was recorded, and it is {again.exit_code} now")
        found += _other_tests(then, again)
        found += _other_trials(then, again)
        found += _hidden_warnings(then, again)
    return found


def _other_tests(then: CheckRecord, now: CheckRecord) -> list[str]:
    """The tests with other outcomes, if a runner reported its tests. Flaky tests do not count."""
    if not then.tests and not now.tests:
        return []
    flaky = {*then.flaky, *now.flaky}
    names = sorted(({*then.tests, *now.tests}) - flaky)
    other = [name for name in names if then.tests.get(name) != now.tests.get(name)]
    words = [
        f"{name} was {then.tests.get(name, 'not there')} and is {now.tests.get(name, 'not there')}" for name in other
    ]
    return [f"{then.name}: {each}" for each in words[:SHOWN]]


def _other_trials(then: CheckRecord, now: CheckRecord) -> list[str]:
    """The trials with other results, among those that both runs made. A trial that only one of them had time for says
    nothing.
    """
    ends = {each.trial: each.passed for each in now.trials}
    other = [each for each in then.trials if ends.get(each.trial, each.passed) != each.passed]
    ended = {True: "passed", False: "failed"}
    return [f"{then.name}, {TITLES[each.trial]}: it {ended[each.passed]} then and not now" for each in other]


def _hidden_warnings(then: CheckRecord, now: CheckRecord) -> list[str]:
    known = {each.rule for each in then.findings}
    new = [each for each in now.findings if each.rule not in known]
    return [f"{then.name}: the record does not say that {told(each)}" for each in new[:SHOWN]]
