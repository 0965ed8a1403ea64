"""Settings that fit the schema, and whose parts do not fit together."""

import pytest

from ralph.app.usable import refuse_unusable
from ralph.config.schema import apply_schema
from ralph.model.errors import ConfigError

REVIEWER = {"tools": {"reviewers": [{"id": "mine", "command": "review"}]}}


def refusal(settings):
    with pytest.raises(ConfigError) as refused:
        refuse_unusable(apply_schema(settings))
    return str(refused.value)


@pytest.mark.parametrize("tier", ["quickReviewer", "deepReviewer", "finalReviewer"])
def test_a_reviewer_that_nobody_knows_is_refused(tier):
    told = refusal({**REVIEWER, "defaults": {tier: "yours"}})
    assert told == (
        f"defaults.{tier} names 'yours', which is not a reviewer of tools.reviewers. "
        "Known: mine, quick, deep, final, none"
    )


@pytest.mark.parametrize("name", ["mine", "quick", "deep", "final", "none"])
def test_a_reviewer_of_the_settings_a_built_in_one_and_nobody_can_be_chosen(name):
    refuse_unusable(apply_schema({**REVIEWER, "defaults": {"deepReviewer": name}}))


def test_a_planner_that_nobody_knows_is_refused():
    told = refusal({"tools": {"planners": [{"id": "opus"}]}, "defaults": {"planner": "sonnet"}})
    assert told == "defaults.planner names 'sonnet', which is not a planner of tools.planners. Known: opus"
    assert refusal({"defaults": {"planner": "sonnet"}}).endswith("Known: none")


def test_an_executor_of_an_unknown_type_is_named():
    told = refusal({"tools": {"executors": [{"id": "mine", "type": "claud"}]}})
    assert told.startswith("the executor 'mine': there is no agent of the type 'claud'. Did you mean claude?")


@pytest.mark.parametrize(
    ("executor", "told"),
    [
        ({"type": "goose", "endpoint": "http://localhost:1"}, "the agent goose takes no endpoint."),
        (
            {"type": "opencode", "endpoint": "localhost:4096"},
            "the endpoint 'localhost:4096' is not the address of a server.",
        ),
        (
            {"type": "opencode", "endpoint": "http://x:1", "flags": ["--yolo"]},
            "an OpenCode server takes no flag '--yolo'.",
        ),
        ({"type": "acp", "command": "mine", "flags": ["--permissions=maybe"]}, "--permissions=maybe is not a policy"),
    ],
)
def test_an_executor_that_no_run_could_use_is_named(executor, told):
    assert refusal({"tools": {"executors": [{"id": "mine", **executor}]}}).startswith(f"the executor 'mine': {told}")


def test_whether_a_program_or_a_server_is_there_is_not_asked():
    served = {"id": "served", "type": "opencode", "endpoint": "http://127.0.0.1:1"}
    refuse_unusable(apply_schema({"tools": {"executors": [served, {"id": "none", "command": "/no/such/program"}]}}))


@pytest.mark.parametrize(
    ("pipeline", "told"),
    [
        (["coder", "codr"], "pipeline names the role 'codr', which is not in roles."),
        (["coder", "coder"], "pipeline names the role 'coder' twice."),
        ([], "pipeline is empty."),
    ],
)
def test_a_pipeline_that_cannot_run_is_refused(pipeline, told):
    assert refusal({"pipeline": pipeline}).startswith(told)


def test_defaults_are_usable():
    refuse_unusable(apply_schema({}))
