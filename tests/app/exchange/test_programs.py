"""Sources that only a program knows: issues of GitHub and GitLab, beads, and OpenSpec where it is installed."""

import json
import shutil

import pytest

from ralph.model.errors import ConfigError
from stand_ins import BD, FAILS, GH, GLAB, PLAN_FILES, StandIn

BODY = "Please:\r\n\r\n- [ ] write one\r\n- [x] write two\r\n- [ ] write three\r\n"
URL = "https://github.com/acme/shop/issues/12"
LAB = "https://gitlab.example.invalid/group/sub/shop/-/issues/7"
BEADS = json.loads((PLAN_FILES / "beads/list.json").read_text())


@pytest.fixture
def stand_in(exchange, tmp_path, monkeypatch):
    def made(name, script, **state):
        made = StandIn(tmp_path / "programs", name, script, **state)
        monkeypatch.setenv("PATH", f"{made.bin}:{exchange.repo.env['PATH']}")
        return made

    return made


def issue(**more):
    return {"number": 12, "title": "Three files", "body": BODY, "url": URL, "state": "OPEN", **more}


def lab_issue(**more):
    return {"iid": 7, "title": "Three files", "description": BODY, "web_url": LAB, "state": "opened", **more}


@pytest.mark.parametrize("given", ["#12", URL])
def test_github_issue_through_gh(exchange, stand_in, given):
    gh = stand_in("gh", GH, **issue())
    imported = exchange.imports(given)
    assert (imported.spec, imported.title, imported.source) == ("issue-12", "Three files", URL)
    assert imported.tasks == ("ITEM-1", "ITEM-2", "ITEM-3")
    assert imported.closed == {"ITEM-2": "done before the import"}
    assert "the text of an issue was written by others: read it before you run it" in imported.notes
    named = "12" if given == "#12" else URL
    assert gh.calls == [
        ["issue", "view", named, "--json", "number,title,body,url,state"],
        ["api", "repos/acme/shop/issues/12/sub_issues?per_page=100", "--hostname", "github.com"],
    ]


def test_github_boxes_are_ticked_and_read_back(exchange, stand_in):
    gh = stand_in("gh", GH, **issue())
    exchange.imports("#12")
    exchange.complete("ITEM-3")
    assert [(each.task, each.is_new, each.problem) for each in exchange.sync("issue-12").tasks] == [
        ("ITEM-3", True, "")
    ]
    assert gh.state["body"] == BODY.replace("[ ] write three", "[x] write three")
    view = ["issue", "view", URL, "--json", "number,title,body,url,state"]
    assert gh.calls[2:] == [view, view, ["issue", "edit", URL, "--body-file", "-"], view]
    assert [each.is_new for each in exchange.sync("issue-12").tasks] == [False]


def test_an_edit_that_github_does_not_show_is_not_called_done(exchange, stand_in):
    gh = stand_in("gh", GH, **issue(deaf=True))
    exchange.imports("#12")
    exchange.complete("ITEM-1")
    [synced] = exchange.sync("issue-12").tasks
    assert (synced.is_new, synced.problem) == (False, "the issue does not show it after the edit: sync again")
    assert gh.state["body"] == BODY


def test_an_issue_that_somebody_edits_meanwhile_is_not_overwritten(exchange, stand_in):
    gh = stand_in("gh", GH, **issue())
    exchange.imports("#12")
    exchange.complete("ITEM-1")
    gh.set(**issue(edits=["Other words.\r\n" + BODY]))
    [synced] = exchange.sync("issue-12").tasks
    assert "somebody edited the issue at the same time" in synced.problem
    assert gh.state["body"] == "Other words.\r\n" + BODY
    assert [each.problem for each in exchange.sync("issue-12").tasks] == [""]


def test_an_issue_without_boxes_is_one_task_and_nothing_is_ticked(exchange, stand_in):
    gh = stand_in("gh", GH, **issue(body="Make it good."))
    assert exchange.imports("#12").tasks == ("ISSUE",)
    exchange.complete("ISSUE")
    [synced] = exchange.sync("issue-12").tasks
    assert synced.note == "the issue has no boxes to tick: close it when the work is merged"
    assert "edit" not in [call[1] for call in gh.calls]


def below(number, state="open", repository="acme/shop", **more):
    url = f"https://github.com/{repository}/issues/{number}"
    return {
        "number": number,
        "title": f"Part {number}",
        "body": f"Do {number}.",
        "html_url": url,
        "state": state,
        **more,
    }


def test_sub_issues_are_tasks_and_a_closed_one_is_not_run(exchange, stand_in):
    gh = stand_in("gh", GH, **issue(body="The whole.", below=[below(13), below(14, "closed"), below(3, body=None)]))
    imported = exchange.imports("#12")
    assert imported.tasks == ("ISSUE-13", "ISSUE-14", "ISSUE-3")
    assert imported.closed == {"ISSUE-14": "closed before the import"}
    task = exchange.tasks()["ISSUE-13"]
    assert (task.title, task.description) == ("Part 13", "Part 13\nDo 13.")
    exchange.complete("ISSUE-13")
    [synced] = exchange.sync("issue-12").tasks
    assert (synced.is_new, synced.note) == (False, "#13 is an issue of its own: close it when the work is merged")
    assert "edit" not in [call[1] for call in gh.calls]


def test_a_sub_issue_that_is_a_box_as_well_is_one_task_with_its_words(exchange, stand_in):
    there = [below(13), below(5, repository="acme/other"), below(14)]
    gh = stand_in("gh", GH, **issue(body="- [ ] #13\n- [ ] write it\n- [ ] acme/other#5\n", below=there))
    assert exchange.imports("#12").tasks == ("ITEM-1", "ITEM-2", "ITEM-3", "ISSUE-14")
    assert [exchange.tasks()[each].title for each in ("ITEM-1", "ITEM-3")] == ["Part 13", "Part 5"]
    assert "Do 13." in exchange.tasks()["ITEM-1"].description
    order = sorted(exchange.tasks().values(), key=lambda task: task.priority)
    assert [task.id for task in order] == ["ITEM-1", "ITEM-2", "ITEM-3", "ISSUE-14"]
    exchange.complete("ISSUE-14", "ITEM-1")
    synced = {each.task: (each.original, each.is_new, bool(each.note)) for each in exchange.sync("issue-12").tasks}
    assert synced == {"ISSUE-14": ("#14", False, True), "ITEM-1": ("#13", True, False)}
    assert gh.state["body"] == "- [x] #13\n- [ ] write it\n- [ ] acme/other#5\n"


def test_a_server_without_sub_issues_is_told_and_the_boxes_are_read(exchange, stand_in):
    stand_in("gh", GH, **issue(below="unknown"))
    imported = exchange.imports("#12")
    assert imported.tasks == ("ITEM-1", "ITEM-2", "ITEM-3")
    assert any("its sub-issues could not be read: gh api" in each for each in imported.notes)


def test_without_gh_it_is_said(exchange, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match=r"gh is not on PATH. Install gh and log in with it"):
        exchange.imports("#12")


def test_what_gh_complains_of_is_one_line_without_escapes(exchange, stand_in):
    stand_in("gh", FAILS, says="\x1b[31mGraphQL: Could not resolve\nmore\n")
    with pytest.raises(ConfigError) as refused:
        exchange.imports("#12")
    assert str(refused.value).startswith("gh issue view failed: \\x1b[31mGraphQL: Could not resolve.")
    assert "\n" not in str(refused.value)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize("given", ["--repo=x", "#12; rm", "https://github.com/a/b/pull/1", "12 13"])
def test_what_is_no_issue_never_reaches_gh(exchange, stand_in, given):
    gh = stand_in("gh", GH, **issue())
    with pytest.raises(ConfigError, match="is not an issue of GitHub"):
        exchange.imports(given, format="github")
    assert gh.calls == []


def test_gitlab_issue_through_glab(exchange, stand_in):
    glab = stand_in("glab", GLAB, **lab_issue())
    imported = exchange.imports(LAB)
    assert (imported.format, imported.spec) == ("gitlab", "issue-7")
    exchange.complete("ITEM-1")
    assert [each.is_new for each in exchange.sync("issue-7").tasks] == [True]
    ticked = BODY.replace("[ ] write one", "[x] write one")
    assert glab.state["description"] == ticked
    project = "https://gitlab.example.invalid/group/sub/shop"
    assert glab.calls[0] == ["issue", "view", "7", "--repo", project, "--output", "json"]
    assert ["issue", "update", "7", "--repo", project, "--description", ticked] in glab.calls


def test_a_number_is_of_gitlab_where_the_remote_is(exchange, stand_in):
    exchange.write(".git/config", '[remote "origin"]\n\turl = git@gitlab.com:acme/shop.git\n')
    glab = stand_in("glab", GLAB, **lab_issue())
    assert exchange.imports("#7").format == "gitlab"
    assert glab.calls == [["issue", "view", "7", "--output", "json"]]


@pytest.mark.parametrize("envelope", [False, True], ids=["list", "envelope"])
def test_beads_through_bd(exchange, stand_in, envelope):
    (exchange.path / ".beads").mkdir()
    bd = stand_in("bd", BD, issues=BEADS, envelope=envelope)
    imported = exchange.imports()
    assert (imported.spec, imported.format) == ("beads", "beads")
    assert imported.tasks == ("shop-a1b2", "shop-c3d4", "shop-e5f6")
    assert imported.closed == {"shop-e5f6": "closed before the import"}
    tasks = exchange.tasks()
    assert tasks["shop-c3d4"].dependencies == ("shop-a1b2",)
    assert tasks["shop-a1b2"].completion_spec.asked == ("one.txt says good", "it ends with a line end")
    exchange.complete("shop-a1b2")
    assert [each.is_new for each in exchange.sync("beads").tasks] == [True]
    assert ["close", "shop-a1b2", "--reason", "Verified by ralph"] in bd.calls
    assert [each["status"] for each in bd.state["issues"]] == ["closed", "in_progress", "closed", "open"]
    assert [each.is_new for each in exchange.sync("beads").tasks] == [False]


def test_a_bead_that_bd_does_not_close_is_not_called_done(exchange, stand_in):
    (exchange.path / ".beads").mkdir()
    stand_in("bd", BD, issues=BEADS, deaf=True)
    exchange.imports(".beads")
    exchange.complete("shop-a1b2")
    assert [each.problem for each in exchange.sync("beads").tasks] == ["bd does not show it as closed"]


@pytest.mark.parametrize("name", ["list.json", "issues.jsonl"])
def test_beads_from_a_file_and_without_bd(exchange, tmp_path, monkeypatch, name):
    lines = "\n".join(json.dumps(each) for each in BEADS) + "\n"
    exchange.write(name, lines if name.endswith("l") else json.dumps({"schema_version": 1, "data": BEADS}))
    before = exchange.bytes(name)
    imported = exchange.imports(name, spec="shop")
    assert (imported.format, len(imported.tasks)) == ("beads", 3)
    exchange.complete("shop-a1b2")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [each.problem for each in exchange.sync("shop").tasks] == [
        "bd is not on PATH. Close it yourself: bd close shop-a1b2"
    ]
    assert exchange.bytes(name) == before


def test_a_half_written_jsonl_names_its_line(exchange):
    exchange.write("issues.jsonl", json.dumps(BEADS[0]) + '\n{"id": "shop-')
    with pytest.raises(ConfigError, match=r"issues.jsonl, line 2 is not valid JSON"):
        exchange.imports("issues.jsonl")


def test_openspec_is_asked_where_it_is_installed(exchange, stand_in):
    shutil.copytree(PLAN_FILES / "openspec", exchange.path, dirs_exist_ok=True)
    folder = exchange.path / "openspec/changes/add-cart"
    outside = exchange.path.parent / "outside.md"
    outside.write_text("not of this project")
    told = {
        "contextFiles": {"proposal": [str(folder / "proposal.md")], "tasks": [str(folder / "tasks.md")]},
        "tasks": [{"id": str(number), "description": "x", "done": False} for number in range(5)],
    }
    openspec = stand_in("openspec", "print(json.dumps(data))", **told)
    imported = exchange.imports("openspec/changes/add-cart")
    assert openspec.calls == [["instructions", "apply", "--change", "add-cart", "--json"]]
    assert exchange.tasks()["1.2"].relevant_files == ("openspec/changes/add-cart/proposal.md",)
    assert imported.notes == ("openspec counts 1 box more, in code fences or comments: they are text",)


def test_an_openspec_that_fails_leaves_its_files_to_be_read(exchange, stand_in):
    shutil.copytree(PLAN_FILES / "openspec", exchange.path, dirs_exist_ok=True)
    stand_in("openspec", FAILS, says="node is too old")
    imported = exchange.imports("openspec/changes/add-cart")
    assert imported.tasks == ("1.1", "1.2", "2.1", "2.2")
    assert "openspec could not be asked, so its files are read" in imported.notes[0]
    assert "node is too old" in imported.notes[0]
