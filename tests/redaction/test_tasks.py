"""Secrets that a person wrote into tasks and specs: no screen prints them, nothing that is published has them, and what
is exported is still the user's own text."""

import json

import pytest

from ralph.testing import run_ralph
from task_crew import GOOD, TaskCrew, promise
from terminals import Terminal

SECRETS = {
    "a variable": "value-of-a-variable-77",
    "a shape": "ghp_abcdefghijklmnop1234",
    "named by settings": "license-by-settings-8e9f",
    "a flag of settings": "flag-secret-5d5d5d5d",
}
ENV = {"SERVICE_TOKEN": SECRETS["a variable"], "ACME_LICENSE": SECRETS["named by settings"]}
ALL = " ".join(SECRETS.values())
HIDDEN = " ".join("[redacted]" for _ in SECRETS)
TITLE = f"Use {ALL}"
CRITERION = f"it works with {ALL}"
STARTS = (
    ("spec", "create", "other", "--title", TITLE),
    ("task", "create", "O-1", "other", TITLE, "--outcome", ALL, "--acceptance", CRITERION),
    ("task", "run", "P-1", "--dry-run"),
    ("task", "run", "P-1"),
    ("task", "run", "C-1"),
)
SCREENS = (
    ("task", "show", "P-1"),
    ("task", "show", "P-1", "--json"),
    ("task", "show", "C-1"),
    ("task", "list"),
    ("task", "list", "--json"),
    ("task", "depend", "O-1", "--on", "P-1", "--json"),
    ("spec", "show", "other"),
    ("spec", "show", "shop", "--json"),
    ("spec", "list"),
    ("spec", "list", "--json"),
    ("spec", "graph", "shop"),
    ("spec", "graph", "shop", "--format", "dot"),
    ("spec", "graph", "shop", "--format", "mermaid"),
    ("spec", "graph", "shop", "--json"),
    ("spec", "preview", "other"),
    ("spec", "preview", "other", "--json"),
    ("spec", "pr", "shop", "--dry-run"),
    ("runs",),
    ("runs", "--json"),
    ("runs", "--since", "yesterday"),
    ("show", "P-1"),
    ("show", "P-1", "--json"),
    ("show", "C-1"),
    ("show", "C-1", "--json"),
    ("status",),
    ("status", "--json"),
    ("status", "--tree"),
    ("status", "--watch"),
    ("logs", "P-1"),
    ("proof", "show", "P-1"),
    ("proof", "show", "P-1", "--json"),
    ("task", "followup", "C-1"),
    ("task", "show", "no such task with ghp_abcdefghijklmnop1234"),
)


def task(name, **completion):
    return {
        "id": name,
        "spec": "shop",
        "title": TITLE,
        "description": f"Call it with {ALL}.",
        "assignee": f"bob {ALL}",
        "metadata": {"note": ALL},
        "completion": {"outcome": f"It works with {ALL}", **completion},
    }


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    crew = TaskCrew(tmp_path_factory.mktemp("tasks"))
    said = {"criteria": [{"criterion": CRITERION.replace(ALL, HIDDEN), "met": True, "reason": f"with {ALL}"}]}
    flags = ["--api-key", SECRETS["a flag of settings"]]
    crew.hire(
        coder=[GOOD, promise("MADE", {"work.txt": "good, and more\n"})],
        judge=[{"final": json.dumps(said)}] * 2,
        settings={
            "env": {"secrets": ["ACME_*"]},
            "tools": {"executors": [{"id": "judge", "type": "claude", "command": "", "flags": flags}]},
        },
    )
    # The judge is found by its command, which is known only now.
    file = crew.repo.home / ".ralph/config.yaml"
    settings = json.loads(file.read_text())
    settings["tools"]["executors"][0]["command"] = crew.agents["judge"].command
    settings["agent"] = {"command": crew.agents["coder"].command}
    file.write_text(json.dumps(settings))
    checked = f"grep -q good work.txt # {ALL}"
    coder = {"promise": "MADE", "description": ALL, "verification_method": "semantic"}
    crew.write_task(task("P-1", acceptance_criteria=[CRITERION, {"check": checked}], coder=coder))
    crew.write_task(task("C-1", acceptance_criteria=[{"check": checked}, {"person": f"a person sees {ALL}"}]))
    printed = {args: crew.ralph(*args, env=ENV) for args in (*STARTS, *SCREENS)}
    assert [printed[args].code for args in STARTS] == [0, 0, 0, 0, 3], printed[STARTS[3]].err
    return crew, printed


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("args", [*STARTS, *SCREENS], ids=lambda args: " ".join(args)[:40])
def test_no_screen_prints_it(scene, args, name):
    ended = scene[1][args]
    assert "Usage:" not in ended.err
    assert "Traceback" not in ended.err
    for text in (ended.out, ended.err):
        # Not its beginning either: a title that is too long is cut.
        at = text.find(SECRETS[name][:9])
        assert at < 0, text[max(0, at - 80) : at + 40]


def test_the_text_around_it_is_shown(scene):
    _, printed = scene
    assert f"P-1  Use {HIDDEN}\n" in printed["task", "show", "P-1"].out
    shown = json.loads(printed["task", "show", "P-1", "--json"].out)
    assert (shown["id"], shown["title"], shown["metadata"]) == ("P-1", f"Use {HIDDEN}", {"note": HIDDEN})


def test_a_terminal_that_wraps_or_cuts_lines_does_not_get_it_either(scene):
    crew, _ = scene
    for args in (("runs",), ("show", "P-1"), ("status",), ("task", "show", "P-1"), ("task", "list")):
        with Terminal(crew.repo.path, {**crew.repo.env, **ENV}, *args, columns=40) as terminal:
            assert terminal.end() == 0
        assert "[redacted]" in terminal.screen
        assert not [secret for secret in SECRETS.values() if secret[:9] in terminal.screen], args


def test_a_criterion_with_a_secret_can_be_judged_and_its_evidence_is_found(scene):
    crew, printed = scene
    assert f"  [x] {CRITERION.replace(ALL, HIDDEN)}\n" in printed["task", "show", "P-1"].out
    assert f"  [x] check: grep -q good work.txt # {HIDDEN}\n" in printed["task", "show", "P-1"].out
    [asked, *_] = crew.agents["judge"].prompts
    assert HIDDEN in asked


def test_nothing_that_is_published_has_it(scene):
    crew, _ = scene
    commit = crew.git("log", "-1", "--format=%B", "ralph/shop")
    assert commit.startswith(f"Use {HIDDEN}\n")
    note = crew.git("notes", "--ref=ralph-proof", "show", "ralph/shop")
    assert f'"criterion":"{CRITERION.replace(ALL, HIDDEN)}"' in note
    assert not [secret for secret in SECRETS.values() if secret in note + commit]


def test_an_export_is_the_text_as_it_was_written(scene, tmp_path):
    crew, _ = scene
    exported = crew.ralph("task", "export", "P-1", "--format", "json", env=ENV)
    assert TITLE in exported.out
    other = TaskCrew(tmp_path)
    done = run_ralph(other.repo, "task", "import", "-", input=exported.out, env=ENV)
    assert done.returncode == 0, done.stderr
    again = run_ralph(other.repo, "task", "export", "P-1", "--format", "json", env=ENV).stdout
    assert TITLE in again
    for form in (("spec", "export", "shop"), ("task", "export")):
        assert TITLE in crew.ralph(*form, env=ENV).out
    crew.ralph("state", "export", "shop", env=ENV)
    assert TITLE in (crew.repo.path / ".ralph/specs/shop/chunks.json").read_text()


def test_the_agent_gets_the_task_as_it_was_written(scene):
    crew, _ = scene
    assert f"Call it with {ALL}." in crew.prompts("coder")[0]


def test_secrets_are_hidden_while_the_settings_have_a_mistake(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.write_task(task("P-1", acceptance_criteria=["it works"]))
    crew.repo.write(".ralph/settings.json", json.dumps({"env": {"secrets": ["ACME_*"]}, "no such key": 1}))
    crew.repo.write(".ralph/settings.local.json", "{")
    ended = crew.ralph("task", "list", env=ENV)
    assert ended.code == 0, ended.err
    assert SECRETS["a variable"] not in ended.out
    assert SECRETS["named by settings"] not in ended.out


def test_a_key_of_several_lines_is_hidden_as_a_whole(tmp_path):
    crew = TaskCrew(tmp_path)
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEF\nAA==\n-----END PRIVATE KEY-----"
    crew.write_task(task("P-1", acceptance_criteria=["it works"]) | {"description": f"Use\n{key}\nfor it."})
    assert "\nUse\n[redacted]\nfor it.\n" in crew.ralph("task", "show", "P-1").out
    assert crew.json("task", "show", "P-1")["description"] == "Use\n[redacted]\nfor it."
    assert key.splitlines()[1] in crew.ralph("task", "export").out


def test_a_message_on_the_bus_is_posted_and_shown_without_it(tmp_path):
    crew = TaskCrew(tmp_path)
    folder = str(crew.repo.path / "work")
    (crew.repo.path / "work").mkdir()
    posted = crew.ralph("bus", "post", "--task-dir", folder, "--type", "FACT", f"the key is {ALL}", env=ENV)
    assert posted.code == 0, posted.err
    file = crew.repo.path / "work/TASK-MESSAGE-BUS.md"
    assert "the key is [redacted] [redacted]" in file.read_text()
    # An agent may write to the file itself.
    file.write_text(file.read_text().replace("[redacted]", SECRETS["a variable"]))
    for more in ((), ("--json",)):
        ended = crew.ralph("bus", "read", "--task-dir", folder, *more, env=ENV)
        assert "the key is [redacted] [redacted]" in ended.out


def test_names_of_fields_stay_even_if_a_secret_has_the_same_text(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.write_task(task("P-1", acceptance_criteria=["it works"]) | {"description": "the assignee knows"})
    [told] = json.loads(crew.ralph("task", "list", "--json", env={"MY_KEY": "assignee"}).out)
    assert told["assignee"].startswith("bob")
    assert told["description"] == "the [redacted] knows"
