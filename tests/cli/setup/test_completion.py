import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RALPH = Path(sys.executable).with_name("ralph")
ENV = {**os.environ, "PATH": f"{RALPH.parent}{os.pathsep}{os.environ['PATH']}"}
BASH = r"""
source <(ralph completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
eval "$(complete -p ralph | sed -E 's/.* -F ([^ ]+) .*/function=\1/')"
"$function" ralph
printf '%s\n' "${COMPREPLY[@]}"
"""
"""Loads the script as a shell does, then asks for completions of the words given."""


def script(shell: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([RALPH, "completion", shell], env=ENV, capture_output=True, text=True, check=False)


def completed(*words: str) -> list[str]:
    ended = subprocess.run(
        ["bash", "-c", BASH, "bash", *words], env=ENV, capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stderr == ""
    return ended.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_is_printed_and_nothing_else(shell):
    ended = script(shell)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "_ralph_completion" in ended.stdout
    assert f"_RALPH_COMPLETE={shell}_complete" in ended.stdout


def test_bash_completes_the_commands():
    assert completed("ralph", "ini") == ["init"]
    assert completed("ralph", "do") == ["doctor"]


def test_bash_completes_the_options_of_a_command():
    assert completed("ralph", "init", "--g") == ["--guardrail"]
    assert completed("ralph", "doctor", "--j") == ["--json"]


def test_bash_completes_the_values_of_an_argument():
    assert completed("ralph", "completion", "") == ["bash", "zsh", "fish"]


def loaded(tmp_path: Path, shell: str, *command: str) -> str:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not on this machine")
    env = {**ENV, "HOME": str(tmp_path)}
    ended = subprocess.run([shell, *command], env=env, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stderr == ""
    return ended.stdout


def test_fish_completes_commands_and_options(tmp_path):
    load = "ralph completion fish | source; "
    shown = loaded(
        tmp_path, "fish", "--no-config", "-c", f"{load} complete -C 'ralph ini'; complete -C 'ralph init --g'"
    )
    assert [line.split("\t")[0] for line in shown.splitlines()] == ["init", "--guardrail"]


def test_zsh_knows_the_completion_once_it_is_loaded(tmp_path):
    load = 'autoload -Uz compinit; compinit -u; eval "$(ralph completion zsh)"; '
    assert loaded(tmp_path, "zsh", "-f", "-c", f"{load} echo $_comps[ralph]") == "_ralph_completion\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_is_good_syntax(shell, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not on this machine")
    (tmp_path / "script").write_text(script(shell).stdout)
    subprocess.run([shell, "-n", tmp_path / "script"], check=True, timeout=60)


def test_unknown_shell_exits_2_and_names_the_known_ones():
    ended = script("tcsh")
    assert ended.returncode == 2
    assert "'bash', 'zsh', 'fish'" in ended.stderr


def test_help_says_where_the_script_goes():
    told = script("--help").stdout
    for place in (
        "~/.local/share/bash-completion/completions/ralph",
        "~/.zfunc/_ralph",
        "~/.config/fish/completions/ralph.fish",
    ):
        assert place in told
