"""The real runners, end to end: honest work is proven with its tests in the record; of a cheat the line is shown."""

import json
import os
from pathlib import Path

import pytest

from checks.proof.inventory.javascript_runners import need, node_modules
from e2e.runner_projects import IGNORED, PROJECTS
from loops import Loop
from ralph.testing import done, edits, run_ralph, temp_repo
from task_crew import TaskCrew, promise

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SECONDS = 300
CHEATS = ("deleted", "skipped", "weakened", "left")


@pytest.fixture(params=PROJECTS)
def project(request):
    made = PROJECTS[request.param]
    for program in (*made.needs, *(("node",) if made.npm else ())):
        need(program)
    return made


def caches():
    """What compilers keep of themselves stays where it is for all tests."""
    home = Path.home()
    places = {"GOCACHE": ".cache/go-build", "CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
    return {name: os.environ.get(name) or str(home / place) for name, place in places.items()}


def settings_of(project):
    """A checkout gets its dependencies as many have them: linked."""
    return {"worktree": {"init": f"ln -s '{node_modules('new')}' node_modules"}} if project.npm else {}


def written(repo, project):
    for name, text in {".gitignore": IGNORED, **project.files}.items():
        repo.write(name, text)
    repo.commit_all("calc")


def test_an_honest_fix_is_proven_and_its_tests_stand_in_the_record(project, tmp_path):
    crew = TaskCrew(tmp_path)
    written(crew.repo, project)
    crew.task(coder={"promise": "MADE", "verification_config": {"command": project.command}, "max_iterations": 1})
    crew.hire(settings_of(project), coder=[promise("MADE", {project.fix.file: project.edited(project.fix)})])
    ended = run_ralph(crew.repo, "task", "run", "T-1", env=caches(), timeout=SECONDS)
    assert ended.returncode == 0, ended.stderr
    assert "proven done after 1 iteration" in ended.stderr
    [check] = crew.json("proof", "show", "T-1")["proof"]["checks"]
    assert check["runners"] == [project.runner]
    assert check["tests"] == dict.fromkeys(project.tests, "passed")
    commit, base, canary = check["trials"]
    assert (commit["tests"], base["tests"], base["failed"]) == (2, 2, 1)
    assert canary["trial"] == "canary"
    assert canary["failed"] == canary["tests"] > 0


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_is_blocked_and_its_line_is_shown(project, cheat, tmp_path):
    edit = project.cheats[cheat]
    repo = temp_repo(tmp_path)
    written(repo, project)
    (repo.home / ".ralph").mkdir()
    given = {"guardrails": [{"command": project.command}], **settings_of(project)}
    (repo.home / ".ralph/config.yaml").write_text(json.dumps(given))
    repo.write(edit.file, project.edited(edit))
    repo.commit_all(cheat)
    ended = run_ralph(repo, "verify", "--json", env=caches(), timeout=SECONDS)
    assert ended.returncode == 6, ended.stdout + ended.stderr
    [check] = json.loads(ended.stdout)["checks"]
    assert check["trials"][0]["passed"], "the cheat must fool the runner"
    blocks = [each for each in check["findings"] if each["level"] == "block"]
    place = (edit.file, project.line_of(edit), edit.shown)
    assert place in [(each.get("file"), each.get("line"), each.get("shown")) for each in blocks]
    shown = run_ralph(repo, "show").stdout
    assert f"✗ {edit.file}:{project.line_of(edit)}: " in shown
    assert f"      {edit.shown.strip()}\n" in shown


@pytest.mark.parametrize("runner", ["pytest", "jest", "go"])
def test_in_a_loop_the_agent_is_told_the_line_and_then_fixes_the_code(runner, tmp_path):
    project = PROJECTS[runner]
    for program in (*project.needs, *(("node",) if project.npm else ())):
        need(program)
    skip = project.cheats["skipped"]
    repo = temp_repo(tmp_path)
    written(repo, project)
    given = settings_of(project)
    if project.npm:
        (repo.path / "node_modules").symlink_to(node_modules("new"))
    loop = Loop(repo, tmp_path / "bin", repo.home / ".ralph/config.yaml")
    back = {skip.file: project.files[skip.file], project.fix.file: project.edited(project.fix)}
    ended = loop(
        edits({skip.file: project.edited(skip)}) | done(),
        edits(back) | done(),
        guardrails=[{"command": project.command}],
        maximumIterations=3,
        env=caches(),
        **given,
    )
    assert ended.code == 0, ended.err
    assert "proven done after 2 iterations" in ended.err
    assert f"- {skip.file}:{project.line_of(skip)}: " in ended.prompts[1]
    assert f"\n  {skip.shown.strip()}\n" in ended.prompts[1]
