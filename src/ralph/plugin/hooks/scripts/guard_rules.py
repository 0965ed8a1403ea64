"""Judges shell commands by the rules in `../guard/`, one file for each category of danger.

It is a seat belt and not a wall: it reads what a command says, not what it does. If it cannot know what would run, it
denies.
"""

from __future__ import annotations

import json
import os
import re

from guard_paths import Places
from shell_words import Command, Unreadable, Word, read_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Rule = dict[str, Any]

RULES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "guard")
SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "source", ".")
CODE_OPTIONS = ("-c", "-e", "-E", "-r", "-p", "--eval", "--print", "eval")
# For each: the options that take a value, and how many words are before the command.
WRAPPERS: dict[str, tuple[tuple[str, ...], int]] = {
    "env": (("-u", "-C", "--unset", "--chdir"), 0),
    "nohup": ((), 0),
    "setsid": ((), 0),
    "nice": (("-n",), 0),
    "ionice": (("-c", "-n", "-p"), 0),
    "timeout": (("-s", "-k", "--signal", "--kill-after"), 1),
    "stdbuf": (("-i", "-o", "-e"), 0),
    "command": ((), 0),
    "builtin": ((), 0),
    "exec": (("-a",), 0),
    "xargs": (("-n", "-P", "-I", "-L", "-d", "-s", "-a", "-E", "--max-args", "--max-procs", "--delimiter"), 0),
    "watch": (("-n", "--interval"), 0),
    "flock": (("-w", "-E"), 1),
    "strace": (("-o", "-e", "-p"), 0),
    "ltrace": (("-o", "-e"), 0),
    "unbuffer": ((), 0),
    "busybox": ((), 0),
    "toybox": ((), 0),
    "parallel": (("-j", "--jobs", "-a"), 0),
    "sudo": (("-u", "-g", "-h", "-p"), 0),
    "doas": (("-u",), 0),
    "dotenv": (("-f",), 0),
    "xvfb-run": ((), 0),
}
KNOWN_EVAL = ("ssh-agent", "direnv", "pyenv", "rbenv", "nodenv", "fnm", "mise", "opam", "conda", "brew", "dircolors")
WRITING = (">", ">>", ">|", "&>", "&>>", "<>")
FILTERS = ("-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-mtime", "-newer", "-empty")
SCRIPT_SIZE = 64 * 1024


class Denied(Exception):
    """A command that must not run, and why."""

    def __init__(self, category: str, why: str) -> None:
        super().__init__(f"{category}: {why}")


class Judge:
    """All rules, and the place where commands run."""

    def __init__(self, project: str, folder: str, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.places = Places(project, folder, environ)
        self.by_program: dict[str, list[Rule]] = {}
        self.general: list[Rule] = []
        for name in sorted(os.listdir(RULES)):
            self._load(os.path.join(RULES, name))

    def _load(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            given = json.load(file)
        for rule in given["rules"]:
            rule["category"] = given["category"]
            for program in rule.get("programs", ()):
                self.by_program.setdefault(program, []).append(rule)
            if "programs" not in rule:
                self.general.append(rule)

    def judge(self, text: str, depth: int = 0, is_script: bool = False) -> None:
        """Raises `Denied` if one of the commands in this text must not run."""
        for rule in self.general:
            if "raw" in rule and re.search(rule["raw"], text) and re.search(rule.get("needs", ""), text):
                raise Denied(rule["category"], rule["why"])
        try:
            commands = read_commands(text, self.environ, depth)
        except Unreadable as problem:
            if is_script:
                return
            raise Denied("inline or obfuscated code", str(problem)) from None
        written: dict[str, str] = {}
        for command in commands:
            self._judge_command(command, depth, is_script, written)

    def judge_file(self, path: str) -> None:
        """Judge a file that a tool of the agent writes."""
        full = self.places.named(path)
        for rule in self.general:
            pattern = rule.get("file") or rule.get("writes")
            if pattern and re.search(pattern, full):
                raise Denied(rule["category"], rule["why"])
        if self.places.is_beyond(Word(path)):
            raise Denied("persistence", "the file is outside of the project")

    def _judge_command(self, command: Command, depth: int, is_script: bool, written: dict[str, str]) -> None:
        self._remember(command, written)
        self._general(command)
        for words in _unwrapped(command.words):
            self._words(words, command, depth, is_script, written)

    def _remember(self, command: Command, written: dict[str, str]) -> None:
        """Remember what the command writes into which file, if its text says so."""
        said = command.stdin or " ".join(word.text for word in command.words[1:])
        targets = [word.text for kind, word in command.redirects if _is_written(kind, word)]
        if command.words and command.words[0].text == "tee":
            said = (_said(command.upstream) if command.upstream else None) or command.stdin
            targets += [word.text for word in command.words[1:]]
        for each in targets:
            written[each.replace("./", "", 1) if each.startswith("./") else each] = said

    def _general(self, command: Command) -> None:
        assigned = [word.text for word in command.assignments.values()]
        written = [self._path(word) for kind, word in command.redirects if _is_written(kind, word)]
        read = [self._path(word) for kind, word in command.redirects if kind == "<"]
        program = os.path.basename(command.words[0].text) if command.words else ""
        touched = [self._path(word) for word in command.words[1:]]
        for rule in self.general:
            hit = (
                _any("assigns", rule, assigned)
                or _any("writes", rule, written)
                or _any("reads", rule, read)
                or (program not in rule.get("unless_programs", ()) and _any("touches", rule, touched))
                or ("programs_like" in rule and re.search(rule["programs_like"], program))
            )
            if hit:
                raise Denied(rule["category"], rule["why"])

    def _path(self, word: Word) -> str:
        """The word as a path. The part after `=` is one, too: `of=/dev/sda`."""
        text = word.text.rpartition("=")[2] if "=" in word.text else word.text
        return self.places.named(text)

    def _words(self, words: list[Word], command: Command, depth: int, is_script: bool, written: dict[str, str]) -> None:
        first = words[0]
        program = os.path.basename(first.text)
        if program in ("cd", "pushd"):
            self.places.enter(words[1] if len(words) > 1 else None)
        if (first.is_glob and program not in ("[", "[[")) or (first.is_dynamic and not program):
            if is_script:
                return
            raise Denied("inline or obfuscated code", "which program it would start cannot be known")
        for rule in self.by_program.get(program, ()):
            if self._applies(rule, words[1:], command):
                raise Denied(rule["category"], rule["why"])
        for text, is_file in self._texts(program, words[1:], command, written):
            self.judge(text, depth + 1, is_script or is_file)

    def _texts(
        self, program: str, args: list[Word], command: Command, written: dict[str, str]
    ) -> Iterator[tuple[str, bool]]:
        """The shell texts that this command would run, and whether each comes from a file."""
        if program == "eval":
            yield _evaluated(args), False
        elif program == "trap" and args:
            yield args[0].text, False
        elif program == "script":
            yield from ((each, False) for each in _after(args, "-c", "--command"))
        elif program in ("su", "runuser", "flock", "ssh"):
            yield from ((each, False) for each in _after(args, "-c"))
        elif program == "env":
            yield from ((each, False) for each in _after(args, "-S", "--split-string"))
        elif program in SHELLS:
            yield from self._shell(program, args, command, written)
        elif "/" in program or program.endswith(".sh"):
            yield from self._script(program, written)
        if "/" in (name := command.words[0].text if command.words else "") and program not in SHELLS:
            yield from self._script(name, written)

    def _shell(
        self, program: str, args: list[Word], command: Command, written: dict[str, str]
    ) -> Iterator[tuple[str, bool]]:
        texts = list(_after(args, "-c", "-lc", "-ic", "-ec", "-xc", "-euc")) if program not in ("source", ".") else []
        if texts:
            place = next(at for at, word in enumerate(args) if word.text == texts[0])
            if args[place].inner or (args[place].is_dynamic and not texts[0].strip()):
                raise Denied("inline or obfuscated code", "what the shell would run cannot be known")
            yield texts[0], False
            return
        files = [word for word in args if not word.text.startswith("-")]
        if files:
            if files[0].inner and program in SHELLS:
                raise Denied("remote text piped into a shell", "what the shell would run cannot be known")
            yield from self._script(files[0].text, written)
        elif command.stdin:
            yield command.stdin, False
        elif command.upstream is not None:
            said = _said(command.upstream)
            if said is None:
                raise Denied("inline or obfuscated code", "what is piped into the shell cannot be known")
            yield said, False

    def _script(self, name: str, written: dict[str, str]) -> Iterator[tuple[str, bool]]:
        short = name.removeprefix("./")
        if short in written:
            yield written[short], True
            return
        path = self.places.path(name)
        if path is None or not os.path.isfile(path) or os.path.getsize(path) > SCRIPT_SIZE:
            return
        with open(path, "rb") as file:
            text = file.read().decode(errors="replace")
        head = text.partition("\n")[0]
        if not text.startswith("#!") or any(shell in head for shell in ("sh", "bash", "zsh")):
            yield text, True

    def _applies(self, rule: Rule, args: list[Word], command: Command) -> bool:
        """Whether everything that the rule requires is true."""
        texts = [word.text for word in args]
        joined = " ".join(texts)
        if "sub" in rule:
            rest = _behind_global_options(texts)
            if not rest or rest[0] not in rule["sub"]:
                return False
            args = args[len(args) - len(rest) + 1 :]
            texts = rest[1:]
        asked = {
            "options": lambda: any(_has_option(texts, each) for each in rule["options"]),
            "args": lambda: _any("args", rule, texts),
            "all": lambda: re.search(rule["all"], joined),
            "text": lambda: re.search(rule["text"], f"{joined} {command.stdin} {_said(command.upstream) or ''}"),
            "code": lambda: any(re.search(rule["code"], each) for each in _code(args, command)),
            "paths": lambda: self._paths(rule["paths"], args),
            "from": lambda: any(name in rule["from"] for name in _sources(args, command)),
            "piped": lambda: command.upstream is not None,
            "inner": lambda: any(word.inner for word in args) and not _only(args, rule.get("unless_inner", ())),
            "dynamic": lambda: any(word.is_dynamic for word in args),
            "touches": lambda: _any("touches", rule, [self._path(word) for word in args]),
            "writes_last": lambda: bool(args) and _any("touches", rule, [self._path(args[-1])]),
        }
        if "unless" in rule and re.search(rule["unless"], joined):
            return False
        return all(check() for key, check in asked.items() if key in rule)

    def _paths(self, kind: str, args: list[Word]) -> bool:
        paths = [word for word in args if not word.text.startswith("-") or word.is_dynamic]
        if kind.endswith("-roots"):
            # The paths that `find` searches come before its first test.
            end = next((at for at, word in enumerate(args) if word.text.startswith(("-", "(", "!"))), len(args))
            paths = args[:end] or [Word(".")]
        place = self.places.is_outside if kind.startswith("outside") else self.places.is_beyond
        return any(place(word) for word in paths)


def _is_written(kind: str, word: Word) -> bool:
    return kind in WRITING or (kind == ">&" and not word.text.rstrip("-").isdigit())


def _any(key: str, rule: Rule, texts: list[str]) -> bool:
    return key in rule and any(re.search(rule[key], each) for each in texts)


def _has_option(texts: list[str], option: str) -> bool:
    is_short = len(option) == len("-x")
    for text in texts:
        if text == "--":
            return False
        if text == option or text.startswith(option + "="):
            return True
        if text.startswith("--") and len(text) > len("--ab") and option.startswith(text.partition("=")[0]):
            # Git and the GNU tools accept the beginning of a long option.
            return True
        if is_short and text.startswith("-") and not text.startswith("--") and option[1] in text[1:]:
            return True
    return False


def _behind_global_options(texts: list[str]) -> list[str]:
    """The words after `git -C x -c y=z`."""
    at = 0
    while at < len(texts) and texts[at].startswith("-"):
        at += 2 if texts[at] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--context", "-H") else 1
    return texts[at:]


def _unwrapped(words: list[Word]) -> Iterator[list[Word]]:
    """The command itself, and each one that it would start."""
    while words:
        yield words
        program = os.path.basename(words[0].text)
        if program == "find":
            yield from _of_find(words)
        if program not in WRAPPERS:
            return
        valued, places = WRAPPERS[program]
        words = _behind(words[1:], valued, places)
        if program in ("xargs", "parallel") and words:
            # Its input becomes arguments that nobody knows yet.
            words = [*words, Word("", is_dynamic=True)]


def _behind(words: list[Word], valued: tuple[str, ...], places: int) -> list[Word]:
    at = 0
    while at < len(words) and (words[at].text.startswith("-") or "=" in words[at].text):
        at += 2 if words[at].text in valued else 1
    return words[at + places :]


def _of_find(words: list[Word]) -> Iterator[list[Word]]:
    root = words[1].text if len(words) > 1 and not words[1].text.startswith("-") else "."
    # What `find` substitutes for {} is where it searches; with a test, it is not that folder itself.
    found = Word(f"{root}/x" if any(word.text in FILTERS for word in words) else root)
    starts = [at for at, word in enumerate(words) if word.text in ("-exec", "-execdir", "-ok", "-okdir")]
    for start in starts:
        end = next((at for at in range(start, len(words)) if words[at].text in (";", "+")), len(words))
        inside = words[start + 1 : end]
        if inside:
            yield from _unwrapped([found if word.text == "{}" else word for word in inside])


def _after(args: list[Word], *options: str) -> Iterator[str]:
    for at, word in enumerate(args[:-1]):
        if word.text in options:
            yield args[at + 1].text
            return
    for word in args:
        for option in options:
            if option.startswith("--") and word.text.startswith(option + "="):
                yield word.text[len(option) + 1 :]


def _evaluated(args: list[Word]) -> str:
    names = [os.path.basename(each.words[0].text) for word in args for each in word.inner if each.words]
    is_known = bool(names) and all(name in KNOWN_EVAL for name in names)
    if any(word.is_dynamic for word in args) and not is_known:
        raise Denied("inline or obfuscated code", "what eval would run cannot be known")
    return "" if is_known else " ".join(word.text for word in args)


def _said(command: Command | None) -> str | None:
    """What a command prints, if its text says so."""
    if command is None or not command.words:
        return None
    program = os.path.basename(command.words[0].text)
    if program == "cat" and command.stdin:
        return command.stdin
    if program not in ("echo", "printf") or any(word.is_dynamic for word in command.words):
        return None
    said = " ".join(word.text for word in command.words[1:] if not re.fullmatch(r"-[neE]+", word.text))
    return None if re.search(r"\\(x|[0-7]|u)|%", said) else said.replace("\\n", "\n")


def _sources(args: list[Word], command: Command) -> Iterator[str]:
    """The programs whose output this command gets, by pipes or substitutions."""
    above = command.upstream
    while above is not None:
        if above.words:
            yield from (os.path.basename(words[0].text) for words in _unwrapped(above.words))
        above = above.upstream
    for word in args:
        for each in word.inner:
            if each.words:
                yield os.path.basename(each.words[0].text)


def _code(args: list[Word], command: Command) -> Iterator[str]:
    """The program that an interpreter gets as text."""
    given = [args[at + 1].text for at, word in enumerate(args[:-1]) if word.text in CODE_OPTIONS or word.text == "-ne"]
    yield from given
    has_file = any(not word.text.startswith("-") for word in args)
    if command.words and os.path.basename(command.words[0].text) in ("awk", "gawk", "mawk", "nawk", "sed"):
        yield " ".join(word.text for word in args)
    elif not given and (not has_file or any(word.text == "-" for word in args)):
        yield command.stdin or _said(command.upstream) or ""


def _only(args: list[Word], names: tuple[str, ...]) -> bool:
    inner = [each for word in args for each in word.inner if each.words]
    return bool(inner) and all(each.words[0].text in names for each in inner)
