"""`ralph spec pr` on a real repository with a real remote; `gh` and `glab` are stand-ins that record their argv."""

import json

import pytest

from chunk_crew import SHIP, issue, revise
from pull_request_scene import PullRequestScene
from refusals import one_clear_line


@pytest.fixture
def scene(tmp_path, monkeypatch):
    return PullRequestScene(tmp_path, monkeypatch)


def refuse_pushes(scene, words="protected by policy"):
    hook = scene.host.bare / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 1\n")
    hook.chmod(0o755)


class TestOpening:
    def test_the_branch_is_pushed_and_a_pull_request_opened(self, scene):
        scene.reviewed_by(SHIP)
        told = scene.good("--quiet")
        assert scene.host.head("refs/heads/ralph/s") == scene.tip
        assert f"Pushed ralph/s ({scene.tip[:12]}) to origin" in told
        assert "Opened the pull request #12 into main: https://github.com/acme/shop/pull/12\n" in told
        [create] = scene.host.called("create")
        assert create["argv"] == [
            *("pr", "create", "--head", "ralph/s", "--base", "main", "--title", "s", "--body-file", "-"),
            *("--repo", "github.com/acme/shop"),
        ]
        assert create["env"]["GH_PROMPT_DISABLED"] == "1"
        assert "It has a cart now." in create["stdin"]
        assert "| final | 1 | 1 | 0 | 0 | 0, 0, 0 |" in create["stdin"]
        verbs = [call["argv"][1] for call in scene.host.calls]
        assert verbs == ["list", "create", "list", "view"]

    def test_json_has_all_that_was_done(self, scene):
        done = json.loads(scene.good("--json"))
        assert (done["pushed"], done["action"], done["number"], done["isDraft"]) == (True, "opened", 12, True)
        assert (done["branch"], done["base"], done["commit"]) == ("ralph/s", "main", scene.tip)
        assert done["notesPushed"] is False

    def test_a_dry_run_pushes_and_opens_nothing(self, scene):
        told = scene.good("--dry-run")
        assert told.startswith("ralph/s -> main: s\n\n<!-- ralph: begin -->")
        assert scene.host.head("refs/heads/ralph/s") == ""
        assert [call["argv"][1] for call in scene.host.calls] == ["list"]

    def test_opened_is_not_said_of_what_is_not_there(self, scene):
        scene.host.set(lies=True)
        done = scene.pr()
        one_clear_line(done, 9, "ralph/s is pushed, but gh said that it opened a pull request of ralph/s")

    def test_pushed_is_not_said_of_what_is_not_there(self, scene):
        hook = scene.host.bare / "hooks/post-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\ngit update-ref -d refs/heads/ralph/s\n")
        hook.chmod(0o755)
        one_clear_line(scene.pr(), 9, "is not there")
        assert scene.host.called("create") == []

    def test_commits_of_people_are_named(self, scene):
        scene.commit_by_hand("Fix a typo by @hand")
        scene.good()
        body = scene.host.prs[0]["body"]
        assert "Commits that no task delivered" in body
        assert "Fix a typo by @hand (Test)`" in body


class TestFinalReview:
    def test_it_is_made_once_for_the_same_files_and_ships(self, scene):
        scene.reviewed_by(SHIP)
        scene.good("--quiet")
        assert (len(scene.reviewer.starts), scene.host.prs[0]["isDraft"]) == (1, False)
        scene.good("--quiet")
        assert len(scene.reviewer.starts) == 1
        scene.tasks(("T-2", {}))
        scene.deliver("T-2")
        scene.good("--quiet")
        assert len(scene.reviewer.starts) == 2

    def test_without_ship_only_a_draft_is_opened_and_with_it_the_draft_is_ready(self, scene):
        scene.reviewed_by(revise(issue("@bob it leaks", file="T-1.txt")), SHIP)
        told = scene.good("--quiet")
        assert "Opened the draft pull request #12" in told
        assert "It is a draft: the final review asks for changes." in told
        assert "**Draft:** the final review asks for changes." in scene.host.prs[0]["body"]
        assert "- `T-1.txt:1: @bob it leaks`" in scene.host.prs[0]["body"]
        scene.tasks(("T-2", {}))
        scene.deliver("T-2")
        told = scene.good("--quiet")
        assert "Updated the pull request #12" in told
        assert scene.host.prs[0]["isDraft"] is False
        assert scene.host.called("ready")[0]["argv"][:3] == ["pr", "ready", "12"]

    def test_a_ready_one_becomes_a_draft_again_where_the_new_work_does_not_ship(self, scene):
        scene.reviewed_by(SHIP, revise(issue(file="T-2.txt")))
        scene.good("--quiet")
        scene.tasks(("T-2", {}))
        scene.deliver("T-2")
        assert "Updated the draft pull request #12" in scene.good("--quiet")
        assert scene.host.prs[0]["isDraft"] is True

    def test_where_nobody_reviews_it_is_a_draft(self, scene):
        assert "It is a draft: defaults.finalReviewer is none, so there is no final review." in scene.good()
        assert scene.host.called("create")[0]["argv"][-3] == "--draft"

    def test_a_spec_with_open_tasks_is_a_draft_and_is_not_reviewed(self, scene):
        scene.reviewed_by(SHIP)
        scene.tasks(("T-2", {}), ("T-3", {}))
        assert "It is a draft: 2 tasks of the spec are open." in scene.good()
        assert scene.reviewer.starts == []
        assert "Open: `T-2`, `T-3`." in scene.host.prs[0]["body"]

    def test_a_review_of_another_base_does_not_stand(self, scene):
        scene.reviewed_by(SHIP)
        scene.good("--quiet")
        scene.repo.git("branch", "old", "main~0")
        scene.repo.write("more.txt", "1")
        scene.repo.commit_all("more")
        scene.repo.git("push", "--quiet", "origin", "main", "old")
        scene.repo.git("switch", "--quiet", "ralph/s")
        scene.repo.git("merge", "--quiet", "--no-edit", "main")
        scene.repo.git("switch", "--quiet", "main")
        scene.good("--quiet")
        assert len(scene.reviewer.starts) == 2

    def test_a_reviewer_that_is_missing_ends_it_before_anything_is_pushed(self, scene):
        scene.settings(
            defaults={"executor": "one", "finalReviewer": "last"},
            tools={
                "executors": [{"id": "one", "type": "claude", "command": "no-such-claude"}],
                "reviewers": [{"id": "last", "agent": "one"}],
            },
        )
        one_clear_line(scene.pr(), 7, "no-such-claude")
        assert scene.host.head("refs/heads/ralph/s") == ""


class TestUpdating:
    def test_what_people_wrote_around_it_stays(self, scene):
        scene.good()
        body = scene.host.prs[0]["body"]
        scene.host.change_pr(body=f"Please look at the cart first.\n\n{body}\nThanks!\n", title="Cart")
        scene.tasks(("T-2", {}))
        scene.deliver("T-2", "And a list.")
        assert "Updated the draft pull request #12" in scene.good()
        [pr] = scene.host.prs
        assert pr["body"].startswith("Please look at the cart first.\n\n<!-- ralph: begin -->")
        assert pr["body"].endswith("<!-- ralph: end -->\n\nThanks!\n")
        assert pr["body"].count("ralph: begin") == 1
        assert "And a list." in pr["body"]
        assert pr["title"] == "Cart"
        assert scene.host.head("refs/heads/ralph/s") == scene.tip

    def test_a_base_that_somebody_chose_there_stays_unless_another_is_asked_for(self, scene):
        scene.repo.git("push", "--quiet", "origin", "main:develop")
        scene.good()
        scene.host.change_pr(baseRefName="develop")
        assert "into develop" in scene.good()
        assert "into main" in scene.good("--base", "main")
        assert scene.host.prs[0]["baseRefName"] == "main"

    def test_one_that_is_closed_while_it_is_updated_is_told(self, scene):
        scene.good()
        scene.host.set(meanwhile="CLOSED")
        one_clear_line(scene.pr(), 9, "#12 (https://github.com/acme/shop/pull/12) was closed in the meantime")


class TestEndedMeanwhile:
    @pytest.mark.parametrize(
        ("state", "told"),
        [
            ("CLOSED", "was closed: https://github.com/acme/shop/pull/12. Open it again: gh pr reopen 12"),
            ("MERGED", "was merged: https://github.com/acme/shop/pull/12. Open another one"),
        ],
    )
    def test_it_is_one_line_and_nothing_is_pushed(self, scene, state, told):
        scene.good()
        scene.host.change_pr(state=state)
        before = scene.host.head("refs/heads/ralph/s")
        scene.tasks(("T-2", {}))
        scene.deliver("T-2")
        one_clear_line(scene.pr(), 2, told, "ralph spec pr s --again")
        assert scene.host.head("refs/heads/ralph/s") == before

    def test_again_opens_another_one(self, scene):
        scene.good()
        scene.host.change_pr(state="MERGED")
        assert "Opened the draft pull request #13" in scene.good("--again")

    def test_a_merged_one_says_that_the_branch_has_moved_on(self, scene):
        scene.good()
        scene.host.change_pr(state="MERGED", headRefOid="f" * 40)
        one_clear_line(scene.pr(), 2, "was merged, and the branch has moved on since")

    def test_one_of_a_fork_with_a_branch_of_the_same_name_is_another(self, scene):
        scene.good()
        scene.host.change_pr(isCrossRepository=True)
        assert "Opened the draft pull request #13" in scene.good()


class TestWithout:
    def test_gh_the_branch_is_pushed_and_a_ready_description_printed(self, scene):
        (scene.host.bin / "gh").unlink()
        told = scene.good()
        assert scene.host.head("refs/heads/ralph/s") == scene.tip
        assert "No pull request was opened: gh is not on PATH. Open one of ralph/s into main." in told
        assert "## Criteria\n" in told
        assert "Opened" not in told

    def test_a_server_for_code_too(self, scene):
        scene.repo.git("remote", "set-url", "origin", str(scene.host.bare))
        assert "is not on a code host" in scene.good()
        assert scene.host.head("refs/heads/ralph/s") == scene.tip
        assert scene.host.calls == []

    def test_a_remote_the_description_is_printed_and_nothing_is_claimed(self, scene):
        scene.repo.git("remote", "remove", "origin")
        done = scene.pr()
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert "there is no remote to push to. Add one, then run it again: git remote add origin URL" in done.err
        assert done.out.startswith("ralph/s -> main: s\n")
        assert "Pushed" not in done.out

    def test_a_login_it_says_what_is_pushed_and_what_gh_said(self, scene):
        scene.host.set(fails="create")
        one_clear_line(scene.pr(), 9, "ralph/s is pushed, but gh pr create failed: HTTP 401", "gh auth status")
        assert scene.host.head("refs/heads/ralph/s") == scene.tip

    def test_a_branch_it_says_how_to_get_one(self, scene):
        scene.tasks(("X-1", {}), spec="other")
        one_clear_line(
            scene.ralph("spec", "pr", "other"), 2, "spec other has no branch ralph/other yet", "ralph spec run other"
        )
        one_clear_line(scene.ralph("spec", "pr", "nothing"), 2, "there is no spec 'nothing'")


class TestPushing:
    def test_a_push_that_is_refused_is_one_line_and_changes_nothing(self, scene):
        refuse_pushes(scene)
        one_clear_line(scene.pr(), 9, "the push of ralph/s to origin", "was refused", "protected by policy")
        assert (scene.host.head("refs/heads/ralph/s"), scene.host.called("create")) == ("", [])

    def test_other_commits_there_are_never_written_over(self, scene):
        scene.repo.git("push", "--quiet", "origin", "main:ralph/s")
        scene.repo.git("switch", "--quiet", "--orphan", "elsewhere")
        scene.repo.git("commit", "--quiet", "--allow-empty", "--message", "theirs")
        scene.repo.git("push", "--quiet", "--force", "origin", "elsewhere:ralph/s")
        scene.repo.git("switch", "--quiet", "main")
        before = scene.host.head("refs/heads/ralph/s")
        one_clear_line(scene.pr(), 9, "was refused", "git fetch origin ralph/s")
        assert scene.host.head("refs/heads/ralph/s") == before

    def test_a_remote_that_is_gone_is_one_line(self, scene):
        scene.host.bare.rename(scene.root / "gone.git")
        one_clear_line(scene.pr(), 9, "origin", "does not answer")

    def test_proof_notes_go_along_and_those_of_others_stay(self, scene):
        scene.repo.git("notes", "--ref=ralph-proof", "add", "-m", "theirs", "main")
        scene.repo.git("push", "--quiet", "origin", "refs/notes/ralph-proof")
        scene.repo.git("update-ref", "-d", "refs/notes/ralph-proof")
        scene.repo.git("notes", "--ref=ralph-proof", "add", "-m", "{}", "ralph/s")
        assert "with the proof notes" in scene.good()
        listed = scene.repo.run("git", "--git-dir", str(scene.host.bare), "notes", "--ref=ralph-proof", "list").stdout
        assert len(listed.splitlines()) == 2
        assert "**unreadable record**" in scene.host.prs[0]["body"]

    def test_notes_that_are_refused_are_told_after_the_branch_is_there(self, scene):
        scene.repo.git("notes", "--ref=ralph-proof", "add", "-m", "{}", "ralph/s")
        hook = scene.host.bare / "hooks/update"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text('#!/bin/sh\ncase "$1" in refs/notes/*) exit 1;; esac\n')
        hook.chmod(0o755)
        one_clear_line(scene.pr(), 9, "ralph/s is pushed to origin", "but its proof notes are not")


class TestBase:
    def test_it_is_the_branch_at_which_the_work_began(self, scene):
        scene.repo.git("switch", "--quiet", "--create", "develop")
        scene.repo.write("develop.txt", "1")
        scene.repo.commit_all("develop")
        scene.repo.git("push", "--quiet", "origin", "develop")
        scene.repo.git("switch", "--quiet", "main")
        scene.tasks(("D-1", {}), spec="d")
        scene.deliver("D-1", branch="ralph/d", base="develop")
        assert scene.ralph("spec", "pr", "d").code == 0
        assert scene.good()
        assert [pr["baseRefName"] for pr in scene.host.prs] == ["develop", "main"]

    def test_of_several_it_is_the_one_that_is_checked_out(self, scene):
        scene.repo.git("push", "--quiet", "origin", "main:alpha", "main:zeta")
        scene.repo.git("fetch", "--quiet", "origin")
        scene.good()
        assert scene.host.prs[0]["baseRefName"] == "main"
        scene.repo.git("switch", "--quiet", "--create", "zeta", "origin/zeta")
        scene.host.change_pr(state="CLOSED")
        scene.good("--again")
        assert scene.host.prs[1]["baseRefName"] == "zeta"

    def test_one_that_the_remote_does_not_have_is_refused_with_the_nearest(self, scene):
        one_clear_line(scene.pr("--base", "mian"), 2, "has no branch 'mian'", "Did you mean main?")
        one_clear_line(scene.pr("--remote", "upstream"), 2, "there is no remote 'upstream'", "origin")

    def test_a_base_that_has_everything_already_leaves_nothing_to_open(self, scene):
        scene.repo.git("merge", "--quiet", "ralph/s")
        scene.repo.git("push", "--quiet", "origin", "main")
        one_clear_line(scene.pr(), 2, "main has all of ralph/s already")

    def test_commits_of_the_base_that_are_not_here_are_fetched(self, scene):
        there = scene.root / "there"
        scene.repo.run("git", "clone", "--quiet", str(scene.host.bare), str(there))
        for words in (("commit", "--quiet", "--allow-empty", "-m", "theirs"), ("push", "--quiet", "origin", "main")):
            scene.repo.run("git", "-C", str(there), "-c", "user.name=T", "-c", "user.email=t@example.invalid", *words)
        theirs = scene.host.head("refs/heads/main")
        refs = ("for-each-ref", "refs/remotes/origin/main", "refs/heads")
        before = scene.repo.git(*refs)
        assert "Opened" in scene.good("--base", "main")
        assert scene.repo.git("cat-file", "-t", theirs) == "commit\n"
        assert scene.repo.git(*refs) == before


class TestFork:
    """`origin` is a fork: the branch goes there, and the pull request is opened in the repository it came from."""

    @pytest.fixture
    def scene(self, tmp_path, monkeypatch):
        scene = PullRequestScene(tmp_path, monkeypatch, address="https://github.com/me/shop.git")
        upstream = tmp_path / "upstream.git"
        scene.repo.run("git", "init", "--quiet", "--bare", "--initial-branch=trunk", str(upstream))
        address = "https://github.com/acme/shop.git"
        scene.repo.git("config", "--global", f"url.{upstream}.insteadOf", address)
        scene.repo.git("remote", "add", "upstream", address)
        scene.repo.git("push", "--quiet", "upstream", "main:trunk")
        scene.repo.git("fetch", "--quiet", "upstream")
        return scene

    def test_it_is_opened_and_updated_in_the_repository_that_is_named(self, scene):
        told = scene.good("--into", "upstream")
        assert scene.host.head("refs/heads/ralph/s") == scene.tip
        assert "Opened the draft pull request #12 into trunk" in told
        [create] = scene.host.called("create")
        assert create["argv"][:6] == ["pr", "create", "--head", "me:ralph/s", "--base", "trunk"]
        assert create["argv"][-1] == "github.com/acme/shop"
        assert "Updated the draft pull request #12" in scene.good("--into", "upstream")

    def test_one_of_another_fork_with_a_branch_of_the_same_name_is_another(self, scene):
        scene.good("--into", "upstream")
        scene.host.change_pr(headRepositoryOwner={"login": "somebody"})
        assert "Opened the draft pull request #13" in scene.good("--into", "upstream")
        scene.host.change_pr(headRepositoryOwner=None)
        assert "Opened the draft pull request #14" in scene.good("--into", "upstream")

    def test_without_it_the_fork_itself_is_meant(self, scene):
        assert "into main" in scene.good()
        assert scene.host.called("create")[0]["argv"][-1] == "github.com/me/shop"

    def test_a_remote_that_is_not_there_is_refused_before_anything_is_pushed(self, scene):
        one_clear_line(scene.pr("--into", "nowhere"), 2, "there is no remote 'nowhere'", "origin, upstream")
        assert scene.host.head("refs/heads/ralph/s") == ""

    def test_another_server_is_said_and_the_description_printed(self, scene):
        scene.repo.git("remote", "set-url", "--push", "origin", str(scene.host.bare))
        scene.repo.git("config", "remote.origin.url", "https://git.example/me/shop.git")
        scene.repo.git("config", "--global", f"url.{scene.host.bare}.insteadOf", "https://git.example/me/shop.git")
        told = scene.good("--into", "upstream")
        assert "No pull request was opened: ralph cannot open a pull request from origin in upstream." in told
        assert scene.host.called("create") == []


class TestGitLab:
    @pytest.fixture
    def scene(self, tmp_path, monkeypatch):
        return PullRequestScene(tmp_path, monkeypatch, "glab")

    def test_a_merge_request_is_opened_and_updated(self, scene):
        assert (
            "Opened the draft merge request !7 into main: https://gitlab.com/acme/shop/-/merge_requests/7"
            in scene.good()
        )
        [create] = scene.host.called("create")
        assert create["argv"][:6] == ["mr", "create", "--source-branch", "ralph/s", "--target-branch", "main"]
        assert create["argv"][-2:] == ["--repo", "https://gitlab.com/acme/shop"]
        assert "--draft" in create["argv"]
        scene.reviewed_by(SHIP)
        assert "Updated the merge request !7" in scene.good("--quiet")
        assert scene.host.prs[0]["draft"] is False

    def test_one_that_was_merged_is_one_line(self, scene):
        scene.good()
        scene.host.change_pr(state="merged")
        one_clear_line(scene.pr(), 2, "merge request !7 of ralph/s was merged")


def test_a_server_of_another_name_belongs_to_the_program_that_is_logged_in_there(tmp_path, monkeypatch):
    scene = PullRequestScene(tmp_path, monkeypatch, address="git@code.example:acme/shop.git")
    assert "neither gh nor glab is installed and logged in to code.example" in scene.good()
    scene.host.set(logins=["code.example"])
    assert "Opened the draft pull request #12" in scene.good()
    assert scene.host.called("create")[0]["argv"][-1] == "code.example/acme/shop"


def test_secrets_of_the_environment_stay_out_of_the_description(tmp_path, monkeypatch):
    scene = PullRequestScene(tmp_path, monkeypatch)
    monkeypatch.setenv("SHOP_API_KEY", "sk-very-secret-0123456789")
    scene.tasks(("T-2", {}))
    scene.deliver("T-2", "The key is sk-very-secret-0123456789.")
    scene.good()
    assert "sk-very-secret" not in scene.host.prs[0]["body"]


def test_an_agent_cannot_open_one(tmp_path, monkeypatch):
    scene = PullRequestScene(tmp_path, monkeypatch)
    monkeypatch.setenv("RALPH_RUN_ID", "0123abcd")
    one_clear_line(scene.pr(), 2, "ralph spec pr cannot be used inside a run")


def test_gh_gets_the_token_that_is_its_login(tmp_path, monkeypatch):
    scene = PullRequestScene(tmp_path, monkeypatch)
    monkeypatch.setenv("GH_TOKEN", "ghp_0123456789abcdef")
    scene.good()
    [create] = scene.host.called("create")
    assert create["env"]["GH_TOKEN"] == "ghp_0123456789abcdef"
    assert scene.ralph("spec", "show", "s", "--stats").code == 0
    assert {call["env"].get("GH_TOKEN") for call in scene.host.calls} == {"ghp_0123456789abcdef"}
