"""Reads a shell command as a shell would, as far as that is possible without running it.

The result is its simple commands, including those inside substitutions. A word that depends on what only the shell
knows is dynamic. Variables that the same text sets, quotes, escapes, braces and arrays are resolved, because they are
the usual ways to hide a command from a pattern.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 100_000
DEEPEST = 12
OPEN, COMMA, CLOSE, STAR, QUESTION, BRACKET = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004", "\ue005"
SPECIAL = {"{": OPEN, ",": COMMA, "}": CLOSE, "*": STAR, "?": QUESTION, "[": BRACKET}
"""Characters that have a meaning only if they are not quoted."""
PLAIN = {ord(mark): letter for letter, mark in SPECIAL.items()}
GLOBS = (STAR, QUESTION, BRACKET)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\033", "f": "\f", "v": "\v"}
RESERVED = {"{", "}", "!", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac", "time", "coproc"}
MOST_WORDS = 10_000


class Unreadable(Exception):
    """The text cannot be read as a shell would read it."""


class Word:
    """One word: its text as far as it is known, and the commands in its substitutions."""

    __slots__ = ("inner", "is_dynamic", "is_glob", "text")

    def __init__(self, text: str, is_dynamic: bool = False, inner: tuple[Command, ...] = ()) -> None:
        self.is_glob = any(mark in text for mark in GLOBS)
        self.text = text.translate(PLAIN)
        self.is_dynamic = is_dynamic
        self.inner = inner


class Command:
    """One simple command."""

    __slots__ = ("assignments", "redirects", "stdin", "upstream", "words")

    def __init__(self, upstream: Command | None = None) -> None:
        self.words: list[Word] = []
        self.assignments: dict[str, Word] = {}
        self.redirects: list[tuple[str, Word]] = []
        self.stdin = ""
        """Its input in the text itself, by `<<` or `<<<`."""
        self.upstream = upstream
        """The command that is piped into it."""


def read_commands(text: str, environ: Mapping[str, str], depth: int = 0) -> list[Command]:
    """All simple commands in a text, in order, each followed by those of its substitutions."""
    if len(text) > LONGEST or depth > DEEPEST:
        raise Unreadable("it is too long or too deeply nested to be looked at")
    return _Reader(text, dict(environ), depth).read()


class _Reader:
    def __init__(self, text: str, variables: dict[str, str], depth: int) -> None:
        self.text = text.translate(dict.fromkeys(PLAIN, "?")).replace("\\\n", "")
        self.variables: dict[str, str] = variables
        self.arrays: dict[str, list[str]] = {}
        self.depth = depth
        self.at = 0
        self.found: list[Command] = []
        self.command = Command()
        self.heredocs: list[tuple[Command, str, bool]] = []
        self._fresh()

    def _fresh(self) -> None:
        self.parts: list[str] = []
        self.is_word = False
        self.is_quoted = False
        self.is_dynamic = False
        self.inner: list[Command] = []
        self.redirect = ""

    def read(self) -> list[Command]:
        while self.at < len(self.text):
            self._step(self.text[self.at])
        self._end_command(None)
        return self.found

    def _step(self, letter: str) -> None:
        if letter in " \t":
            self.at += 1
            self._end_word()
        elif letter == "#" and not self.is_word:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif letter in "<>" or (letter == "&" and self.text[self.at + 1 : self.at + 2] == ">"):
            self._redirection()
        elif letter == "(" and self._is_array():
            self._array()
        elif letter in "\n;&|()":
            self._separator(letter)
        else:
            self._word_part(letter)

    def _is_array(self) -> bool:
        text = "".join(self.parts)
        return text.endswith("=") and text[:-1].replace("_", "a").isalnum() and not self.command.words

    def _array(self) -> None:
        name, end = "".join(self.parts)[:-1], _closing(self.text, self.at, "(", ")")
        inside = _Reader(self.text[self.at + 1 : end], self.variables, self.depth + 1)
        self.arrays[name] = [word.text for command in inside.read() for word in command.words]
        self.at = end + 1
        self._fresh()

    def _separator(self, letter: str) -> None:
        length = 2 if self.text[self.at : self.at + 2] in ("&&", "||", "|&", ";;") else 1
        is_pipe = letter == "|" and self.text[self.at : self.at + 2] != "||"
        self._end_command(self.command if is_pipe else None)
        self.at += length
        if letter == "\n":
            self._read_heredocs()

    def _end_command(self, _pipe: Command | None) -> None:
        self._end_word()
        command = self.command
        if command.words or command.assignments or command.redirects:
            self.found.append(command)
        self.command = Command(command if _pipe is not None else None)

    def _read_heredocs(self) -> None:
        for command, delimiter, strips in self.heredocs:
            lines: list[str] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line, self.at = self.text[self.at : end], end + 1
                if (line.lstrip("\t") if strips else line) == delimiter:
                    break
                lines.append(line)
            command.stdin += "\n".join(lines)
        self.heredocs = []

    def _redirection(self) -> None:
        if self.text[self.at : self.at + 2] in ("<(", ">("):
            self._process_substitution()
            return
        is_descriptor = "".join(self.parts).isdigit()
        if is_descriptor:
            self._fresh()
        else:
            self._end_word()
        known = ("<<<", "<<-", "&>>", "<<", ">>", "&>", ">&", "<&", ">|", "<>", ">", "<")
        self.redirect = next(each for each in known if self.text.startswith(each, self.at))
        self.at += len(self.redirect)

    def _process_substitution(self) -> None:
        end = _closing(self.text, self.at + 1, "(", ")")
        self._substitute(self.text[self.at + 2 : end])
        self.parts.append("/dev/fd/63")
        self.at = end + 1

    def _substitute(self, text: str) -> None:
        if self.depth >= DEEPEST:
            raise Unreadable("it is too deeply nested to be looked at")
        inside = _Reader(text, self.variables, self.depth + 1)
        self.inner += inside.read()
        self.is_word = self.is_dynamic = True

    def _word_part(self, letter: str) -> None:
        self.is_word = True
        if letter == "\\":
            self.parts.append(self.text[self.at + 1 : self.at + 2])
            self.is_quoted = True
            self.at += 2
        elif letter == "'":
            end = self._find("'", self.at + 1)
            self.parts.append(self.text[self.at + 1 : end])
            self.is_quoted = True
            self.at = end + 1
        elif letter == '"':
            self._double_quoted()
        elif letter == "`":
            self._backticks()
        elif letter == "$":
            self._dollar(is_quoted=False)
        else:
            self.parts.append(SPECIAL.get(letter, letter))
            self.at += 1

    def _find(self, mark: str, start: int) -> int:
        end = self.text.find(mark, start)
        if end < 0:
            raise Unreadable(f"a {mark} is not closed")
        return end

    def _double_quoted(self) -> None:
        self.at += 1
        self.is_quoted = True
        while True:
            letter = self.text[self.at : self.at + 1]
            if not letter:
                raise Unreadable('a " is not closed')
            if letter == '"':
                self.at += 1
                return
            if letter == "\\" and self.text[self.at + 1 : self.at + 2] in tuple('"\\$`'):
                self.parts.append(self.text[self.at + 1])
                self.at += 2
            elif letter == "$":
                self._dollar(is_quoted=True)
            elif letter == "`":
                self._backticks()
            else:
                self.parts.append(letter)
                self.at += 1

    def _backticks(self) -> None:
        end = self._find("`", self.at + 1)
        self._substitute(self.text[self.at + 1 : end])
        self.at = end + 1

    def _dollar(self, is_quoted: bool) -> None:
        rest = self.text[self.at + 1 : self.at + 2]
        if rest == "'" and not is_quoted:
            self._ansi_quoted()
        elif self.text.startswith("$((", self.at):
            self.is_dynamic = True
            self.at = _closing(self.text, self.at + 1, "(", ")") + 1
        elif rest == "(":
            end = _closing(self.text, self.at + 1, "(", ")")
            self._substitute(self.text[self.at + 2 : end])
            self.at = end + 1
        elif rest == "{":
            end = _closing(self.text, self.at + 1, "{", "}")
            self._expand(self.text[self.at + 2 : end], is_quoted)
            self.at = end + 1
        elif rest.isalpha() or rest == "_":
            end = self.at + 1
            while self.text[end : end + 1].isalnum() or self.text[end : end + 1] == "_":
                end += 1
            self._expand(self.text[self.at + 1 : end], is_quoted)
            self.at = end
        elif rest and rest in "@*#?-$!0123456789":
            self.is_dynamic = True
            self.at += 2
        else:
            self.parts.append("$")
            self.at += 1

    def _ansi_quoted(self) -> None:
        self.at += 2
        self.is_quoted = True
        while self.text[self.at : self.at + 1] != "'":
            letter = self.text[self.at : self.at + 1]
            if not letter:
                raise Unreadable("a $' is not closed")
            if letter == "\\":
                self.parts.append(self._escape())
            else:
                self.parts.append(letter)
                self.at += 1
        self.at += 1

    def _escape(self) -> str:
        kind = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if kind in ESCAPES:
            return ESCAPES[kind]
        most, digits, base = {"x": (2, "0123456789abcdefABCDEF", 16), "u": (4, "0123456789abcdefABCDEF", 16)}.get(
            kind, (3, "01234567", 8)
        )
        start = self.at if kind in "xu" and kind else self.at - 1
        end = start
        while end < start + most and self.text[end : end + 1] and self.text[end] in digits:
            end += 1
        if end == start:
            return kind
        self.at = end
        return chr(int(self.text[start:end], base))

    def _expand(self, inside: str, is_quoted: bool) -> None:
        name = inside
        for mark in (":-", ":=", "-", "="):
            before, found, default = inside.partition(mark)
            if found and before.replace("_", "a").isalnum():
                name = before if before in self.variables else ""
                if not name:
                    # Nobody knows whether it is set, so its default is read.
                    self.parts.append(default)
                    self.is_dynamic = True
                    return
                break
        if name == "IFS":
            self._split(" ", is_quoted)
        elif name.endswith(("[@]", "[*]")) and name[:-3] in self.arrays:
            self._split(" ".join(self.arrays[name[:-3]]), is_quoted=False)
        elif name in self.variables:
            self._split(self.variables[name], is_quoted)
        else:
            self.is_dynamic = True

    def _split(self, value: str, is_quoted: bool) -> None:
        """Split the value of a variable into words, unless it is quoted."""
        if is_quoted or not any(letter in value for letter in " \t\n"):
            self.parts.append(value)
            return
        words = value.split()
        for place, each in enumerate(words):
            self.is_word = True
            if place or value[0].isspace():
                self._end_word()
                self.is_word = True
            self.parts.append(each)
        if value[-1:].isspace():
            self._end_word()

    def _end_word(self) -> None:
        if not self.is_word:
            return
        text, is_quoted, redirect = "".join(self.parts), self.is_quoted, self.redirect
        is_dynamic, inner = self.is_dynamic, tuple(self.inner)
        self._fresh()
        self.found += inner
        if redirect:
            self._redirected(redirect, Word(text, is_dynamic, inner))
            return
        for each in _braces(text):
            self._add(Word(each, is_dynamic, inner), is_quoted)

    def _redirected(self, kind: str, word: Word) -> None:
        if kind in ("<<", "<<-"):
            self.heredocs.append((self.command, word.text, kind == "<<-"))
        elif kind == "<<<":
            self.command.stdin += word.text
        else:
            self.command.redirects.append((kind, word))

    def _add(self, word: Word, is_quoted: bool) -> None:
        command = self.command
        if not command.words:
            name, equals, value = word.text.partition("=")
            if equals and name.replace("_", "a").isalnum() and not name[0].isdigit():
                command.assignments[name] = word
                if word.is_dynamic:
                    self.variables.pop(name, None)
                else:
                    self.variables[name] = value
                return
            if word.text in RESERVED and not is_quoted:
                return
        if len(command.words) >= MOST_WORDS:
            raise Unreadable("it has too many words to be looked at")
        command.words.append(word)


def _closing(text: str, start: int, opening: str, closing: str) -> int:
    """The position where the bracket at `start` is closed."""
    depth, at, quote = 0, start, ""
    while at < len(text):
        letter = text[at]
        if quote:
            if letter == "\\" and quote == '"':
                at += 1
            elif letter == quote:
                quote = ""
        elif letter == "\\":
            at += 1
        elif letter in "'\"":
            quote = letter
        elif letter == opening:
            depth += 1
        elif letter == closing:
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise Unreadable(f"a {opening} is not closed")


def _braces(text: str) -> list[str]:
    """The words of a brace expansion: `{a,b}` makes two words of one."""
    start = text.rfind(OPEN)
    end = text.find(CLOSE, start)
    if start < 0 or end < 0 or COMMA not in text[start:end]:
        return [text]
    made = [text[:start] + each + text[end + 1 :] for each in text[start + 1 : end].split(COMMA)]
    if len(made) * text.count(OPEN) > MOST_WORDS:
        raise Unreadable("its braces make too many words")
    return [word for each in made for word in _braces(each)]
