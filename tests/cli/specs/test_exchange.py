"""Plans of other tools with the real program: imported, run by scripted agents, and synced back."""

import json
import shutil
import subprocess

import pytest

from chunk_crew import SHIP, ChunkCrew, revise, writes
from exchanges import changed_lines
from ralph.testing.program import ralph_program
from refusals import one_clear_line
from stand_ins import BD, GH, GLAB, PLAN_FILES, StandIn

pytestmark = pytest.mark.e2e
BEADS = json.loads((PLAN_FILES / "beads/list.json").read_text())
BODY = "- [ ] write one\r\n- [ ] write two\r\n"


def work(number):
    return writes(work__txt="good\n" * number, **{f"file{number}__txt": "good\n"})


def met(*criteria):
    told = [{"criterion": each, "met": True, "reason": "seen in the diff"} for each in criteria]
    return {"final": json.dumps({"criteria": told})}


@pytest.fixture
def crew(tmp_path):
    crew = ChunkCrew(tmp_path.resolve())
    crew.hire([work(1), work(2), work(3)])
    return crew


def bring(crew, name):
    shutil.copytree(PLAN_FILES / name, crew.repo.path, dirs_exist_ok=True)
    crew.repo.commit_all("the plan")


def good(crew, *args, env=None):
    done = crew.ralph(*args, env=env)
    assert done.code == 0, done.err
    return done.out


def run_and_sync(crew, spec, *only, env=None):
    """Run these tasks, or all, and sync. The change of every file of the project, by path."""
    chosen = [word for each in only for word in ("--only", each)]
    good(crew, "spec", "run", spec, *chosen, env=env)
    good(crew, "spec", "sync", spec, env=env)
    changed = crew.git("diff", "--name-only").split()
    return {
        path: [now.decode().strip() for _, now in changed_lines(
            crew.git("show", f"HEAD:{path}").encode(), (crew.repo.path / path).read_bytes()).values()]
        for path in changed
    }  # fmt: skip


def test_spec_kit_in_and_back_only_the_ticked_boxes_differ(crew):
    bring(crew, "spec-kit")
    assert "17 tasks" in good(crew, "spec", "import")
    assert run_and_sync(crew, "001-shopping-cart", "T001", "T002") == {
        "specs/001-shopping-cart/tasks.md": [
            "- [x] T001 Create project structure per implementation plan",
            "- [x] T002 Initialize [language] project with [framework] dependencies",
        ]
    }


def test_openspec_in_and_back_only_the_ticked_boxes_differ(crew):
    bring(crew, "openspec")
    out = good(crew, "spec", "import", "openspec/changes/add-cart")
    assert "Skipped, done before the import, not verified by ralph: 1.1\n" in out
    assert run_and_sync(crew, "add-cart") == {
        "openspec/changes/add-cart/tasks.md": [
            "- [x] 1.2 Write one.txt and verify that it says good",
            "- [x] 2.1 Write two.txt and verify that it says good",
            "- [x] 2.2 Document both files",
        ]
    }


def test_task_master_in_and_back_only_the_status_differs(crew):
    bring(crew, "task-master")
    good(crew, "spec", "import", "--tag", "master", "--spec", "shop")
    assert run_and_sync(crew, "shop", "1") == {".taskmaster/tasks/tasks.json": ['"status": "done",']}
    assert run_and_sync(crew, "shop") == {".taskmaster/tasks/tasks.json": ['"status": "done",'] * 3}


def test_prd_json_in_and_back_only_passes_differs(crew):
    judge = [
        met("Each task card shows a colored priority badge"),
        met("Filter dropdown with options: All | High | Medium | Low"),
    ]
    crew.hire([work(1), work(2)], judge=judge)
    bring(crew, "prd-json")
    good(crew, "spec", "import", "prd.json")
    assert run_and_sync(crew, "task-priority") == {"prd.json": ['"passes": true,'] * 2}


def test_ralphex_in_and_back_only_the_ticked_boxes_differ(crew):
    bring(crew, "ralphex")
    good(crew, "spec", "import")
    assert run_and_sync(crew, "2026-11-01-greeting") == {
        "docs/plans/2026-11-01-greeting.md": [
            "- [x] create one.txt",
            "- [x] with a capital letter",
            "- [x] create two.txt",
        ]
    }


def test_bmad_in_and_back_only_the_status_differs(crew):
    bring(crew, "bmad")
    good(crew, "spec", "import")
    story = "_bmad-output/specs/limits/stories/1-add-rate-limiting.md"
    status = "status: 'done' # draft | ready-for-dev | in-progress | in-review | done | blocked"
    assert run_and_sync(crew, "limits") == {story: [status]}


def test_checklist_in_and_back_only_the_ticked_box_differs(crew):
    crew.repo.write("TODO.md", "- [ ] one\n- [ ] two\n")
    crew.repo.commit_all("the plan")
    good(crew, "spec", "import", "TODO.md")
    assert run_and_sync(crew, "TODO", "ITEM-2") == {"TODO.md": ["- [x] two"]}


def test_beads_in_and_back(crew, tmp_path):
    crew.hire([work(1), work(2)], judge=[met("one.txt says good", "it ends with a line end")])
    (crew.repo.path / ".beads").mkdir()
    bd = StandIn(tmp_path / "programs", "bd", BD, issues=BEADS, envelope=True)
    env = {"PATH": f"{bd.bin}:{crew.repo.env['PATH']}"}
    good(crew, "spec", "import", env=env)
    assert run_and_sync(crew, "beads", env=env) == {}
    assert {each["id"]: each["status"] for each in bd.state["issues"]} == {
        "shop-a1b2": "closed", "shop-c3d4": "closed", "shop-e5f6": "closed", "shop-epic": "open",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["gh", "glab"])
def test_issues_in_and_back(crew, tmp_path, name):
    url = {"gh": "https://github.com/a/b/issues/3", "glab": "https://gitlab.com/a/b/-/issues/3"}[name]
    gh = {"number": 3, "title": "Two files", "body": BODY, "url": url, "state": "OPEN"}
    glab = {"iid": 3, "title": "Two files", "description": BODY, "web_url": url, "state": "opened"}
    program = StandIn(tmp_path / "programs", name, {"gh": GH, "glab": GLAB}[name], **{"gh": gh, "glab": glab}[name])
    env = {"PATH": f"{program.bin}:{crew.repo.env['PATH']}"}
    good(crew, "spec", "import", url, env=env)
    assert run_and_sync(crew, "issue-3", "ITEM-1", env=env) == {}
    assert program.state[{"gh": "body", "glab": "description"}[name]] == BODY.replace("[ ] write one", "[x] write one")


def test_what_nobody_checked_is_not_ticked(crew):
    crew.hire([work(1)], steps=())
    crew.repo.write("TODO.md", "- [ ] one\n")
    crew.repo.commit_all("the plan")
    good(crew, "spec", "import", "TODO.md")
    good(crew, "spec", "run", "TODO")
    one_clear_line(
        crew.ralph("spec", "sync", "TODO"), 9, "ITEM-1", "done by the agent's word alone; nothing was checked"
    )
    assert crew.repo.read("TODO.md") == "- [ ] one\n"


def test_what_a_review_refused_is_not_ticked(crew):
    crew.hire([work(1)] * 2, quick=[revise(), revise()], defaults={"maxIterations": 2})
    crew.repo.write("TODO.md", "- [ ] one\n")
    crew.repo.commit_all("the plan")
    good(crew, "spec", "import", "TODO.md")
    assert crew.ralph("spec", "run", "TODO").code == 9
    assert good(crew, "spec", "sync", "TODO") == "1 task not verified yet: nothing is written for it.\n"
    assert crew.repo.read("TODO.md") == "- [ ] one\n"


def test_many_ralphs_sync_one_file_at_once(crew):
    """Each knows another part of it. None takes back what another one wrote."""
    tags = [f"tag{number}" for number in range(4)]
    data = {tag: {"tasks": [{"id": 1, "title": tag, "status": "pending"}]} for tag in tags}
    crew.repo.write("tasks/tasks.json", json.dumps(data, indent=2))
    good(crew, "spec", "import", "--all")
    from ralph.store.open import open_store
    from ralph.store.projects import project_at
    from ralph.store.tasks import set_status, tasks_of

    with open_store({"RALPH_HOME": str(crew.repo.home / ".ralph")}) as store:
        project = project_at(store, crew.repo.path).id
        for task in tasks_of(store, project):
            set_status(store, project, task.id, "completed")
    running = [
        subprocess.Popen(
            [ralph_program(), "spec", "sync", tag], cwd=crew.repo.path, env=crew.repo.env, stdout=subprocess.DEVNULL
        )
        for tag in tags
    ]
    assert [each.wait(60) for each in running] == [0] * len(tags)
    after = json.loads(crew.repo.read("tasks/tasks.json"))
    assert [after[tag]["tasks"][0]["status"] for tag in tags] == ["done"] * len(tags)


def test_training_has_prompt_output_and_review_of_each_iteration_and_no_secret(crew):
    secret = "correct-horse-battery-staple"
    leaking = {**work(1), "final": f"I used {secret} and ghp_0123456789abcdefghijklmnopqrstuvwxyz."}
    crew.hire([leaking, work(2)], quick=[revise(), SHIP])
    crew.repo.write("TODO.md", f"- [ ] one with {secret} and ghp_0123456789abcdefghijklmnopqrstuvwxyz\n")
    crew.repo.commit_all("the plan")
    good(crew, "spec", "import", "TODO.md")
    assert crew.ralph("spec", "export", "TODO", "--training").code == 2
    good(crew, "spec", "run", "TODO")
    out = good(crew, "spec", "export", "TODO", "--training", env={"SHOP_TOKEN": secret})
    first, second = map(json.loads, out.splitlines())
    assert "ghp_" not in out
    assert secret not in out
    assert first["output"] == "I used [redacted] and [redacted]."
    assert "one with [redacted] and [redacted]" in first["prompt"]
    assert (first["accepted"], second["accepted"]) == (False, True)
    assert [each["reviews"][0]["decision"] for each in (first, second)] == ["REVISE", "SHIP"]
    assert first["verification"][0]["command"] == "grep -q good work.txt"
    assert "Fix this: it is wrong" in first["feedback"]
    good(crew, "spec", "export", "TODO", "--training", "-o", "data.jsonl", env={"SHOP_TOKEN": secret})
    assert crew.repo.read("data.jsonl") == out


def test_import_says_what_it_did_and_what_to_do_next(crew):
    bring(crew, "ralphex")
    out = good(crew, "spec", "import", "docs/plans/2026-11-01-greeting.md", "--spec", "hello")
    assert out == (
        "Imported hello (Greeting) from docs/plans/2026-11-01-greeting.md: 2 tasks.\n"
        "2 tasks without criteria: verification steps and reviews alone will say when they are done.\n"
        "Run it: ralph spec run hello\n"
    )
    again = crew.ralph("spec", "import", "docs/plans/2026-11-01-greeting.md", "--spec", "hello")
    one_clear_line(again, 2, "the spec hello exists already", "--replace")
    one_clear_line(crew.ralph("spec", "sync", "none"), 2, "there is no spec 'none'")
    one_clear_line(crew.ralph("spec", "import", "no.md"), 2, "there is no no.md")


def test_from_a_folder_below_the_project_paths_are_those_of_that_folder(crew):
    crew.repo.write("docs/TODO.md", "- [ ] one\n")
    crew.repo.commit_all("the plan")
    below = crew.repo.path / "docs"

    def ralph(*args):
        return subprocess.run(
            [ralph_program(), *args], cwd=below, env=crew.repo.env, capture_output=True, text=True, check=False
        )

    assert "from docs/TODO.md: 1 task." in ralph("spec", "import", "TODO.md").stdout
    assert ralph("spec", "export", "TODO", "-o", "s.yaml").returncode == 0
    again = ralph("spec", "import", "s.yaml", "--spec", "again")
    assert "Imported again (TODO) from docs/s.yaml: 1 task." in again.stdout, again.stderr
    assert good(crew, "spec", "sync", "TODO") == "1 task not verified yet: nothing is written for it.\n"
