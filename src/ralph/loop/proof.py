"""Performing the actions of a proof: compose trees, try checks on them, and decide over the trials."""

import asyncio
import secrets
import tempfile
from collections.abc import Sequence
from hashlib import file_digest
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ralph.checks.external import run_external
from ralph.checks.proof.canary import Canary, canary, complaint
from ralph.checks.proof.compiled import without_harmless
from ralph.checks.proof.composition import compose
from ralph.checks.proof.decide import Facts, decide, flaky_tests, only_fails_as_before
from ralph.checks.proof.expectations import changed_expectations
from ralph.checks.proof.inventory import breaks, collected, prepared
from ralph.checks.proof.judge_files import is_judge, is_shared, is_test
from ralph.checks.proof.path_globs import matcher
from ralph.checks.proof.programs import programs_of, replaced
from ralph.checks.proof.scripts import named_files
from ralph.checks.proof.tamper import renamed_tests, tampering
from ralph.checks.proof.unasked import without_asking
from ralph.checks.proof.undelivered import links_elsewhere, not_committed
from ralph.config.project import repository_above
from ralph.git.checkout import look_if_any, look_unless_refused
from ralph.git.hidden import hidden_work
from ralph.git.protected import put_back
from ralph.git.rules import record_rules
from ralph.git.tips import keep_start, moved_from
from ralph.git.trees import changed_paths, compose_tree, read_tree, renames
from ralph.git.verification import put_away_all
from ralph.kernel.actions.proof import (
    CanaryTrees,
    ComposeCanary,
    Composed,
    ComposeTrees,
    ConfirmTip,
    Excused,
    ExcuseFailure,
    Judged,
    JudgeTrials,
    Restored,
    RestoreProtected,
    Snapshot,
    TakeSnapshot,
    TipSeen,
    TrialRef,
    Tried,
    TryCheck,
    counted,
)
from ralph.loop.context import Attempt
from ralph.loop.shared_evidence import shared_by
from ralph.loop.tasks import keep_linked
from ralph.loop.verifying import trees_of, verifier
from ralph.model.errors import StateError
from ralph.model.evidence import Evidence
from ralph.model.proof import Change, Inventory, Trial, TrialName, TrialSeen
from ralph.model.runs import family
from ralph.store.evidence import check_digest, find_trial, keep_trial
from ralph.workbench.bench import Workbench

SHOWN = 5


async def take_snapshot(action: TakeSnapshot, attempt: Attempt) -> Snapshot:
    """Take the snapshot. Without git, no process is started."""
    project = attempt.run.project
    if not repository_above(project):
        return Snapshot(why_none=f"{project} is not a git repository")
    repository = attempt.repository()
    look = look_unless_refused if action.commands else look_if_any
    if not action.base and await look(repository.git) is None:
        # A folder that is only named .git, here or above, does not make a repository.
        return Snapshot(why_none=f"{project} is not a git repository")
    if action.base:
        now = await repository.take_snapshot(action.git)
        found = await hidden_work(repository, action.base, rules=action.git, head=now.tree, uncovered=now.uncovered)
        if action.commits:
            checked, committed = await read_tree(repository, now.tree), await read_tree(repository, "HEAD")
            found += not_committed(checked, committed, await changed_paths(repository, action.base, now.tree))
        return Snapshot(now.tree, findings=tuple(found))
    await put_away_all(repository, project)
    tree = await repository.snapshot()
    await keep_start(repository, tree)
    programs = programs_of(action.commands, attempt.bench.env)
    return Snapshot(tree, programs=programs, git=replace(await record_rules(repository, tree), prepares_on=tree))


async def compose_trees(action: ComposeTrees, attempt: Attempt) -> Composed:
    repository = attempt.repository(attempt.run.project)
    base_tree, tree = await trees_of(repository, action.base, action.commit)
    base, head = await read_tree(repository, base_tree), await read_tree(repository, tree)
    changed = await changed_paths(repository, base_tree, tree)
    # A file that is gone may be there under another name.
    has_gone = any(path not in head.entries for path in changed)
    moved = await renames(repository, base_tree, tree) if has_gone else {}
    rules = action.rules
    composition = await compose(
        base, head, command=action.command, may_change=rules.may_change, protected=rules.protected, renames=moved
    )
    may_change = matcher(rules.may_change)
    found = await tampering(
        base,
        head,
        changed=changed,
        renames=moved,
        may_change=may_change,
        is_test=lambda path: is_test(path) or path in composition.named_tests,
        is_judge=lambda path: is_judge(path) or path in composition.scripts,
    )
    now = programs_of((action.command,), attempt.bench.env)
    found = [*await without_harmless(found, head), *await links_elsewhere(head, changed)]
    with_base_judges = await compose_tree(repository, tree, composition.with_base_judges)
    # Trials show what judges do to a check; this shows what the other files do to it.
    held = await read_tree(repository, with_base_judges) if with_base_judges != tree else head
    judging = {path for path in (*composition.judges, *composition.tests) if not is_shared(path)}
    products = [path for path in changed if path not in judging and not may_change(path)]
    found += await changed_expectations(base, held, products, composition.scripts)
    unasked = await without_asking(head, found)
    shims = replaced(action.programs, now, (attempt.run.project,)) if action.programs else []
    return Composed(
        base=base_tree,
        commit=tree,
        with_base_judges=with_base_judges,
        with_change_judges=await compose_tree(repository, base_tree, composition.base_with_change),
        judges=composition.judges,
        tests=composition.tests,
        renamed=renamed_tests(found),
        findings=tuple(each for each in (*found, *shims) if each.level != "note"),
        unasked=await compose_tree(repository, tree, unasked) if unasked else "",
        hides_files=any(Path(path).name == ".gitignore" for path in changed),
        only_adds_tests=not composition.judges and not any(path in base.entries for path in composition.tests),
    )


async def try_check(action: TryCheck, attempt: Attempt) -> Tried:
    run = attempt.run
    [tree] = await trees_of(attempt.repository(run.project), action.tree)
    digest = _digest(action, attempt)
    known = find_trial(run.store, run.project_id, tree, digest)
    if known and _still_counts(known, action, attempt):
        return _tried(known, tree, digest, cached=True)
    trial = await _trial(action, tree, attempt)
    keep_trial(run.store, run.project_id, tree, digest, trial)
    return _tried(trial, tree, digest)


def _still_counts(known: Trial, action: TryCheck, attempt: Attempt) -> bool:
    """Whether a known trial counts. A failure may have had a reason that is gone: another run, and each claim, tries
    again.
    """
    return known.passed or (action.trial != "commit" and known.made_by == family(attempt.run.run_id)[-1])


async def _trial(action: TryCheck, tree: str, attempt: Attempt) -> Trial:
    """The trial of the unchanged check, in an environment that makes test runners report what they ran."""
    place = await verifier(attempt, action.git)
    async with place.at(tree) as folder:
        bench = attempt.bench.at(folder)
        for number, before in enumerate(action.before, start=1):
            await run_external(before, bench.logging_to(_log(action, attempt, f"-before-{number}")))
        if action.before:
            await place.worktree.at(tree, keep_ignored=True)
        seen, inventory = await _taken(action, bench.logging_to(_log(action, attempt)), place.worktree.path)
        wrote = await place.worktree.differs(tree)
        rewrote = await _rewritten_judges(wrote, tree, attempt)
    return Trial(
        passed=seen.passed,
        reason=seen.reason,
        exit_code=seen.exit_code,
        duration=seen.duration,
        output=seen.output,
        output_end=seen.output_end,
        log=attempt.run.state.relative(Path(seen.log)) if seen.log else "",
        wrote=tuple(wrote[:SHOWN]),
        rewrote=tuple(rewrote[:SHOWN]),
        made_by=family(attempt.run.run_id)[-1],
        inventory=inventory,
        output_digest=await asyncio.to_thread(_file_digest, Path(seen.log)) if seen.log else "",
    )


async def _taken(action: TryCheck, bench: Workbench, top: Path) -> tuple[Evidence, Inventory]:
    """How the check ended, and the tests that it ran. If the reporting breaks a runner, it runs without."""
    without: frozenset[str] = frozenset()
    while True:
        with tempfile.TemporaryDirectory(prefix="ralph-tests-") as directory:
            reports = Path(directory)
            env = await asyncio.to_thread(prepared, bench.env, reports, worktree=top, without=without)
            seen = await run_external(action.check, replace(bench, env=env))
            broken = await asyncio.to_thread(breaks, bench.log, seen.exit_code, without=without)
            if not broken:
                return seen, await asyncio.to_thread(collected, reports, bench.log, top, without=without)
        without, bench = broken, bench.logging_to(bench.log.with_suffix(f".{len(broken) + 1}.log"))


async def _rewritten_judges(wrote: Sequence[str], tree: str, attempt: Attempt) -> list[str]:
    """The tests and judges of the tree among the files that a check wrote; new files are not among them."""
    judging = [path for path in wrote if is_test(path) or is_judge(path)]
    if not judging:
        return []
    known = await read_tree(attempt.repository(attempt.run.project), tree)
    return [path for path in judging if path in known.entries]


def _file_digest(log: Path) -> str:
    """The digest of the log; empty if somebody removed it."""
    try:
        with log.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _log(action: TryCheck, attempt: Attempt, more: str = "") -> Path:
    return attempt.log(f"{action.name}{more}", "verify", action.iteration)


async def excuse_failure(action: ExcuseFailure, attempt: Attempt) -> Excused:
    """Whether a failure counts: it does, unless all failing tests are flaky at the base, or failed there and may still
    fail.
    """
    commit = _load(action.commit, attempt).inventory
    looks = [_load(each, attempt).inventory for each in action.base]
    flaky = flaky_tests(looks)
    failing = {each for each, outcome in commit.tests.items() if outcome == "failed"}
    if action.baseline == "relative" and only_fails_as_before(commit, looks[0], besides=flaky):
        return Excused()
    if failing and failing <= flaky.keys() and commit.ended:
        return Excused()
    names = ", ".join(_to_blame(failing - flaky.keys(), looks[0], action)[:SHOWN])
    words = f"{action.reason}: {names}" if names else action.reason
    known = looks[0].tests.keys()
    return Excused(f"{words} (on a clean checkout of the work)", is_suspect=bool(failing & known))


def _to_blame(failing: set[str], base: Inventory, action: ExcuseFailure) -> list[str]:
    """The tests that make a failure count. With a relative baseline, those that failed before are left out if others
    fail.
    """
    new = {each for each in failing if base.tests.get(each) != "failed"}
    return sorted(new if new and action.baseline == "relative" else failing)


async def compose_canary(action: ComposeCanary, attempt: Attempt) -> CanaryTrees:
    repository = attempt.repository(attempt.run.project)
    composed = action.composed
    tree = await read_tree(repository, composed.with_base_judges)
    seen = _load(action.base, attempt).inventory.tests if action.base else {}
    named = await named_files(action.check.command, tree)
    made = await canary(
        tree,
        red={each for each, outcome in seen.items() if outcome == "failed"},
        tests=[path for path in tree.entries if is_test(path) or path in named.tests],
        scripts=named.scripts,
        word=secrets.token_hex(4),
        seen=seen,
        command=action.check.command,
    )
    if not made.changes:
        return CanaryTrees(left_out=made.left_out)
    own = ""
    if composed.judges:
        head = await read_tree(repository, composed.commit)
        same = {path: new for path, new in made.changes.items() if head.entries.get(path) == tree.entries.get(path)}
        own = await compose_tree(repository, composed.commit, same) if same else ""
    return CanaryTrees(
        tree=await compose_tree(repository, composed.with_base_judges, made.changes),
        own=own,
        must_fail=made.must_fail,
        exit_only=made.exit_only,
        word=made.word,
    )


async def judge_trials(action: JudgeTrials, attempt: Attempt) -> Judged:
    composed = action.composed
    trials: dict[TrialName, Trial] = {each.trial: _load(each, attempt) for each in action.trials}
    looks = [_load(each, attempt).inventory for each in action.looks]
    facts = Facts(
        change=Change(
            composed.judges,
            composed.tests,
            dict(composed.renamed),
            composed.findings,
            composed.is_empty,
            composed.only_adds_tests,
        ),
        trials=trials,
        canary=_complaint(action.canary, trials.get("canary")),
        own_canary=_complaint(action.canary, trials.get("own-canary")),
        flaky=flaky_tests(looks),
        relative=action.baseline == "relative",
        red=action.red,
        is_allowed=matcher(action.rules.may_change),
    )
    findings = decide(facts)
    if action.rules.tamper == "warn":
        findings = tuple(replace(each, level="warn") for each in findings)
    seen = tuple(_seen(each, trials[each.trial]) for each in action.trials)
    return Judged(findings, tuple(sorted(facts.flaky)), action.left_out, trials=seen)


async def confirm_tip(action: ConfirmTip, attempt: Attempt) -> TipSeen:
    return TipSeen(await moved_from(attempt.repository(), action.commit, action.branch))


async def restore_protected(action: RestoreProtected, attempt: Attempt) -> Restored:
    await keep_linked(attempt)
    kept = attempt.directory() / "protected"
    names = await put_back(attempt.repository(), action.base, matcher(action.patterns), kept, rules=action.git)
    return Restored(tuple(names), attempt.run.state.relative(kept) if names else "")


def _digest(action: TryCheck, attempt: Attempt) -> str:
    """The digest of everything besides the tree that a trial's result depends on."""
    settings = attempt.run.settings.worktree
    prepared_by = msgspec.json.encode([settings.init, settings.copy])
    checks = msgspec.json.encode([action.check, action.before])
    shared = shared_by(attempt, [each.command for each in (action.check, *action.before)])
    return check_digest(b"trial", checks, prepared_by, str(action.number).encode(), action.fresh.encode(), shared)


def _load(ref: TrialRef, attempt: Attempt) -> Trial:
    run = attempt.run
    trial = find_trial(run.store, run.project_id, ref.tree, ref.digest)
    if trial is None:
        raise StateError(f"the record of the trial on {ref.tree} is gone from the store.", "Start the run again.")
    return trial


def _tried(trial: Trial, tree: str, digest: str, *, cached: bool = False) -> Tried:
    tests, failed = counted(trial.inventory)
    return Tried(
        passed=trial.passed,
        reason=trial.reason,
        exit_code=trial.exit_code,
        duration=0.0 if cached else trial.duration,
        log=trial.log,
        output=trial.output,
        output_end=trial.output_end,
        runners=trial.inventory.runners,
        tests=tests,
        failed=failed,
        skipped=_skipped(trial),
        ended=trial.inventory.ended,
        tree=tree,
        digest=digest,
        wrote=trial.wrote,
        cached=cached,
    )


def _seen(ref: TrialRef, trial: Trial) -> TrialSeen:
    tests, failed = counted(trial.inventory)
    return TrialSeen(ref.trial, ref.tree, trial.passed, trial.exit_code, tests, failed, _skipped(trial))


def _skipped(trial: Trial) -> int:
    return list(trial.inventory.tests.values()).count("skipped")


def _complaint(trees: CanaryTrees, trial: Trial | None) -> str:
    if trial is None:
        return ""
    made = Canary(must_fail=trees.must_fail, exit_only=trees.exit_only, word=trees.word)
    return complaint(made, passed=trial.passed, tests=trial.inventory.tests)
