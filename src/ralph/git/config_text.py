"""Reads the text of a git settings file as git does, without starting git."""

from collections.abc import Iterator

KEY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
SPACE = frozenset(" \t\r\n")
COMMENT = frozenset("#;")
ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}


class _Bad(Exception):
    """Git refuses a file with such a line."""


def settings_in(text: str) -> Iterator[tuple[str, str]]:
    """The full name and the value of each setting, in order, up to the first line that git would refuse.

    A setting without a value is `true`. Sections and keys are in lower case; what is between quotes is as it was.
    """
    try:
        yield from _Reader(text).settings()
    except _Bad:
        return


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._at = 0

    def settings(self) -> Iterator[tuple[str, str]]:
        section = ""
        while self._at < len(self._text):
            sign = self._next()
            if sign in COMMENT:
                self._skip_line()
            elif sign == "[":
                section = f"{self._section()}."
            elif sign in KEY and sign.isalpha():
                key = sign + self._key()
                yield section + key.lower(), self._value()
            elif sign not in SPACE:
                raise _Bad

    def _next(self) -> str:
        """The next character. The text is read as if it ended with a line end."""
        sign = self._text[self._at] if self._at < len(self._text) else "\n"
        self._at += 1
        return sign

    def _skip_line(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end + 1

    def _section(self) -> str:
        name: list[str] = []
        while (sign := self._next()) != "]":
            if sign in SPACE:
                return f"{''.join(name).lower()}.{self._subsection(sign)}"
            if sign not in KEY and sign != ".":
                raise _Bad
            name.append(sign)
        return "".join(name).lower()

    def _subsection(self, sign: str) -> str:
        while sign in SPACE:
            if sign == "\n":
                raise _Bad
            sign = self._next()
        if sign != '"':
            raise _Bad
        name: list[str] = []
        while (sign := self._next()) != '"':
            if sign == "\\":
                sign = self._next()
            if sign == "\n":
                raise _Bad
            name.append(sign)
        if self._next() != "]":
            raise _Bad
        return "".join(name)

    def _key(self) -> str:
        begin = self._at
        while self._at < len(self._text) and self._text[self._at] in KEY:
            self._at += 1
        return self._text[begin : self._at]

    def _value(self) -> str:
        while (sign := self._next()) in " \t":
            pass
        if sign == "\n":
            return "true"
        if sign != "=":
            raise _Bad
        return self._rest()

    def _rest(self) -> str:
        """The value, up to the end of its line."""
        value, blanks, is_quoted = list[str](), 0, False
        while (sign := self._next()) != "\n":
            if not is_quoted and sign in SPACE:
                # Blanks count only if something comes after them.
                blanks += bool(value)
                continue
            if not is_quoted and sign in COMMENT:
                self._skip_line()
                break
            if blanks:
                value.append(" " * blanks)
                blanks = 0
            if sign == '"':
                is_quoted = not is_quoted
            elif part := self._escaped() if sign == "\\" else sign:
                value.append(part)
        if is_quoted:
            raise _Bad
        return "".join(value)

    def _escaped(self) -> str:
        sign = self._next()
        if sign == "\n":
            return ""
        if sign not in ESCAPED:
            raise _Bad
        return ESCAPED[sign]
