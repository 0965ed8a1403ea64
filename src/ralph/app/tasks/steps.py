"""The verification steps of the settings and the commands among a task's criteria."""

from ralph.config.schema import Settings, VerificationStep
from ralph.kernel.shared_checks import criteria_checks
from ralph.model.tasks import TaskCompletionSpec
from ralph.model.verification import External, Part


def shared_parts(settings: Settings, done: TaskCompletionSpec | None) -> tuple[Part, ...]:
    """The checks that run for every task: in a chunk after each commit, in a pipeline with every stage's
    verification.
    """
    limit = settings.timeouts.guardrail or 0.0
    steps = settings.verification.steps if settings.verification.enabled else ()
    return (
        *(Part(step.name, check_of(step, limit), step.required, parallel=step.parallel) for step in steps),
        *criteria_checks(done, limit),
    )


def check_of(step: VerificationStep, limit: float) -> External:
    return External(
        step.command,
        timeout=limit,
        baseline=step.baseline,
        red=step.red,
        canary=step.canary,
        proof=step.proof,
    )
