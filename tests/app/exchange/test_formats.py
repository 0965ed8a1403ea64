"""Plans of other tools, as those tools write them: in, and back with nothing changed but what is done."""

import json
import shutil
import time

import pytest

from exchanges import changed_lines
from ralph.model.errors import ConfigError
from stand_ins import PLAN_FILES

TASK_MASTER = ".taskmaster/tasks/tasks.json"
PLAN = "docs/plans/2026-11-01-greeting.md"
CHANGE = "openspec/changes/add-cart/tasks.md"
LIMITS = "_bmad-output/specs/limits"


@pytest.fixture
def plan(exchange):
    def copied(name):
        shutil.copytree(PLAN_FILES / name, exchange.path, dirs_exist_ok=True)
        return exchange

    return copied


@pytest.mark.parametrize(
    ("name", "source", "how"),
    [
        ("spec-kit", "specs/001-shopping-cart/tasks.md", {}),
        ("openspec", CHANGE, {}),
        ("task-master", TASK_MASTER, {"part": "master"}),
        ("prd-json", "prd.json", {}),
        ("ralphex", PLAN, {}),
        ("bmad", f"{LIMITS}/stories.yaml", {}),
    ],
)
def test_each_format_is_found_by_looking(plan, name, source, how):
    imported = plan(name).imports(**how)
    assert (imported.format, imported.source) == (name, source)


def test_spec_kit_template_of_the_real_tool(plan):
    exchange = plan("spec-kit")
    imported = exchange.imports("specs/001-shopping-cart")
    assert imported.tasks == tuple(f"T{number:03}" for number in range(1, 18))
    tasks = exchange.tasks()
    assert tasks["T005"].dependencies == tasks["T006"].dependencies == ("T004",)
    assert tasks["T007"].dependencies == ("T005", "T006")
    assert tasks["T014"].dependencies == ("T010", "T011", "T012", "T013")


def test_task_master_tagged_shape(plan):
    exchange = plan("task-master")
    with pytest.raises(ConfigError, match=r"holds 2 plans: master, later. Choose: --tag TAG, or --all"):
        exchange.imports(TASK_MASTER)
    with pytest.raises(ConfigError, match=r"there is no tag 'none': the source has master, later"):
        exchange.imports(TASK_MASTER, part="none")
    imported = exchange.imports(TASK_MASTER, part="master", spec="shop")
    assert imported.tasks == ("1", "2", "3")
    assert imported.closed == {"3": "done before the import"}
    tasks = exchange.tasks()
    assert tasks["2"].dependencies == ("1",)
    assert "- Name the file: d" in tasks["2"].description
    assert tasks["1"].priority < tasks["2"].priority


def test_task_master_other_tags_stay_byte_for_byte(plan):
    exchange = plan("task-master")
    before = exchange.bytes(TASK_MASTER).replace(b"\n", b"\r\n")
    exchange.write(TASK_MASTER, before)
    exchange.imports(TASK_MASTER, part="master")
    exchange.imports(TASK_MASTER, part="later")
    exchange.complete("2")
    synced = exchange.sync("master")
    assert [each.is_new for each in synced.tasks] == [True]
    after = exchange.bytes(TASK_MASTER)
    assert [(was.strip(), now.strip()) for was, now in changed_lines(before, after).values()] == [
        (b'"status": "pending",', b'"status": "done",'),
        (b'"status": "pending",', b'"status": "done",'),
    ]
    old, new = json.loads(before), json.loads(after)
    assert new["later"] == old["later"]
    assert [task["status"] for task in new["master"]["tasks"]] == ["pending", "done", "done"]
    assert new["master"]["tasks"][1]["subtasks"][0]["status"] == "done"


def test_the_same_ids_in_two_tags(plan):
    exchange = plan("task-master")
    exchange.imports(TASK_MASTER, part="master")
    later = exchange.imports(TASK_MASTER, part="later")
    assert later.renamed == {"1": "later-1"}
    exchange.complete("later-1")
    exchange.sync("later")
    data = json.loads(exchange.bytes(TASK_MASTER))
    assert data["later"]["tasks"][0]["status"] == "done"
    assert data["master"]["tasks"][0]["status"] == "pending"


def test_task_master_older_shape_without_tags_or_status(exchange):
    text = '{"tasks":[{"id":1,"title":"a"},{"id":2,"title":"b","status":"cancelled","dependencies":["1.2"]}]}'
    exchange.write("tasks/tasks.json", text)
    imported = exchange.imports()
    assert (imported.spec, imported.closed) == ("task-master", {"2": "cancelled before the import"})
    assert exchange.tasks()["2"].dependencies == ("1",)
    exchange.complete("1")
    exchange.sync("task-master")
    assert exchange.bytes("tasks/tasks.json").decode() == text.replace('"title":"a"', '"title":"a", "status": "done"')


def test_prd_json(plan):
    exchange = plan("prd-json")
    imported = exchange.imports("prd.json")
    assert (imported.spec, imported.title) == ("task-priority", "MyApp")
    assert imported.closed == {"US-001": "done before the import"}
    assert imported.without_criteria == ()
    tasks = exchange.tasks()
    assert tasks["US-003"].dependencies == ("US-002",)
    assert tasks["US-002"].completion_spec.asked == ("Each task card shows a colored priority badge",)
    before = exchange.bytes("prd.json")
    exchange.complete("US-002")
    exchange.sync("task-priority")
    assert changed_lines(before, exchange.bytes("prd.json")) == {
        33: (b'      "passes": false,\n', b'      "passes": true,\n')
    }


def test_ralphex_plan(plan):
    exchange = plan("ralphex")
    imported = exchange.imports(PLAN)
    assert (imported.spec, imported.title) == ("2026-11-01-greeting", "Greeting")
    assert imported.tasks == ("TASK-1", "TASK-2")
    assert exchange.tasks()["TASK-2"].dependencies == ("TASK-1",)
    before = exchange.bytes(PLAN)
    exchange.complete("TASK-1")
    exchange.sync("2026-11-01-greeting")
    assert [now for _, now in changed_lines(before, exchange.bytes(PLAN)).values()] == [
        b"- [x] create one.txt\n",
        b"  - [x] with a capital letter\n",
    ]


def test_ralphex_box_that_a_person_ticked_meanwhile_is_no_other_text(plan):
    exchange = plan("ralphex")
    exchange.imports(PLAN, spec="s")
    exchange.complete("TASK-1")
    exchange.write(PLAN, exchange.bytes(PLAN).replace(b"- [ ] create one.txt", b"- [x] create one.txt"))
    assert [each.problem for each in exchange.sync("s").tasks] == [""]


def test_openspec_files_without_the_program(plan):
    exchange = plan("openspec")
    imported = exchange.imports("openspec/changes/add-cart")
    assert (imported.spec, imported.tasks) == ("add-cart", ("1.1", "1.2", "2.1", "2.2"))
    assert imported.closed == {"1.1": "done before the import"}
    tasks = exchange.tasks()
    assert tasks["2.1"].dependencies == ("1.2",)
    assert tasks["2.1"].relevant_files == (
        "openspec/changes/add-cart/proposal.md",
        "openspec/changes/add-cart/design.md",
        "openspec/changes/add-cart/specs/cart/spec.md",
    )
    text = exchange.bytes(".ralph/specs/add-cart/spec.md").decode()
    assert "The system SHALL keep the items of a shopper." in text
    before = exchange.bytes(CHANGE)
    exchange.complete("2.2", "1.2")
    exchange.sync("add-cart")
    assert [now for _, now in changed_lines(before, exchange.bytes(CHANGE)).values()] == [
        b"- [x] 1.2 Write one.txt and verify that it says good\n",
        b"- [x] 2.2 Document both files\n",
    ]


def test_bmad_story_file_gets_the_status(plan):
    exchange = plan("bmad")
    imported = exchange.imports(LIMITS)
    assert (imported.spec, imported.title, imported.tasks) == ("limits", "Rate limits", ("STORY-1", "STORY-2"))
    assert exchange.tasks()["STORY-2"].dependencies == ("STORY-1",)
    story, stories = f"{LIMITS}/stories/1-add-rate-limiting.md", f"{LIMITS}/stories.yaml"
    before = exchange.bytes(story), exchange.bytes(stories)
    exchange.complete("STORY-1", "STORY-2")
    first, second = exchange.sync("limits").tasks
    assert first.is_new
    assert second.note == "BMAD has no status for it: there is no stories/2-*.md"
    [(was, now)] = changed_lines(before[0], exchange.bytes(story)).values()
    assert was.replace(b"'draft'", b"'done'") == now
    assert exchange.bytes(stories) == before[1]
    assert exchange.imports(LIMITS, spec="again").closed == {"again-STORY-1": "done before the import"}


CYCLE = json.dumps(
    {"tasks": [{"id": 1, "title": "a", "dependencies": [2]}, {"id": 2, "title": "b", "dependencies": [1]}]}
).encode()
HALF = PLAN_FILES.joinpath("prd-json/prd.json").read_bytes()[:-200]


@pytest.mark.parametrize(
    ("name", "raw", "words"),
    [
        ("prd.json", HALF, "prd.json is not valid JSON: "),
        ("tasks.json", b'{"master": {"tasks": [', "tasks.json is not valid JSON: Expecting value at line 1"),
        ("prd.json", b'{"userStories": [{"title": "a"}]}', "story 1: Object missing required field `id`"),
        ("prd.json", b'{"userStories": []}', "prd.json has no stories"),
        ("tasks.json", b'{"a": {"tasks": [{"id": 1}]}}', "task 1: Object missing required field `title`"),
        ("tasks.json", b'{"tasks": 1, "tasks": []}', 'the key "tasks" occurs twice'),
        ("stories.yaml", b"- id: 1\n  title: a\n", "stories.yaml is not a list of stories: Expected `str`, got `int`"),
        ("stories.yaml", b"a: [", "stories.yaml is not valid YAML"),
        ("other.json", b"[1, 2]", "ralph cannot detect the format of other.json"),
        ("other.json", b"[" * 100_000, "other.json is not valid JSON"),
        ("cycle.json", CYCLE, "wait for each other: 1 -> 2 -> 1"),
        ("odd.json", b'{"tasks": [{"id": 1, "title": "a", "details": "\\ud800"}]}', "is not text"),
        ("none.md", None, "there is no none.md"),
    ],
)  # fmt: skip
def test_damaged_files_are_one_clear_line(exchange, name, raw, words):
    if raw is not None:
        exchange.write(name, raw)
    with pytest.raises(ConfigError) as refused:
        exchange.imports(name)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert exchange.tasks() == {}


def test_an_unknown_format_names_the_nearest(exchange):
    with pytest.raises(ConfigError, match=r"there is no format 'speckit'; the nearest is spec-kit"):
        exchange.imports("x", format="speckit")


def test_50_mb_of_json_are_refused_unread(exchange):
    with exchange.write("tasks.json", b"").open("r+b") as file:
        file.truncate(50_000_000)
    with pytest.raises(ConfigError, match=r"tasks.json has 50.0 MB; the limit is 10 MB"):
        exchange.imports("tasks.json")


def test_a_thousand_large_tasks_are_read_and_marked_in_one_pass_over_the_file(exchange):
    tasks = [{"id": number, "title": f"Task {number}", "details": "x" * 8000} for number in range(1000)]
    exchange.write("tasks.json", json.dumps({"tasks": tasks}))
    began = time.process_time()
    exchange.imports("tasks.json", spec="s")
    exchange.complete("7")
    exchange.sync("s")
    # Once for each task would be gigabytes.
    assert time.process_time() - began < 20
    assert json.loads(exchange.bytes("tasks.json"))["tasks"][7]["status"] == "done"
