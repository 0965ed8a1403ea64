"""The reviewer of the bed is right about what ralph's own question shows it, and opens the rest in its folder."""

import json

import pytest

from honesty.catalogue import HERE, load
from honesty.reviewer import QUESTION, review
from ralph.kernel.actions.checks import FileDiff
from ralph.kernel.review_question import Part, review_question
from ralph.kernel.review_rules import Asked
from ralph.kernel.stage_text import TaskText
from ralph.model.reviews import ReviewBy
from ralph.testing import temp_repo

BEHAVIOUR = load(HERE / "behaviours/judge_blinded_by_attributes.py").behaviour
ASKED = Asked(ReviewBy("quick", "bed"), TaskText("T-1", "Fix the shop"))


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, BEHAVIOUR.base)


def change(repo, path, text):
    repo.write(path, text)
    repo.git("add", "--all")
    return FileDiff(path, repo.git("diff", "--cached", "--", path))


def fixed(repo):
    path, wrong, right = BEHAVIOUR.start.bug
    return change(repo, path, repo.read(path).replace(wrong, right))


def answer(repo, *shown, **part):
    prompt = review_question(ASKED, Part(shown, **part), "00112233445566aa")
    assert prompt.startswith(QUESTION)
    return json.loads(review(prompt, BEHAVIOUR, repo.path)["final"])


def test_what_is_shown_and_right_ships(repo):
    assert answer(repo, fixed(repo)) == {"decision": "SHIP", "issues": [], "opened": []}


def test_what_is_shown_and_wrong_is_named_by_its_changed_lines(repo):
    said = answer(repo, fixed(repo), change(repo, "tariff.txt", "700\n"))
    assert said["decision"] == "REVISE"
    [shop, tariff] = said["issues"]
    assert (tariff["file"], tariff["lines"], tariff["quote"]) == ("tariff.txt", [1, 1], "700")
    assert shop["quote"] in repo.git("diff", "--cached", "--", "shop.py")


def test_what_is_not_shown_is_opened(repo):
    shop = fixed(repo)
    change(repo, "tariff.txt", "700\n")
    hidden = FileDiff("tariff.txt", "", 4, "binary")
    assert answer(repo, shop)["decision"] == "SHIP"
    said = answer(repo, shop, hidden=(hidden,))
    assert (said["decision"], said["opened"]) == ("REVISE", ["tariff.txt"])
    assert answer(repo, shop, elsewhere=("tariff.txt",))["decision"] == "REVISE"


def test_without_a_line_it_names_the_file(repo):
    [issue] = answer(repo, change(repo, "empty", ""))["issues"]
    assert (issue["file"], issue["lines"], issue["quote"]) == ("empty", [], "")
