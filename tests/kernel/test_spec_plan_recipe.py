"""The spec-plan recipe: rounds of questions, the text, the chunks, and what ends it."""

import json

import pytest

from plans import question
from playing import given_up, play
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.actions.people import Answers, AskPerson, Opinion, ShowDraft
from ralph.kernel.actions.planning import BuildContext
from ralph.kernel.actions.proof import Snapshot, TakeSnapshot
from ralph.kernel.actions.spec_plan import WriteChunks, WriteSpecText, WrittenTasks, WrittenText
from ralph.kernel.chunk_draft import MOST_CHUNKS, PresentTask, chunks_in
from ralph.kernel.completion import RoleDefaults
from ralph.kernel.plan_options import Exchange, SpecPlanRun
from ralph.kernel.planner_talk import UNUSABLE_ANSWERS
from ralph.kernel.recipes.spec_plan import spec_plan_loop
from ralph.model.context import ChunkContext, CodebaseContext
from ralph.model.verdicts import AgentFailed, Verified, exit_code
from spec_plans import chunk, chunks, spec

ROLES = {"coder": RoleDefaults("MADE"), "qa": RoleDefaults("PASSED")}
KNOWN = {"title": "Search", "roles": ROLES, "rules": ("Use tabs",), "steps": ("make test",)}
NEW = SpecPlanRun("new", "search", said="A search box", **KNOWN)
REFINE = SpecPlanRun("refine", "search", text="# Search\n\nOld text.\n", said="No payment", **KNOWN)
PLAN = SpecPlanRun(
    "plan",
    "search",
    text="# Search\n\nOld text.\n",
    present=(PresentTask("T001", "Begin", "completed"), PresentTask("T002", "Go on", depends_on=("T001",))),
    **KNOWN,
)
TASKS = SpecPlanRun("tasks", "search", said="A login", guide="### Required Fields", **KNOWN)
CODE = CodebaseContext(("Python (3 files)",), framework="Flask", types=("Order (app.py)",))


def answered(*texts, by_default=False):
    def answer(action):
        pairs = zip(action.questions, texts or ["yes"] * len(action.questions), strict=True)
        return Answers(tuple(Exchange(each.question, text, by_default) for each, text in pairs))

    return answer


def plan(run, *answers, person=None, opinions=None, missing=(), more=None):
    given = {
        TakeSnapshot: Snapshot("tree"),
        BuildContext: ChunkContext(codebase_context=CODE, missing_files=tuple(missing)),
        AskModel: [Answer(value=json.loads(each)) for each in answers],
        AskPerson: person or answered(),
        ShowDraft: opinions or Opinion(),
        WriteSpecText: WrittenText(),
        WriteChunks: WrittenTasks(),
    }
    return play(spec_plan_loop(run), given | (more or {}))


def of(kind, actions):
    return [each for each in actions if isinstance(each, kind)]


def prompts(actions):
    return [each.prompt for each in of(AskModel, actions)]


def test_an_intent_becomes_a_text_and_chunks_after_a_round_of_questions():
    actions, verdict = plan(NEW, spec(question()), spec(), chunks(), person=answered("In a file"))
    assert isinstance(verdict, Verified)
    assert verdict.reason == "planned after 3 calls: the tasks are written; nothing was run"
    [text] = of(WriteSpecText, actions)
    assert text.text.startswith("# Search\n\n## Intent\nA search box\n\n## Goal\nClerks find orders.")
    assert text.text.endswith("## Questions and answers\n- **Where is the greeting kept?** In a file\n")
    [written] = of(WriteChunks, actions)
    assert [each.id for each in chunks_in(written.chunks)] == ["T001"]
    assert actions.index(text) < actions.index(written)
    assert text.text.strip() in prompts(actions)[2], "the chunks are cut from what was agreed"


def test_the_prompt_carries_spec_codebase_rules_checks_and_present_tasks_and_says_what_a_good_chunk_is():
    actions, _ = plan(PLAN, chunks(chunk(3)))
    [said] = prompts(actions)
    for part in (
        "## Spec\n# Search\n\nOld text.",
        "## Codebase\nLanguages: Python (3 files)\nFramework: Flask\nKey Types: Order (app.py)",
        "## Global Rules\n- Use tabs",
        "## Verification of every chunk\n- make test",
        "- T001: Begin (completed: it stays as it is)\n- T002: Go on (pending, after T001)",
        "is one session's work",
        "step by step",
        "the files to check before starting",
        "only where it uses what that chunk puts out",
        "`acceptanceCriteria` with their type",
    ):
        assert part in said


def test_of_a_round_the_five_questions_with_the_most_impact_are_asked_each_with_its_recommended_answer_first():
    many = [question(question=f"Q{number}?", impact="low" if number < 3 else "high") for number in range(7)]
    many[3] |= {"options": ["a", "b", "c", "d", "e", "f"], "default": "f"}
    actions, _ = plan(NEW, spec(*many), spec(), chunks())
    [asked] = of(AskPerson, actions)
    assert [each.question for each in asked.questions] == ["Q3?", "Q4?", "Q5?", "Q6?", "Q0?"]
    assert asked.questions[0].options == ["f", "a", "b", "c", "d"]


def test_refining_shows_the_new_text_against_the_old_one_and_leaves_the_tasks_alone():
    actions, verdict = plan(REFINE, spec(question()), spec(), person=answered("In a file"))
    assert (
        verdict.reason == "planned after 2 calls: the text is written; its tasks are as they were, and nothing was run"
    )
    [shown] = of(ShowDraft, actions)
    assert shown.before == REFINE.text
    [written] = of(WriteSpecText, actions)
    assert (written.expected, written.is_kept) == (REFINE.text, True)
    assert not of(WriteChunks, actions)
    assert "The user wants this changed:\nNo payment" in prompts(actions)[0]


def test_tasks_from_a_text_have_criteria_per_role():
    roles = [{"role": "coder", "promise": "DONE", "description": "", "command": "make test", "checkFor": []}]
    actions, _ = plan(TASKS, chunks(chunk(criteria=roles)))
    assert "### Required Fields" in prompts(actions)[0]
    assert "coder, qa" in prompts(actions)[0]
    [written] = of(WriteChunks, actions)
    assert chunks_in(written.chunks)[0].criteria == roles


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (chunks(*(chunk(number) for number in range(200))), f"200 chunks are too many: {MOST_CHUNKS} is the most"),
        (
            chunks(chunk(1, dependsOn=["T002"]), chunk(2, dependsOn=["T001"])),
            "These tasks wait for each other: T001 -> T002 -> T001.",
        ),
        (chunks(chunk(outcome="")), "Chunk T001: it has no outcome"),
        (chunks(chunk(), chunk()), "The task id T001 occurs twice."),
        (chunks(chunk(dependsOn=["T009"])), "Task T001 depends on 'T009', which is not a task"),
        (chunks(chunk(acceptanceCriteria=[])), "Chunk T001: it has no acceptance criteria."),
        (chunks(chunk(acceptanceCriteria=[{"guess": "x"}])), "Chunk T001: acceptance criterion 1 must be a text or"),
        (chunks(chunk(relevantFiles=["../../etc/passwd"])), "'../../etc/passwd' is not a path in the project"),
        (chunks(chunk(id="a b")), "the task id 'a b' must be letters"),
        (chunks(chunk(criteria=[{"role": "boss"}])), "'boss' is not a role; roles are coder, qa"),
        (json.dumps({"chunks": []}), "There is no chunk."),
    ],
    ids=["200", "cycle", "no outcome", "twice", "dangling", "none", "kind", "outside", "id", "role", "nothing"],
)
def test_chunks_that_cannot_be_written_are_asked_for_again_with_the_reason_then_given_up_in_one_line(bad, told):
    actions, verdict = plan(NEW, spec(), bad, chunks())
    assert isinstance(verdict, Verified)
    assert told in prompts(actions)[2]
    actions, verdict = plan(NEW, spec(), *[bad] * UNUSABLE_ANSWERS)
    assert isinstance(verdict, AgentFailed)
    assert exit_code(verdict) == 7
    assert verdict.reason.startswith("the planner gave no usable chunk plan: ")
    assert told in verdict.reason
    assert given_up(actions) == [verdict.reason]
    assert of(WriteSpecText, actions), "the text that was agreed is not lost"


def test_a_task_that_has_begun_cannot_be_replaced():
    actions, _ = plan(PLAN, chunks(chunk(1)), chunks(chunk(2)))
    assert "T001 has begun already: it stays as it is." in prompts(actions)[1]


def test_files_that_do_not_exist_are_named_to_whoever_decides():
    made = chunks(chunk(1, relevantFiles=["app.py", "gone.py"]))
    actions, verdict = plan(PLAN, made.replace("T001", "T003"), missing=["gone.py"])
    assert isinstance(verdict, Verified)
    [shown] = of(ShowDraft, actions)
    assert shown.notes == ("T003 names files that do not exist: gone.py. Unless another chunk makes them, correct it.",)
    line = shown.ended(Opinion(unseen=True)).text
    assert line.startswith("· chunk plan is accepted; nobody was asked\n  ! T003 names files")


def test_answers_that_contradict_are_shown_with_the_text_and_kept_in_it():
    twice = [spec(question()), spec(question())]
    said = iter(["In a file", "In a constant"])

    def person(action):
        return answered(next(said))(action)

    actions, _ = plan(
        NEW,
        *twice,
        spec(contradictions=["No files, but one is wanted: no files"]),
        chunks(),
        person=person,
    )
    shown = of(ShowDraft, actions)[0]
    assert shown.notes == (
        'This contradicts itself: "Where is the greeting kept?" was answered "In a file", then "In a constant"',
        "This contradicts itself: No files, but one is wanted: no files",
    )
    assert "- **Contradiction** No files, but one is wanted: no files" in shown.text
    assert "** In a file\n" in shown.text
    assert "** In a constant\n" in shown.text


def test_an_empty_text_is_asked_for_again():
    actions, verdict = plan(NEW, spec(text="## Goal\n"), spec(), chunks())
    assert isinstance(verdict, Verified)
    assert "`text` is empty: write the spec there." in prompts(actions)[1]


def test_a_wish_goes_to_the_planner_with_the_chunks_as_the_person_has_changed_them():
    mine = json.dumps([chunk(7)])
    opinions = [Opinion(), Opinion(wish="Smaller", text=mine), Opinion(text=mine)]
    actions, _ = plan(NEW, spec(), chunks(), chunks(), opinions=opinions)
    assert "They said:\nSmaller" in prompts(actions)[2]
    assert '"T007"' in prompts(actions)[2]
    assert of(WriteChunks, actions)[0].chunks == mine


def test_prose_instead_of_an_answer_ends_it_with_exit_code_7_and_nothing_is_written():
    prose = Answer(reason="the answer cannot be used: it contains no JSON object")
    actions, verdict = plan(NEW, more={AskModel: prose})
    assert verdict.reason == "the planner gave no plan: the answer cannot be used: it contains no JSON object"
    assert exit_code(verdict) == 7
    assert not of(WriteSpecText, actions)
