"""What the rows of a run and its parts say about the checks on one tree."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, field

from ralph.checks.proof.record import CheckRecord
from ralph.kernel.actions.proof import Excused, Judged, Tried, TryCheck
from ralph.model.evidence import Evidence
from ralph.model.proof import Trial
from ralph.model.rows import Row
from ralph.model.runs import name_of_part
from ralph.store.evidence import find_trial
from ralph.store.history import rows_of_parts
from ralph.store.sql import Store

WORK, NONE = "run-agent/", "none"
TRY, JUDGE, EXCUSE, VERIFY = "try-check", "judge-trials", "excuse-failure", "verify"


class _Sandboxed(Struct):
    """The part of an agent's report that names its sandbox."""

    sandbox: str = NONE


class _Group(Struct):
    """Everything that one run saw of one check in one iteration."""

    tries: list[tuple[TryCheck, Tried]] = field(default_factory=list[tuple[TryCheck, Tried]])
    judged: Judged = Judged()
    is_excused: bool = False

    def on_work(self) -> tuple[TryCheck, Tried] | None:
        """The trial on the work itself: the one that passes, if the check was repeated after others."""
        found = [each for each in self.tries if each[0].trial == "commit"]
        return next((each for each in found if each[1].passed), found[0] if found else None)


class ProofRows:
    """Each check once: its last result counts."""

    def __init__(self, store: Store, project: str, tree: str, rows: list[Row]) -> None:
        self._store = store
        self._project = project
        self._tree = tree
        self._rows = rows

    @classmethod
    def read(cls, store: Store, project: str, run_id: str, tree: str) -> "ProofRows":
        return cls(store, project, tree, rows_of_parts(store, run_id))

    def checks(self) -> tuple[CheckRecord, ...]:
        """The checks that were tried on that tree."""
        found: dict[tuple[str, bytes], CheckRecord] = {}
        for group in self._groups():
            seen = group.on_work()
            if seen and seen[1].tree == self._tree:
                key = seen[0].label, msgspec.json.encode(seen[0].check)
                found.pop(key, None)
                found[key] = self._record(group, *seen)
        return tuple(found.values())

    def agent_sandboxes(self) -> tuple[str, ...]:
        """How the working agents ran, without those for which nobody asked for a sandbox."""
        ends = (row.body for row in self._rows if row.what == "ended" and row.key.startswith(WORK))
        named = {msgspec.json.decode(body, type=_Sandboxed).sandbox for body in ends}
        return tuple(sorted(named - {NONE}))

    def judgements(self, criteria: tuple[str, ...]) -> dict[str, dict[str, Evidence]]:
        """The last answer of a model, by criterion and role."""
        found: dict[str, dict[str, Evidence]] = {}
        for row in self._rows:
            if row.what == "ended" and row.name.kind == VERIFY:
                for part in _within(msgspec.json.decode(row.body, type=Evidence)):
                    if part.check in criteria:
                        found.setdefault(part.check, {})[name_of_part(row.run_id)] = part
        return found

    def _groups(self) -> Iterator[_Group]:
        groups: dict[tuple[str, int, str], _Group] = {}
        begun: dict[tuple[str, str], TryCheck] = {}
        for row in self._rows:
            kind, iteration, name = row.name
            if row.what == "begun" and kind == TRY:
                begun[row.run_id, row.key] = _action(row.body)
            elif row.what == "ended" and kind == TRY and (action := begun.get((row.run_id, row.key))):
                group = groups.setdefault((row.run_id, iteration, action.slug), _Group())
                group.tries.append((action, msgspec.json.decode(row.body, type=Tried)))
            elif row.what == "ended" and kind == JUDGE and (group := groups.get((row.run_id, iteration, name))):
                group.judged = msgspec.json.decode(row.body, type=Judged)
            elif row.what == "ended" and kind == EXCUSE:
                slug = name.rpartition("-")[0]
                if group := groups.get((row.run_id, iteration, slug)):
                    group.is_excused = not msgspec.json.decode(row.body, type=Excused).problem
        yield from groups.values()

    def _record(self, group: _Group, action: TryCheck, tried: Tried) -> CheckRecord:
        trial = find_trial(self._store, self._project, tried.tree, tried.digest) or Trial(passed=tried.passed)
        judged = group.judged
        return CheckRecord(
            name=action.label,
            check=action.check,
            passed=(tried.passed or group.is_excused) and not judged.blocks,
            reason=tried.reason,
            exit_code=tried.exit_code,
            output_digest=trial.output_digest,
            before=action.before,
            runners=trial.inventory.runners,
            tests=dict(sorted(trial.inventory.tests.items())),
            flaky=judged.flaky,
            trials=judged.trials,
            findings=judged.findings,
            left_out=judged.left_out,
        )


def _action(body: bytes) -> TryCheck:
    """The stored action, with what readers are told in addition."""
    told: dict[str, Any] = msgspec.json.decode(body)
    return msgspec.convert(told, TryCheck)


def _within(seen: Evidence) -> Iterator[Evidence]:
    yield seen
    for part in seen.parts:
        yield from _within(part)
