"""The rows of the speed table about hooks: each as an agent starts it, beside a Python that does nothing."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ralph.plugin
from measure import interleaved, median
from ralph.plugin.hooks.scripts.active_loop import process_start
from ralph.plugin.hooks.scripts.story_rules import snapshot, users_part
from rows import Row, compared
from workshop import MEGABYTE, Workshop

SCRIPTS = Path(ralph.plugin.__file__).parent / "hooks" / "scripts"
TRANSCRIPT = 50 * MEGABYTE
STORIES = 12
LIMIT = 3.0
ROUNDS = 41
COMMAND = (
    "cd src && python3 -m pytest -q tests/test_cart.py 2>&1 | tail -20 && git add --all && git commit -m 'feat: cart'"
)


def hooks(shop: Workshop) -> list[Row]:
    """With a transcript of 50 MB, in a loop that lives; what a stop costs there is counted without its `git status`."""
    project = shop.root / "stories"
    _project(project, shop.env)
    sides = {
        "python": _started(shop, project, "-c pass", {}),
        "git status": lambda: shop.run("git", "-C", str(project), "status", "--porcelain", "-z").cpu * 1000,
        **{
            name: _started(shop, project, str(SCRIPTS / script), payload) for name, (script, payload) in _calls(project)
        },
    }
    samples = interleaved(sides, ROUNDS)
    middle = {name: median(values) for name, values in samples.items()}
    rows = [
        compared(f"hook: {name}", middle[name] - _status(name, middle), middle["python"], LIMIT, {})
        for name, _ in _calls(project)
    ]
    return [rows[0]._replace(samples=samples), *rows[1:]]


def _calls(project: Path) -> list[tuple[str, tuple[str, dict[str, Any]]]]:
    used = {"session_id": "bench", "transcript_path": str(project.parent / "transcript.jsonl"), "cwd": str(project)}
    elsewhere = {**used, "cwd": "/"}
    bash = {"tool_name": "Bash", "tool_input": {"command": COMMAND}}
    return [
        ("context monitor", ("context_monitor.py", {**used, "hook_event_name": "PostToolUse"})),
        ("start of a session", ("context_monitor.py", {**used, "hook_event_name": "SessionStart"})),
        ("command guard", ("command_guard.py", {**used, **bash})),
        ("command guard, no loop", ("command_guard.py", {**elsewhere, **bash})),
        ("stop in a loop", ("stop_loop_reminder.py", used)),
        ("stop, no loop", ("stop_loop_reminder.py", elsewhere)),
    ]


def _status(name: str, middle: dict[str, float]) -> float:
    return middle["git status"] if name == "stop in a loop" else 0.0


def _started(shop: Workshop, project: Path, what: str, payload: dict[str, Any]) -> Callable[[], float]:
    """Agents start hooks through a shell, so both sides have one."""
    given = project.parent / f"payload-{len(list(project.parent.glob('payload-*')))}.json"
    given.write_text(json.dumps(payload), encoding="utf-8")
    line = f"exec {shlex.quote(sys.executable)} -I {what} < {shlex.quote(str(given))}"
    return lambda: shop.run("sh", "-c", line).cpu * 1000


def _project(project: Path, env: dict[str, str]) -> None:
    """A loop of stories that lives as long as this process, and an agent that has talked a lot."""
    plan = {
        "project": "shop",
        "branchName": "ralph/shop",
        "description": "",
        "verifyCommands": ["make test"],
        "userStories": [_story(number) for number in range(1, STORIES + 1)],
    }
    marker = {
        "pid": os.getpid(),
        "pidStarted": process_start(os.getpid()),
        "mode": "direct",
        "project": str(project),
        "reviewCap": 5,
        "iterationMode": "implement",
        "preIterationSnapshot": snapshot(plan),
        "users": users_part(plan),
    }
    files = {"ralph/tasks.json": plan, ".ralph-active": marker}
    (project / "ralph").mkdir(parents=True)
    for name, content in files.items():
        (project / name).write_text(json.dumps(content, indent=2), encoding="utf-8")
    (project / ".gitignore").write_text(".ralph-active\n", encoding="utf-8")
    by = ("-c", "user.name=b", "-c", "user.email=b@localhost")
    for words in (("init", "--quiet"), ("add", "--all"), (*by, "commit", "--quiet", "--message", "plan")):
        subprocess.run(["git", *words], cwd=project, env=env, check=True)
    _write_transcript(project.parent / "transcript.jsonl")


def _story(number: int) -> dict[str, Any]:
    return {
        "id": f"US-{number:03}",
        "title": "Log in",
        "description": "As a customer I log in.",
        "acceptanceCriteria": ["A wrong password gives 401", "A right one gives a token"],
        "priority": number,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
        "notes": "",
        "dependsOn": [],
    }


def _write_transcript(path: Path) -> None:
    record = {"type": "assistant", "message": {"usage": {"input_tokens": 130_000, "output_tokens": 500}}}
    told = json.dumps({"type": "user", "message": {"content": "x" * 4000}}) + "\n"
    said = json.dumps(record) + "\n"
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < TRANSCRIPT:
            file.write(told * 50 + said + told * 3)


HOOKS = (hooks,)
