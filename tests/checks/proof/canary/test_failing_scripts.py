import subprocess
import sys

import pytest

from ralph.checks.proof.canary.javascript_script import failing_javascript
from ralph.checks.proof.canary.python_script import failing_python
from ralph.checks.proof.canary.shell import failing_shell


def exit_code(folder, name, content, *program):
    """Of a program that writes `worked` when it has done its work."""
    (folder / name).write_bytes(content)
    done = subprocess.run([*program, name], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert "worked" in done.stdout, done.stderr
    return done.returncode


PYTHON = {
    "plain": "print('worked', flush=True)\n",
    "without a last newline": "print('worked', flush=True)",
    "exit at the end": "import sys\nprint('worked', flush=True)\nsys.exit(0)\n",
    "exit with a computed code": "import sys\nbad = []\nprint('worked', flush=True)\nsys.exit(bool(bad))\n",
    "main that returns": (
        "import sys\ndef main():\n    print('worked', flush=True)\n    return 0\n"
        'if __name__ == "__main__":\n    sys.exit(main())\n'
    ),
    "main that exits": (
        "import sys\ndef main():\n    print('worked', flush=True)\n    sys.exit(0)\n"
        'if __name__ == "__main__":\n    main()\n'
    ),
    "main that only runs": "def main():\n    print('worked', flush=True)\nif __name__ == '__main__':\n    main()\n",
    "raised exit": "print('worked', flush=True)\nraise SystemExit(0)\n",
    "early exit": "import sys\nprint('worked', flush=True)\nif True:\n    sys.exit()\nprint('never')\n",
    "imported exit": "from sys import exit\nprint('worked', flush=True)\nexit(0)\n",
}


@pytest.mark.parametrize("source", PYTHON.values(), ids=PYTHON.keys())
def test_python_works_and_fails(tmp_path, source):
    assert exit_code(tmp_path, "check.py", source.encode(), sys.executable) == 0
    made = failing_python(source.encode())
    assert exit_code(tmp_path, "check.py", made.content, sys.executable) == 37


def test_python_keeps_its_own_failures(tmp_path):
    source = b"import sys\nprint('worked', flush=True)\nif 1 != 2:\n    sys.exit(1)\n"
    assert exit_code(tmp_path, "check.py", failing_python(source).content, sys.executable) == 1


@pytest.mark.parametrize(
    "ending", ["raise SystemExit(0)", "import os\nos._exit(0)", "import sys\nsys.exit(0)", "import sys\nsys.exit()"]
)
def test_code_that_ends_a_python_program_is_seen(tmp_path, ending):
    (tmp_path / "calc.py").write_text(f"print('worked', flush=True)\n{ending}\n")
    made = failing_python(b"import calc\nassert calc.add(2, 3) == 5\n")
    assert exit_code(tmp_path, "check.py", made.content, sys.executable) == 0


@pytest.mark.parametrize(
    ("source", "libraries", "reason"),
    [
        ("import click\n@click.command()\ndef main(): ...\nmain()\n", (), "ends inside a library"),
        ("from typer import run\nrun(print)\n", (), "ends inside a library"),
        ("import os\nos.execvp('pytest', ['pytest'])\n", (), "ends inside a library"),
        ("import unittest\nunittest.main()\n", (), "ends inside a library"),
        ("raise SystemExit\n", (), "ends inside a library"),
        ("import lib\nlib.finish()\n", (b"import sys\ndef finish():\n    sys.exit(0)\n",), "ends inside a library"),
        ("def (:\n", (), "is not Python that ralph can read"),
    ],
)
def test_python_left_alone(source, libraries, reason):
    made = failing_python(source.encode(), libraries)
    assert (made.content, made.refusal) == (b"", reason)


def test_a_library_that_only_ends_in_failure_does_not_count():
    library = b"import sys\ndef need(a, b):\n    if a != b:\n        sys.exit(1)\n"
    assert failing_python(b"from lib import need\nneed(1, 1)\n", (library,)).content


SHELL = {
    "plain": "echo worked\n",
    "without a last newline": "echo worked",
    "exit at the end": "echo worked\nexit 0\n",
    "exit of the last": "echo worked\nexit $?\n",
    "exit of a variable": 'echo worked\nrc=0\nexit "$rc"\n',
    "bare exit": "echo worked\nexit\n",
    "early exit": "echo worked\nif true; then exit 0; fi\nexit 1\n",
    "early exit of a list": "echo worked; true && exit 0\nfalse\n",
    "exec at the end": "exec echo worked\n",
    "exec at the end, with a comment below": "exec echo worked\n\n# done\n",
    "exec of a redirection": "exec 2>&1\necho worked\n",
    "main": 'main() {\n  echo worked\n}\nmain "$@"\n',
    "another program's exit": "echo worked | awk '{ print; exit }'\n",
    "a text": "cat <<END\nworked\nEND\n",
}


@pytest.mark.parametrize("source", SHELL.values(), ids=SHELL.keys())
def test_shell_works_and_fails(tmp_path, source):
    assert exit_code(tmp_path, "check.sh", source.encode(), "sh") == 0
    made = failing_shell(source.encode())
    assert exit_code(tmp_path, "check.sh", made.content, "sh") == 37


def test_shell_keeps_its_own_failures(tmp_path):
    made = failing_shell(b"echo worked\nfalse || exit 3\n")
    assert exit_code(tmp_path, "check.sh", made.content, "sh") == 3


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "has no command"),
        ("# nothing\n", "has no command"),
        ("echo a \\\n", "ends in the middle of a command"),
        ("trap 'exit 0' EXIT\nmake\n", "decides in a trap how it ends"),
        ("if true; then\n  exec pytest\nfi\n", "hands over to another program before its end"),
        ("test -n x && exec pytest\necho\n", "hands over to another program before its end"),
    ],
)
def test_shell_left_alone(source, reason):
    made = failing_shell(source.encode())
    assert (made.content, made.refusal) == (b"", reason)


JAVASCRIPT = {
    "plain": "console.log('worked');\n",
    "without a last newline": "console.log('worked')",
    "exit at the end": "console.log('worked');\nprocess.exit(0);\n",
    "exit with a computed code": "const bad = [];\nconsole.log('worked');\nprocess.exit(bad.length ? 1 : 0);\n",
    "early exit": "console.log('worked');\nif (true) { process.exit(); }\n",
    "an exit code": "console.log('worked');\nprocess.exitCode = 0;\n",
}


@pytest.mark.parametrize("source", JAVASCRIPT.values(), ids=JAVASCRIPT.keys())
def test_javascript_works_and_fails(tmp_path, source, node):
    assert exit_code(tmp_path, "check.js", source.encode(), node) == 0
    made = failing_javascript(source.encode())
    assert exit_code(tmp_path, "check.js", made.content, node) == 37


def test_javascript_that_awaits_at_its_end_works_and_fails(tmp_path, node):
    source = b"const wait = async () => {};\nawait wait().then(() => console.log('worked'));\n"
    assert exit_code(tmp_path, "check.mjs", failing_javascript(source).content, node) == 37


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("async function main() {}\nmain();\n", "goes on after its last line"),
        ("run().then(() => process.exit(0));\n", "goes on after its last line"),
        ("setTimeout(check, 10);\n", "goes on after its last line"),
        ("if (old) { return; }\ncheck();\n", "may return before its last line"),
        ("check(;\n", "is not JavaScript that ralph can read"),
    ],
)
def test_javascript_left_alone(source, reason):
    made = failing_javascript(source.encode())
    assert (made.content, made.refusal) == (b"", reason)
