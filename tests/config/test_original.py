"""Settings that the original program wrote."""

import pytest


def test_settings_written_by_the_original_load(project):
    project.settings(
        {
            "$schema": "https://example.org/settings.schema.json",
            "agent": {"command": "claude", "flags": None},
            "guardrails": None,
            "scm": None,
        }
    )
    settings = project.load().settings
    assert (settings.agent.flags, settings.guardrails, settings.scm) == ([], [], None)


@pytest.mark.parametrize("word", ["append", "Append", "APPEND"])
def test_fail_action_and_scm_tasks_are_read_in_any_letter_case(project, word):
    rail = {"command": "make test", "failAction": word}
    project.settings({"guardrails": [rail], "scm": {"tasks": ["COMMIT", "Push", "tag V1"]}})
    settings = project.load().settings
    assert settings.guardrails[0].fail_action == "APPEND"
    assert settings.scm.tasks == ["commit", "push", "tag V1"]


def test_a_wrong_fail_action_is_still_refused(project):
    project.settings({"guardrails": [{"command": "make test", "failAction": "behind"}]})
    assert "failAction" in project.error()
