import msgspec
import pytest

from ralph.config.schema import Role, Settings


def test_defaults_of_the_prompt_loop():
    settings = Settings()
    assert settings.maximum_iterations == 10
    assert settings.completion_response == "DONE"
    assert settings.output_truncate_chars == 5000
    assert settings.stream_agent_output is True
    assert settings.include_iteration_count_in_prompt is False
    assert (settings.agent.command, settings.agent.flags) == (None, [])
    assert settings.guardrails == []
    assert settings.scm is None


def test_defaults_of_the_limits():
    settings = Settings()
    assert (settings.timeouts.agent, settings.timeouts.guardrail, settings.timeouts.idle) == (None, 1800, 1800)
    assert (settings.budget.usd, settings.budget.tokens, settings.budget.seconds) == (None, None, None)
    assert (settings.quota.initial_wait, settings.quota.max_wait) == (60, 3600)
    assert settings.env.inherit == "all"
    assert settings.supervise.done_grace == 300
    assert settings.tamper == "block"


def test_defaults_of_specs_and_stories():
    settings = Settings()
    assert settings.defaults.max_iterations == 5
    assert settings.verification.enabled is True
    assert (settings.review.on_revise, settings.review.final_rounds) == ("discard", 2)
    assert settings.spec.on_failure == "continue"
    assert (settings.review_cap, settings.skip_review, settings.sandbox) == (5, False, None)


def test_defaults_of_the_stage_loops():
    settings = Settings()
    assert settings.ralph.enabled is True
    assert settings.ralph.default_max_iterations == 10
    assert settings.ralph.default_verification == "string_match"
    assert settings.pipeline == ["coder", "reviewer", "tester", "qa"]
    assert settings.roles == {
        "coder": Role(promise="IMPLEMENTATION_COMPLETE", max_iterations=15, verification="external"),
        "reviewer": Role(promise="REVIEW_PASSED", max_iterations=5, verification="semantic"),
        "tester": Role(promise="TESTS_PASSED", max_iterations=10, verification="external"),
        "qa": Role(promise="QA_PASSED", max_iterations=5, verification="multi_stage"),
    }


def test_settings_cannot_be_changed_after_loading():
    with pytest.raises(AttributeError):
        Settings().maximum_iterations = 3


def test_two_settings_share_no_list():
    one, other = Settings(), Settings()
    one.rules.append("mine")
    one.roles["new"] = Role()
    assert other.rules == []
    assert "new" not in other.roles


def test_settings_can_be_stored_as_json():
    assert b'"guardrail":1800.0' in msgspec.json.encode(Settings())


def test_the_configuration_of_a_spec_run_in_yaml_loads(project):
    project.write(
        "config.yaml",
        """
        tools:
          executors:
            - id: opencode
              name: "OpenCode (GLM 4.7)"
              type: opencode
              endpoint: "http://localhost:4096"
            - id: claude-code
              name: "Claude Code"
              type: claude-code
              command: "claude"
          planners:
            - id: opus
              name: "Claude Opus"
              model: "claude-opus-4-5-20251101"
          reviewers:
            - id: sonnet-quick
              name: "Sonnet (Quick)"
              model: "claude-sonnet-4-5-20250929"
              checks: ["syntax", "types", "obvious_bugs"]
            - id: opus-thorough
              model: "claude-opus-4-5-20251101"
        defaults:
          executor: opencode
          planner: opus
          quickReviewer: sonnet-quick
          finalReviewer: opus-thorough
          maxIterations: 5
        rules:
          - "Use pnpm, never npm or yarn"
        verification:
          enabled: true
          steps:
            - name: "Type Check"
              command: "pnpm tsc --noEmit"
              required: true
            - name: "Lint"
              command: "pnpm lint"
              required: false
        """,
    )
    settings = project.load().settings
    assert [executor.id for executor in settings.tools.executors] == ["opencode", "claude-code"]
    assert settings.tools.executors[0].endpoint == "http://localhost:4096"
    assert settings.tools.reviewers[0].checks == ["syntax", "types", "obvious_bugs"]
    assert settings.defaults.quick_reviewer == "sonnet-quick"
    assert [step.required for step in settings.verification.steps] == [True, False]


def test_project_config_overrides_global(project):
    project.write_home("defaults: {executor: opencode, maxIterations: 3}\nrules: [global]")
    project.write("config.yaml", "defaults: {executor: claude-code}\nrules: [project]")
    settings = project.load().settings
    assert (settings.defaults.executor, settings.defaults.max_iterations) == ("claude-code", 3)
    assert settings.rules == ["project"]


def test_spec_config_overrides_project(project):
    project.write("config.yaml", "defaults: {executor: claude-code, maxIterations: 3}")
    loaded = project.load(spec={"defaults": {"executor": "opencode"}})
    assert (loaded.settings.defaults.executor, loaded.settings.defaults.max_iterations) == ("opencode", 3)
    assert loaded.origins["defaults.executor"] == "spec"
