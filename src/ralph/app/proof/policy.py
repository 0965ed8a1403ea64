"""The checks that the settings require: guardrails, verification steps, commands of roles."""

from collections.abc import Iterable

from ralph.app.tasks.roles import role_defaults
from ralph.app.tasks.steps import check_of, shared_parts
from ralph.config.schema import Settings
from ralph.kernel.completion import default_criteria, verification_of
from ralph.kernel.recipes.verify import WantedCheck
from ralph.kernel.shared_checks import only_shared
from ralph.model.tasks import Task
from ralph.model.verification import BadVerification, External, MultiStage, Performed, Verification, read_verification

GUARDRAILS, STEPS, SHARED = "guardrails", "verification", "task"


def configured_checks(settings: Settings) -> tuple[WantedCheck, ...]:
    """Each command once. Guardrails with side effects are left out: they do not run on clean checkouts."""
    found = [*_guardrails(settings), *_steps(settings), *_roles(settings)]
    return tuple({_command(each): each for each in reversed(found)}.values())[::-1]


def checks_of_task(settings: Settings, task: Task) -> tuple[WantedCheck, ...]:
    """The checks of a task that programs can judge: those for every task, and those that verify its stages."""
    spec, roles = task.completion_spec, role_defaults(settings)
    judged = spec.judged if spec else ()
    shared = only_shared(shared_parts(settings, spec))
    found = _performed(SHARED, shared) if shared else []
    for name in settings.pipeline:
        own = spec.roles.get(name) if spec else None
        if own is None and name not in roles:
            continue
        criteria = own or default_criteria(name, roles[name], task.title, spec)
        found += _performed(name, verification_of(criteria, judged))
    return tuple(found)


def _guardrails(settings: Settings) -> Iterable[WantedCheck]:
    limit = settings.timeouts.guardrail or 0.0
    for each in settings.guardrails:
        if each.proof:
            check = External(each.command, timeout=limit, baseline=each.baseline, red=each.red, canary=each.canary)
            yield WantedCheck(check.label, check, group=GUARDRAILS)


def _steps(settings: Settings) -> Iterable[WantedCheck]:
    limit = settings.timeouts.guardrail or 0.0
    for step in settings.verification.steps if settings.verification.enabled else ():
        yield WantedCheck(step.name, check_of(step, limit), step.required, STEPS)


def _roles(settings: Settings) -> Iterable[WantedCheck]:
    for name in settings.pipeline:
        role = settings.roles.get(name)
        if role and role.verification_config:
            method = role.verification or settings.ralph.default_verification
            try:
                yield from _performed(name, read_verification(method, role.verification_config))
            except BadVerification:
                continue


def _performed(role: str, check: Verification) -> list[WantedCheck]:
    if isinstance(check, Performed):
        return [WantedCheck(f"{role}: {check.label}", check, group=role)]
    parts = check.stages if isinstance(check, MultiStage) else ()
    return [
        WantedCheck(f"{role}: {part.name}", part.check, part.required, role)
        for part in parts
        if isinstance(part.check, Performed)
    ]


def _command(each: WantedCheck) -> str:
    return each.check.command if isinstance(each.check, External) else each.name
