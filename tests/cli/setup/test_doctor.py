import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

RALPH = Path(sys.executable).with_name("ralph")


@pytest.fixture
def env(tmp_path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").symlink_to(str(shutil.which("git")))
    return {
        "HOME": str(tmp_path),
        "PATH": str(tmp_path / "bin"),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def install(env: dict[str, str], name: str, script: str) -> None:
    path = Path(env["PATH"]) / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def doctor(project: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [RALPH, "doctor", *arguments], cwd=project, env=env, capture_output=True, text=True, timeout=60, check=False
    )


def on_a_terminal(project: Path, env: dict[str, str]) -> str:
    """What the program writes when its standard output is a terminal."""
    master, slave = os.openpty()
    with subprocess.Popen([RALPH, "doctor"], cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=slave) as process:
        os.close(slave)
        screen = b""
        try:
            while data := os.read(master, 65536):
                screen += data
        except OSError:
            # Linux says so when the last holder of the other side is gone.
            process.wait()
        os.close(master)
    return screen.decode()


def choose_amp(project: Path, env: dict[str, str]) -> None:
    install(env, "amp", "echo amp 1.0")
    (project / ".ralph").mkdir(exist_ok=True)
    (project / ".ralph/settings.json").write_text('{"agent": {"command": "amp"}}')


def test_one_line_for_each_thing_with_its_mark_and_a_hint_line(tmp_path, env):
    install(env, "claude", "echo 2.1.0")
    install(env, "codex", "exit 1")
    choose_amp(tmp_path, env)
    ended = doctor(tmp_path, env)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert re.search(r"^✓ python +3\.\d+", ended.stdout, re.MULTILINE)
    assert re.search(r"^✓ claude +2\.1\.0 \(.+/claude\)$", ended.stdout, re.MULTILINE)
    assert re.search(r"^! codex .+exit code 1\n +Try it by hand: codex --version$", ended.stdout, re.MULTILINE)
    assert re.search(r"^· sandboxes +none is asked for; not here: .*sbx$", ended.stdout, re.MULTILINE)
    assert ended.stdout.endswith("\nralph can run here.\n")


def test_what_blocks_ends_with_2_and_is_named_last(tmp_path, env):
    (tmp_path / ".ralph").mkdir()
    (tmp_path / ".ralph/settings.json").write_text('{"agent": {"command": "nowhere"}}')
    ended = doctor(tmp_path, env)
    assert ended.returncode == 2
    assert ended.stdout.endswith("\nralph cannot run here yet: see agent.\n")


HASTY = """
import sys
sys.setswitchinterval(1e-6)
from ralph.cli.main import main
sys.exit(main())
"""


@pytest.mark.e2e
@pytest.mark.parametrize("command", ["doctor", "agents"])
def test_threads_that_take_turns_quickly_do_not_crash_it(tmp_path, env, command):
    choose_amp(tmp_path, env)
    for _ in range(8):
        ended = subprocess.run(
            [sys.executable, "-c", HASTY, command], cwd=tmp_path, env=env, capture_output=True, timeout=60, check=False
        )
        assert (ended.returncode, ended.stderr) == (0, b"")


def test_without_git_it_ends_with_2(tmp_path, env):
    (Path(env["PATH"]) / "git").unlink()
    assert doctor(tmp_path, env).returncode == 2


def test_invalid_settings_end_with_2_and_no_traceback(tmp_path, env):
    (tmp_path / ".ralph").mkdir()
    (tmp_path / ".ralph/settings.json").write_text("{nope")
    ended = doctor(tmp_path, env)
    assert (ended.returncode, ended.stderr) == (2, "")
    assert "✗ settings" in ended.stdout


def test_json_is_a_list_of_findings(tmp_path, env):
    choose_amp(tmp_path, env)
    ended = doctor(tmp_path, env, "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    findings = json.loads(ended.stdout)
    assert all(list(finding) == ["name", "status", "detail", "hint"] for finding in findings)
    assert {finding["status"] for finding in findings} <= {"ok", "note", "warning", "missing"}
    assert {"name": "amp", "status": "ok", "detail": f"amp 1.0 ({env['PATH']}/amp)", "hint": ""} in findings


def test_json_ends_with_2_where_ralph_cannot_run(tmp_path, env):
    (Path(env["PATH"]) / "git").unlink()
    ended = doctor(tmp_path, env, "--json")
    assert ended.returncode == 2
    assert {"git": "missing"}.items() <= {each["name"]: each["status"] for each in json.loads(ended.stdout)}.items()


@pytest.mark.e2e
def test_agents_that_hang_are_given_up_together_after_five_seconds(tmp_path, env):
    for name in ("claude", "codex", "gemini"):
        install(env, name, "echo loading; exec /bin/sleep 600")
    choose_amp(tmp_path, env)
    begun = time.monotonic()
    ended = doctor(tmp_path, env)
    assert time.monotonic() - begun < 14
    assert ended.returncode == 0
    assert ended.stdout.count("it gave no answer in 5 seconds") == 3


def test_colour_only_on_a_terminal_and_not_with_no_color(tmp_path, env):
    assert "\x1b[" not in doctor(tmp_path, env).stdout
    env["TERM"] = "xterm"
    assert "\x1b[32m✓\x1b[0m python" in on_a_terminal(tmp_path, env)
    plain = on_a_terminal(tmp_path, {**env, "NO_COLOR": "1"})
    assert "✓ python" in plain
    assert "\x1b[" not in plain


def test_words_instead_of_marks_where_the_encoding_has_none(tmp_path, env):
    ended = doctor(tmp_path, {**env, "PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 2
    assert re.search(r"^ok {6}python", ended.stdout, re.MULTILINE)
    assert re.search(r"^missing agent", ended.stdout, re.MULTILINE)
