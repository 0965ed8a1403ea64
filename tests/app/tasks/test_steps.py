from ralph.app.tasks.steps import shared_parts
from ralph.config.schema import apply_schema
from ralph.model.tasks import Criterion, TaskCompletionSpec
from ralph.model.verification import External, Part

STEPS = [{"name": "Types", "command": "make types"}, {"name": "Lint", "command": "make lint", "required": False}]
DONE = TaskCompletionSpec("o", (Criterion("check", "it builds", command="make"),))
BUILDS = Part("it builds", External("make", timeout=60, covers=(1,)))


def parts(done=DONE, **verification):
    return shared_parts(apply_schema({"timeouts": {"guardrail": 60}, "verification": verification}), done)


def test_steps_of_the_settings_come_before_commands_of_the_task():
    steps = [STEPS[0], {**STEPS[1], "parallel": True}]
    assert parts(steps=steps) == (
        Part("Types", External("make types", timeout=60)),
        Part("Lint", External("make lint", timeout=60), required=False, parallel=True),
        BUILDS,
    )
    assert [part.name for part in parts(None, steps=STEPS)] == ["Types", "Lint"]


def test_a_step_says_how_it_is_judged():
    judged = {"baseline": "relative", "red": True, "canary": False, "proof": False}
    [part] = parts(None, steps=[{**STEPS[0], **judged}])
    assert part.check == External("make types", timeout=60, **judged)


def test_steps_that_are_switched_off_are_skipped_and_criteria_never():
    assert parts(enabled=False, steps=STEPS) == (BUILDS,)


def test_without_a_time_limit_commands_have_none():
    settings = apply_schema({"timeouts": {"guardrail": "off"}, "verification": {"steps": STEPS}})
    assert {part.check.timeout for part in shared_parts(settings, DONE)} == {0.0}
