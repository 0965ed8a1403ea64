"""A pipeline beside what is run for every task: verification steps, typed criteria, and the rules of the project."""

import pytest

from task_crew import GOOD, promise

TESTED = promise("TESTED")


def steps(*commands, **more):
    return {"steps": [{"name": command, "command": command} for command in commands], **more}


def test_checks_and_steps_run_with_every_stage_and_rules_stand_in_its_prompt(crew):
    crew.hire(
        {"verification": steps("grep -q good work.txt"), "rules": ["Use pnpm, never npm or yarn"]},
        coder=[promise("MADE"), GOOD, promise("MADE", {"work.txt": "good\n", "built": ""})],
        tester=[TESTED],
    )
    criteria = ["it is good", {"check": "test -e built", "text": "it is built"}]
    only_a_promise = {"promise": "MADE", "verification_method": "string_match", "max_iterations": 4}
    crew.task(acceptance_criteria=criteria, coder=only_a_promise)
    ended = crew.run()
    assert ended.code == 0, ended.err
    first, second, third = crew.prompts("coder")
    assert "## Global Rules\n- Use pnpm, never npm or yarn\n" in first
    assert "- [ ] it is good\n- [ ] it is built" in first
    assert "multi_stage (grep -q good work.txt, it is built, promise)" in first
    assert "- grep -q good work.txt: " in second
    assert "it is built: " in third
    assert "grep -q" not in third.split("Verification failed:")[1]
    (tested,) = crew.prompts("tester")
    assert "multi_stage (grep -q good work.txt, it is built, promise)" in tested
    seen = {each["criterion"]: each for each in crew.json("task", "show", "T-1")["acceptanceCriteria"]}
    assert (seen["it is built"]["kind"], seen["it is built"]["command"]) == ("check", "test -e built")
    assert seen["it is built"]["passed"] is True
    assert seen["it is good"]["passed"] is None


def test_a_model_is_asked_about_the_plain_criteria_alone(crew):
    crew.hire(coder=[GOOD])
    criteria = ["it is good", {"check": "true"}, {"person": "it looks right"}, {"time": "before the fair"}]
    crew.task(acceptance_criteria=criteria, coder={"promise": "MADE", "verification_method": "semantic"})
    blocked = crew.run()
    assert blocked.code == 3
    assert "a person must approve: 3. it looks right; 4. before the fair." in blocked.err
    (asked,) = crew.prompts("judge")
    assert "it is good" in asked
    for other in ("true", "it looks right", "before the fair"):
        assert f"\n1. {other}" not in asked
        assert f"- {other}" not in asked


@pytest.mark.e2e
def test_failed_task_says_why(crew):
    crew.hire({"verification": steps("false")}, coder=[GOOD])
    crew.task(coder={"promise": "MADE", "verification_method": "string_match", "max_iterations": 1})
    assert crew.run().code == 1
    shown = crew.json("task", "show", "T-1")
    assert shown["status"] == "failed"
    assert "coder:" in shown["error"]
    assert f"failed: {shown['error']}" in crew.ralph("task", "show", "T-1").out
