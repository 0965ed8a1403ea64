"""From a task to the run of a pipeline: a stage for each role, and how each stage's promise is verified."""

from ralph.app.tasks.judges import require_judges
from ralph.app.tasks.roles import role_defaults
from ralph.app.tasks.steps import shared_parts
from ralph.app.tasks.told import told_of
from ralph.app.usable import pipeline_of
from ralph.config.schema import Settings
from ralph.kernel.completion import RoleDefaults, default_criteria, verification_of
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.role_text import instructions
from ralph.kernel.shared_checks import after_shared
from ralph.kernel.stage_text import Stage
from ralph.loop.kinds.stage import agent_of
from ralph.model.tasks import Task
from ralph.model.verification import StringMatch, Verification


def pipeline_run(task: Task, settings: Settings, base: str, *, fresh: bool) -> TaskRun:
    roles = role_defaults(settings)
    stages = tuple(_stage(name, roles[name], task, settings) for name in pipeline_of(settings))
    return TaskRun(stages=stages, base=base, fresh=fresh, **told_of(task, settings))


def _stage(name: str, role: RoleDefaults, task: Task, settings: Settings) -> Stage:
    is_loop = settings.ralph.enabled and settings.roles[name].loop
    agent = agent_of(settings, name)  # A missing agent is reported now, not in an hour.
    spec = task.completion_spec
    judged = spec.judged if spec else ()
    own = spec.roles.get(name) if spec else None
    criteria = own or default_criteria(name, role, task.title, spec)
    limit = criteria.max_iterations or task.max_iterations or role.max_iterations
    check: Verification = StringMatch()
    if is_loop:
        check = after_shared(shared_parts(settings, spec), verification_of(criteria, judged))
    trusts_promise = settings.ralph.on_judge_error == "string_match"
    if not trusts_promise:
        require_judges(settings, name, agent, check)
    return Stage(
        role=name,
        promise=criteria.promise,
        check=check,
        limit=limit if is_loop else 1,
        success=criteria.description,
        instructions=instructions(name, settings.roles[name].instructions),
        project_rules=tuple(settings.rules),
        trusts_promise=trusts_promise,
        is_loop=is_loop,
    )
