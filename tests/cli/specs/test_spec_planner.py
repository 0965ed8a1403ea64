"""`ralph spec new`, `refine`, `plan` and `edit`, and `ralph task generate`, as a person or a script calls them."""

import json
import stat

import pytest

from plans import question
from ralph.app.planning.specs import SKILL, generation_prompt, task_guide
from ralph.testing.steps import fails
from spec_plans import Planned, chunk, chunks, spec, two_questions

ROLES = [
    {"role": "coder", "promise": "MADE", "description": "", "command": "make test", "checkFor": []},
    {"role": "qa", "promise": "", "description": "", "command": "make test", "checkFor": ["it is fast"]},
]


def editor(root, script):
    program = root / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"VISUAL": str(program)}


def test_without_a_terminal_somebody_must_have_said_how_to_answer(tmp_path):
    project = Planned(tmp_path)
    for words in (["spec", "new", "A search box"], ["spec", "refine", "s"], ["spec", "plan", "s"]):
        refused = project.ralph(*words, input="")
        assert refused.returncode == 2
        assert refused.stderr == (
            f"ralph: {' '.join(words[:2])} asks questions, but stdin is not a terminal. "
            "Use --yes to accept the agent's recommendations, or --answers FILE.\n"
        )
    nothing = project.ralph("spec", "new", "--yes", input="")
    assert (nothing.returncode, "there is no description of what to build" in nothing.stderr) == (2, True)
    assert project.planner.starts == []
    assert project.json("spec", "list") == []


def test_yes_takes_the_recommended_answers_and_both_drafts(tmp_path):
    made = chunks(chunk(), chunk(2, dependsOn=["T001"], relevantFiles=["gone.py"]))
    project = Planned(tmp_path, spec(*two_questions()), spec(), made)
    done = project.ralph("spec", "new", "A search box", "--yes")
    assert done.returncode == 0, done.stderr
    assert "2 questions answered as the planner recommends" in done.stderr
    assert "T002 names files that do not exist: gone.py" in done.stderr
    assert done.stdout.rstrip().endswith("Next: ralph spec run a-search-box")
    assert "Clerks find orders" in done.stdout, "the planner's answer is streamed as it comes"
    assert project.text().startswith("# A search box\n\n## Intent\nA search box\n\n## Goal\n")
    assert "- **Who searches?** Clerks (recommended; nobody was asked)" in project.text()
    tasks = project.tasks()
    assert list(tasks) == ["T001", "T002"]
    assert tasks["T002"]["dependencies"] == ["T001"]
    assert tasks["T001"]["acceptanceCriteria"] == [{"check": "test -e part1.txt"}, "it says hello"]
    assert tasks["T001"]["relevantFiles"] == ["app.py"]
    assert [each["id"] for each in json.loads(project.text(file="chunks.json"))["chunks"]] == ["T001", "T002"]
    [run] = project.json("runs")
    assert (run["recipe"], run["verdict"], run["iterations"]) == ("spec-plan", "verified", 3)
    assert "ralph: claude opus plans a-search-box" in done.stderr
    assert "## Global Rules\n- Use tabs" in project.planner.prompts[0]
    assert "Key Types: Order (app.py)" in project.planner.prompts[0]


def test_what_a_planner_spends_is_counted(tmp_path):
    project = Planned(tmp_path, {"final": spec(), "cost": 0.25}, {"final": chunks(), "cost": 0.5})
    assert project.ralph("spec", "new", "A search box", "--yes").returncode == 0
    assert [each["costUsd"] for each in project.json("runs")] == [0.75]
    assert project.json("cost")["total"]["costUsd"] == 0.75
    assert project.json("cost", "a-search-box")["total"]["costUsd"] == 0.75


def test_two_specs_whose_planners_give_the_same_ids(tmp_path):
    two = chunks(chunk(), chunk(2, dependsOn=["T001"]))
    project = Planned(tmp_path, spec(), two, spec(), two)
    assert project.ralph("spec", "new", "A search box", "--yes").returncode == 0
    done = project.ralph("spec", "new", "A cart for orders", "--title", "Cart", "--yes")
    assert done.returncode == 0, done.stderr
    assert "T001 is cart-T001 here: the spec a-search-box has a task T001" in done.stderr
    tasks = project.tasks("cart")
    assert list(tasks) == ["cart-T001", "cart-T002"]
    assert tasks["cart-T002"]["dependencies"] == ["cart-T001"]
    assert project.tasks()["T002"]["dependencies"] == ["T001"]


@pytest.mark.e2e
def test_the_id_of_a_title_that_is_taken_gets_a_number(tmp_path):
    project = Planned(tmp_path, spec(), chunks(), spec(), chunks(chunk(9)))
    project.repo.git("branch", "ralph/search-2")
    assert project.ralph("spec", "new", "one", "--title", "Search", "--yes").returncode == 0
    assert project.ralph("spec", "new", "two", "--title", "Search", "--yes").returncode == 0
    assert [each["id"] for each in project.json("spec", "list")] == ["search", "search-3"]


def test_a_planner_that_is_missing_is_known_before_anything_is_written(tmp_path):
    project = Planned(tmp_path, planners=[{"id": "p", "model": "gpt-5"}])
    done = project.ralph("spec", "new", "A search box", "--yes", env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 7
    assert "codex, which plans, is not on PATH" in done.stderr
    assert project.json("spec", "list") == []
    assert project.json("runs") == []


def test_prose_ends_with_exit_code_7_and_the_same_command_goes_on_with_the_same_spec(tmp_path):
    project = Planned(tmp_path, spec(question()), *["I would rather talk."] * 3)
    done = project.ralph("spec", "new", "A search box", "--yes")
    assert done.returncode == 7
    assert "the planner gave no plan: the answer cannot be used" in done.stderr
    assert "- **Where is the greeting kept?** In a constant" in project.text(), "no answer is lost"
    project.answer(spec(), chunks())
    again = project.ralph("spec", "new", "A search box", "--yes")
    assert again.returncode == 0, again.stderr
    assert "continuing the planning" in again.stderr
    assert [each["id"] for each in project.json("spec", "list")] == ["a-search-box"]
    assert "Nobody was asked; you recommended: In a constant" in project.planner.prompts[0]


@pytest.mark.e2e
def test_answers_from_a_file_are_told_to_the_planner(tmp_path):
    project = Planned(tmp_path, spec(), chunks(), planners=[{"id": "p", "name": "My planner", "agent": "claude"}])
    project.repo.write("answers.md", "Only clerks search.")
    done = project.ralph(
        "spec", "new", "-", "--title", "A search box", "--answers", "answers.md", input="Find orders\n"
    )
    assert done.returncode == 0, done.stderr
    assert "ralph: My planner plans a-search-box" in done.stderr
    assert "## What the user wants\nFind orders\n\nOnly clerks search." in project.planner.prompts[0]


@pytest.mark.e2e
def test_refine_writes_a_new_text_keeps_the_old_one_and_the_tasks(tmp_path):
    project = Planned(tmp_path, spec(question()), spec(text="## Goal\nFind them fast.\n"), spec(text="Third.\n"))
    project.repo.write("old.md", "# Search\n\nFind them.\n")
    assert project.ralph("spec", "create", "search", "--file", "old.md").returncode == 0
    done = project.ralph("spec", "refine", "search", "It must be fast", "--yes")
    assert done.returncode == 0, done.stderr
    assert "the previous text is kept in .ralph/specs/search/spec.1.md" in done.stderr
    assert "Find them.\n" in project.text("search", "spec.1.md")
    assert project.text("search") == (
        "# Search\n\n## Goal\nFind them fast.\n\n## Questions and answers\n"
        "- **Where is the greeting kept?** In a constant (recommended; nobody was asked)\n"
    )
    assert "The user wants this changed:\nIt must be fast" in project.planner.prompts[0]
    assert "Find them." in project.planner.prompts[0]
    assert done.stdout.rstrip().endswith("Next: ralph spec plan search")
    assert project.ralph("spec", "refine", "search", "--yes").returncode == 0
    assert "Find them fast." in project.text("search", "spec.2.md")
    assert "- **Where is the greeting kept?** In a constant" in project.text("search"), "earlier answers stay"


@pytest.mark.e2e
def test_plan_adds_chunks_changes_pending_ones_and_leaves_the_rest(tmp_path):
    project = Planned(tmp_path, chunks(chunk(2, title="Changed"), chunk(3, dependsOn=["T002", "T001"])))
    project.repo.write("old.md", "# Search\n\nFind them.\n")
    assert project.ralph("spec", "create", "search", "--file", "old.md").returncode == 0
    for name in ("T001", "T002"):
        created = project.ralph(
            "task", "create", name, "search", "Old", "--outcome", "it is", "--acceptance", "it does"
        )
        assert created.returncode == 0, created.stderr
    done = project.ralph("spec", "plan", "search", "Begin small", "--yes")
    assert done.returncode == 0, done.stderr
    assert "search has 1 new task: T003; changed: T002; kept as they are: T001" in done.stderr
    tasks = project.tasks("search")
    assert {name: each["title"] for name, each in tasks.items()} == {
        "T001": "Old",
        "T002": "Changed",
        "T003": "Write part 3",
    }
    assert "## What the user said\nBegin small" in project.planner.prompts[0]
    empty = project.ralph("spec", "create", "empty")
    assert empty.returncode == 0
    refused = project.ralph("spec", "plan", "empty", "--yes")
    assert (refused.returncode, "Write it: ralph spec edit empty" in refused.stderr) == (2, True)


def test_generate_makes_tasks_with_criteria_per_role(tmp_path):
    project = Planned(tmp_path, chunks(chunk(criteria=ROLES), chunk(2, criteria={"coder": {"promise": "TWO"}})))
    project.repo.write("login.md", "# A login\nClerks log in.\n")
    done = project.ralph("task", "generate", "login.md", "--yes")
    assert done.returncode == 0, done.stderr
    assert project.text("a-login") == "# A login\nClerks log in.\n"
    roles = {role["role"]: role for role in project.json("task", "show", "T001")["roles"]}
    assert roles["coder"]["promise"] == "MADE"
    exported = project.ralph("task", "export", "T001", "T002", "--format", "json").stdout
    first, second = (each["completion"] for each in json.loads(exported)["tasks"])
    assert first["coder"]["verification_config"] == {"command": "make test"}
    assert first["qa"]["verification_method"] == "multi_stage"
    assert second["coder"]["promise"] == "TWO"
    assert "### Required Fields" in project.planner.prompts[0]
    assert "## What the user said\n# A login\nClerks log in." in project.planner.prompts[0]


def test_the_printed_prompt_and_the_plugins_skill_are_one_text(tmp_path):
    project = Planned(tmp_path)
    printed = project.ralph("task", "generate", "-", "--print-prompt", input="A login for clerks")
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout == generation_prompt("A login for clerks")
    guide = task_guide()
    assert guide in SKILL.read_text(encoding="utf-8")
    assert guide in printed.stdout
    assert "For EACH task you create, you MUST specify:" in guide
    assert "A login for clerks" in printed.stdout
    assert project.planner.starts == []
    assert project.ralph("spec", "list").stdout.startswith("There are no specs yet")


@pytest.mark.e2e
def test_the_example_of_the_prompt_can_be_read_in(tmp_path):
    project = Planned(tmp_path)
    example = task_guide().split("```yaml\n")[1].split("```")[0]
    done = project.ralph("task", "import", "-", "--spec", "auth", input=f"tasks:\n{example}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Imported 1 task: TASK-001\n"


@pytest.mark.e2e
def test_a_spec_is_written_and_changed_in_an_editor(tmp_path):
    project = Planned(tmp_path)
    env = editor(tmp_path, 'echo "Find orders." >> "$1"; touch -d "+2 seconds" "$1"')
    made = project.ralph("spec", "create", "search", "--title", "Search", "--edit", env=env)
    assert made.returncode == 0, made.stderr
    assert project.text("search") == "# Search\nFind orders.\n"
    saved = project.ralph("spec", "edit", "search", env=env)
    assert saved.stdout == "Saved .ralph/specs/search/spec.md. Divide it into chunks: ralph spec plan search\n"
    assert project.text("search") == "# Search\nFind orders.\nFind orders.\n"
    left = project.ralph("spec", "edit", "search", env=editor(tmp_path, "exit 0"))
    assert left.stdout == "Nothing changed.\n"
    failed = project.ralph("spec", "edit", "search", env=editor(tmp_path, "exit 1"))
    assert (failed.returncode, "the editor" in failed.stderr) == (2, True)
    meanwhile = editor(
        tmp_path,
        f'echo mine > "$1"; touch -d "+2 seconds" "$1"; echo theirs > {project.repo.path}/.ralph/specs/search/spec.md',
    )
    clash = project.ralph("spec", "edit", "search", env=meanwhile)
    assert (clash.returncode, "Yours is kept in .ralph/specs/search/spec.edited.md" in clash.stderr) == (2, True)
    assert project.text("search", "spec.edited.md") == "mine\n"
    assert project.text("search") == "theirs\n"


@pytest.mark.e2e
def test_an_agent_that_fails_for_good_leaves_the_spec_and_says_how_to_go_on(tmp_path):
    project = Planned(tmp_path, fails(1))
    done = project.ralph("spec", "new", "A search box", "--yes")
    assert done.returncode == 7
    assert project.text() == "# A search box\n\n## Intent\nA search box\n"


@pytest.mark.e2e
def test_a_whole_dialogue_with_interruptions(tmp_path):
    """Ctrl-C loses no answer and no edit; `ralph resume` and the same command go on."""
    three = chunks(chunk(), chunk(2, dependsOn=["T001"]), chunk(3, dependsOn=["T002"]))
    project = Planned(tmp_path, spec(*two_questions()), spec(), spec(text="## Goal\nNo colours.\n"), three)
    with project.terminal("spec", "new", "A search box") as first:
        first.expect("Question 1 of 2")
        first.expect("Why it matters: It decides which file changes.")
        first.expect("1. In a constant (recommended)")
        first.answer("Answer [1]: ", "2")
        first.expect("Question 2 of 2")
        first.expect("Answer [1]: ")
        assert "- **Where is the greeting kept?** In a file\n" in project.text(), "each answer is in the spec at once"
        first.type(b"\x03")
        assert first.end() == 130
    assert "Your answers are kept. Continue: ralph resume" in first.screen
    with project.terminal("resume") as second:
        second.expect("Question 2 of 2")
        second.answer("Answer [1]: ", "")
        second.expect("Clerks find orders.")
        second.answer("or say what to change.\n> ", "No colours")
        second.expect("No colours.")
        second.answer("or say what to change.\n> ", "y")
        second.expect("3. T003  Write part 3 (after T002)")
        second.answer("what the planner should change.\n> ", "drop T9")
        second.expect("There is no chunk 'T9'.")
        second.answer("> ", "drop T002")
        second.expect("2. T003  Write part 3 (after T001)")
        second.expect("what the planner should change.\n> ")
        second.type(b"\x03")
        assert second.end() == 130
    assert "Traceback" not in first.screen + second.screen
    with project.terminal("spec", "new", "A search box") as third:
        third.expect("continuing the planning")
        third.expect("2. T003  Write part 3 (after T001)")
        third.answer("what the planner should change.\n> ", "split T003")
        third.answer("Which line of the description goes to the second part (such as 2 or 3-5)? ", "2")
        third.answer("Which criterion goes to the second part (such as 2 or 3-5)? ", "2")
        third.answer("part 1]: ", "Read on")
        third.answer("part 2]: ", "")
        third.answer("Outcome of the second part [part3.txt is there]: ", "")
        third.expect("3. T003-2  Write part 3, part 2 (after T003)")
        third.answer("what the planner should change.\n> ", "merge T003 T003-2")
        third.expect("2. T003  Read on and Write part 3, part 2 (after T001)")
        third.answer("what the planner should change.\n> ", "move T003 1")
        third.expect("T003 depends on T001, so it cannot come before it.")
        third.answer("> ", "")
        assert third.end() == 0, third.screen
    assert third.screen.rstrip().endswith("Next: ralph spec run a-search-box")
    assert list(project.tasks()) == ["T001", "T003"]
    assert project.tasks()["T003"]["dependencies"] == ["T001"]
    assert "They said:\nNo colours" in project.planner.prompts[2]
    assert "- **Where is the greeting kept?** In a file\n- **Who searches?** Clerks\n" in project.text()
    assert len(project.planner.starts) == 4


@pytest.mark.e2e
def test_a_chunk_is_edited_in_an_editor_and_a_wish_goes_to_the_planner(tmp_path):
    project = Planned(tmp_path, spec(), chunks(), chunks(chunk(5)))
    env = editor(tmp_path, 'sed -i "s/Write part 1/Write it all/" "$1"; touch -d "+2 seconds" "$1"')
    with project.terminal("spec", "new", "A search box", **env) as terminal:
        terminal.answer("or say what to change.\n> ", "")
        terminal.answer("what the planner should change.\n> ", "edit T001")
        terminal.expect("1. T001  Write it all")
        terminal.answer("what the planner should change.\n> ", "split the work by hand")
        terminal.expect("1. T005  Write part 5")
        terminal.answer("what the planner should change.\n> ", "")
        assert terminal.end() == 0, terminal.screen
    assert list(project.tasks()) == ["T005"]
    assert "They said:\nsplit the work by hand" in project.planner.prompts[2]
    assert "Write it all" in project.planner.prompts[2]


@pytest.mark.e2e
def test_refine_shows_a_diff_and_writes_on_yes(tmp_path):
    project = Planned(tmp_path, spec(text="Find them fast.\n"))
    project.repo.write("old.md", "# Search\n\nFind them.\n")
    assert project.ralph("spec", "create", "search", "--file", "old.md").returncode == 0
    with project.terminal("spec", "refine", "search") as terminal:
        terminal.expect("-Find them.\n+Find them fast.\n")
        terminal.answer("or say what to change.\n> ", "y")
        assert terminal.end() == 0, terminal.screen
    assert project.text("search") == "# Search\n\nFind them fast.\n"
    assert project.text("search", "spec.1.md") == "# Search\n\nFind them.\n"


@pytest.mark.e2e
def test_a_second_process_cannot_answer_in_the_place_of_the_first(tmp_path):
    project = Planned(tmp_path, spec(question()), spec(), chunks())
    with project.terminal("spec", "new", "A search box") as first:
        first.expect("Answer [1]: ")
        for words in (["spec", "new", "A search box", "--yes"], ["resume"]):
            refused = project.ralph(*words, input="")
            assert refused.returncode == 2
            assert f"pid {first.process.pid}" in refused.stderr, refused.stderr
        first.type("2\n")
        first.answer("or say what to change.\n> ", "")
        first.answer("what the planner should change.\n> ", "")
        assert first.end() == 0, first.screen
    assert "** In a file\n" in project.text()
    assert [each["id"] for each in project.json("spec", "list")] == ["a-search-box"]


@pytest.mark.e2e
def test_a_planning_that_was_cancelled_begins_anew_with_the_same_spec_and_its_answers(tmp_path):
    project = Planned(tmp_path, spec(*two_questions()), spec(), chunks())
    with project.terminal("spec", "new", "A search box") as first:
        first.answer("Answer [1]: ", "2")
        first.expect("Question 2 of 2")
        first.type(b"\x03")
        assert first.end() == 130
    [run] = project.json("runs")
    waits = project.ralph("resume", input="")
    assert waits.returncode == 3
    assert f"the planner waits for 1 answer. Answer in a terminal: ralph resume {run['id']}" in waits.stderr
    assert project.ralph("cancel", run["id"]).returncode == 0
    done = project.ralph("spec", "new", "A search box", "--yes")
    assert done.returncode == 0, done.stderr
    assert "continuing" not in done.stderr
    assert [each["id"] for each in project.json("spec", "list")] == ["a-search-box"]
    assert "- **Where is the greeting kept?** In a file\n" in project.text()
    assert "- **Where is the greeting kept?** In a file" in project.planner.prompts[1]


@pytest.mark.e2e
def test_a_planner_cannot_steer_the_terminal_nor_change_the_project(tmp_path):
    evil = "\x1b[2J\x1b]0;owned\x07"
    asked = question(question=f"Which{evil}?", why=evil, options=[f"One{evil}", "Two"], default="Two")
    made = chunk(description=f"1. Do it.{evil}", outcome=f"done{evil}", relevantFiles=["app.py"])
    drafted = {"final": spec(text=f"## Goal\nIt works.{evil}\n"), "write": {"app.py": "broken"}}
    project = Planned(tmp_path, spec(asked), drafted, chunks(chunk(title=f"Bad{evil}")), chunks(made))
    with project.terminal("spec", "new", "A search box") as terminal:
        terminal.answer("Answer [1]: ", "2")
        terminal.answer("or say what to change.\n> ", "")
        terminal.answer("what the planner should change.\n> ", "")
        assert terminal.end() == 0, terminal.screen
    assert "\x1b[2J" not in terminal.screen
    assert "\x1b]0;" not in terminal.screen
    assert project.repo.read("app.py").startswith("class Order")
    assert "has control characters" in project.planner.prompts[3]


def test_a_text_that_is_far_too_long_is_refused_before_anybody_is_asked(tmp_path):
    project = Planned(tmp_path)
    refused = project.ralph("spec", "new", "-", "--yes", input="word " * 60_000)
    assert (refused.returncode, refused.stderr) == (
        2,
        "ralph: the text has 299,999 characters; the limit is 200,000. Shorten it.\n",
    )
    assert project.planner.starts == []


def test_logs_show_what_the_planner_said(tmp_path):
    project = Planned(tmp_path, {"say": "I read app.py first.", "final": spec()}, chunks())
    made = project.ralph("spec", "new", "A search box", "--yes", input="")
    assert made.returncode == 0, made.stderr
    shown = project.ralph("logs").stdout
    assert "I read app.py first." in shown


@pytest.mark.e2e
def test_a_kill_loses_no_answer(tmp_path):
    project = Planned(tmp_path, spec(*two_questions()), {"hang": True})
    with project.terminal("spec", "new", "A search box") as first:
        first.answer("Answer [1]: ", "2")
        first.expect("Question 2 of 2")
        first.process.kill()
        first.process.wait()
    with project.terminal("resume") as second:
        second.expect("Question 2 of 2")
        second.answer("Answer [1]: ", "Everybody")
        while len(project.planner.starts) < 2:
            second.expect("")
        second.process.kill()
        second.process.wait()
    project.answer(spec(), chunks())
    with project.terminal("resume") as third:
        third.answer("or say what to change.\n> ", "")
        third.answer("what the planner should change.\n> ", "")
        assert third.end() == 0, third.screen
    assert "** In a file\n- **Who searches?** Everybody\n" in project.text()
    assert "Answer: Everybody" in project.planner.prompts[0]


@pytest.mark.e2e
def test_refine_keeps_the_heading_of_a_text_that_has_a_mark_at_its_start(tmp_path):
    project = Planned(tmp_path, spec(text="# Other\nFind them fast.\n"))
    assert project.ralph("spec", "create", "search", "--title", "Search").returncode == 0
    file = project.repo.path / ".ralph/specs/search/spec.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"\xef\xbb\xbf# My own words\r\n\r\nFind them.\r\n")
    done = project.ralph("spec", "refine", "search", "--yes")
    assert done.returncode == 0, done.stderr
    assert project.text("search") == "# My own words\n\nFind them fast.\n"
    kept = project.repo.path / ".ralph/specs/search/spec.1.md"
    assert kept.read_bytes() == b"\xef\xbb\xbf# My own words\r\n\r\nFind them.\r\n"


@pytest.mark.e2e
def test_a_text_that_a_person_writes_while_the_planner_works_is_kept_and_named(tmp_path):
    project = Planned(tmp_path)
    spec_md = project.repo.path / ".ralph/specs/a-search-box/spec.md"
    project.answer({"final": spec(), "run": f"echo theirs > {spec_md}"}, chunks())
    done = project.ralph("spec", "new", "A search box", "--yes")
    assert done.returncode == 0, done.stderr
    assert "the previous text is kept in .ralph/specs/a-search-box/spec.1.md" in done.stderr
    assert project.text(file="spec.1.md") == "theirs\n"
