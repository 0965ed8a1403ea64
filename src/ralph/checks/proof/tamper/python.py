"""Python: its rules, and where they apply. `python_tests` finds and weighs tests."""

import re
from collections.abc import Iterator
from functools import cached_property

from ralph.checks.proof.tamper.python_tests import PythonTests
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.sheet import Hit, is_constant
from ralph.model.proof import Level
from ralph.syntax.outline import Item

RUNNERS = r"_?pytest|unittest|pluggy|nose2?|doctest"
PATCHABLE = r"time|datetime|random|math|json|re|operator|functools|os|sys|subprocess|socket"
USUAL = (
    r"sys\.(?:path|argv|std\w+|excepthook|displayhook|breakpointhook|ps[12]|dont_write_bytecode|tracebacklimit)"
    r"|os\.environ"
)
"""What ordinary programs set."""

CALLS = Table(
    (
        Rule("exit", "block", r"(?:pytest|_pytest\.outcomes)\.exit", "{} ends the test run"),
        Rule("skip", "block", r"(?:pytest|_pytest\.outcomes)\.(?:skip|xfail|importorskip)", "{} skips", "not-product"),
        Rule("skip", "block", r"self\.skipTest|unittest\.(?:SkipTest|case\.SkipTest)", "{} skips", "not-product"),
        Rule("stack", "warn", r"inspect\.(?:stack|currentframe|getouterframes)", "{} reads the stack", "product"),
        Rule("stack", "warn", r"sys\._(?:getframe|current_frames)", "{} reads the stack", "product"),
        Rule("stack", "warn", r"traceback\.(?:extract_stack|walk_stack)", "{} reads the stack", "product"),
        Rule("stack", "warn", r"gc\.get_(?:objects|referrers)", "{} looks at the objects of other code", "product"),
        Rule("patch", "warn", r"(?:sys|threading)\.set(?:trace|profile)", "{} watches each line that runs", "product"),
        Rule("patch", "warn", r"sys\.(?:meta_path|path_hooks)\.(?:insert|append)", "{} changes what is imported"),
    )
)
TARGETS = Table(
    (
        Rule("patch", "block", rf"(?:{RUNNERS})[.\[].+", "{} of the test runner is replaced"),
        Rule("patch", "block", rf"sys\.modules\[['\"](?:{RUNNERS})\b.*", "{} is replaced"),
        Rule("patch", "block", r"(?:builtins|__builtins__)[.\[].+", "{} is replaced for everyone", "product"),
        Rule("patch", "warn", r"(?:builtins|__builtins__)[.\[].+", "{} is replaced for everyone", "not-product"),
        Rule("patch", "warn", rf"(?!{USUAL})(?:{PATCHABLE})\.\w+(?:\.\w+)*", "{} is replaced for everyone"),
        Rule("patch", "block", r".+\.(?:exitstatus|testsfailed|wasxfail)", "{} of the test runner is set", "product"),
        Rule(
            "hook",
            "block",
            r".+\.(?:exitstatus|testsfailed|wasxfail)|(?:\w*rep\w*|res|result|r)\.outcome",
            "{} is set",
            "not-product",
        ),
        Rule("narrowed", "block", r"collect_ignore(?:_glob)?", "{} keeps tests from being collected", "not-product"),
    )
)
"""The rules for what is assigned, or set by `setattr`."""
WORDS = Table(
    (
        Rule(
            "runner",
            "block",
            r"\b(?:PYTEST_(?:CURRENT_TEST|ADDOPTS|PLUGINS|XDIST_WORKER|VERSION|DISABLE_PLUGIN_AUTOLOAD)|junitxml)\b",
            "the code names {}, which belongs to the test runner",
            "product",
        ),
        Rule(
            "runner",
            "block",
            rf"""["'](?:{RUNNERS})[\w.]*["']\s*(?:not\s+)?in\s+sys\s*\.\s*modules"""
            rf"""|sys\s*\.\s*modules(?:\s*\.\s*get)?\s*[\[(]\s*["'](?:{RUNNERS})""",
            "the code asks whether it is under test: {}",
            "product",
        ),
        Rule("runner", "warn", r"""["'][^"'\n]*\btest_\w+\.py["']""", "the code names a test file: {}", "product"),
    )
)
HOOKS = re.compile(
    r"pytest_(?:runtest_(?:makereport|logreport|protocol|call)|report_teststatus|sessionfinish|unconfigure|runtestloop"
    r"|collection(?:_modifyitems)?|ignore_collect|collect_(?:file|directory)|pycollect_make(?:item|module)|deselected"
    r"|pyfunc_call|make_collect_report|cmdline_(?:main|parse|preparse)|load_initial_conftests|exception_interact"
    r"|fixture_setup)|load_tests"
)
SKIPS = re.compile(r"\b(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b")
SKIPPED_PARAMETER = re.compile(r"\bmarks\s*=[^\n]*\bmark\.(?:skip|skipif|xfail)\b")
RUNNER_IMPORT = re.compile(r"(?:from|import)\s+(_?pytest|unittest|nose2?|conftest|tests?)(?:[\s.,]|$)")
TESTING_MODULE = re.compile(r"test|plugin|fixture|conftest|mock", re.IGNORECASE)
"""The names of modules that help users test: a product may offer them."""
LEAVES = re.compile(r"(?:os|posix)\._exit")
GIVEN_AWAY = re.compile(rb"\b\w+\s*\.\s*_exit\b(?!\s*\()")
EXITS = re.compile(r"sys\.exit|exit|quit")
DECODED = re.compile(rb"b64decode|b32decode|a85decode|fromhex|unhexlify|decompress|rot_?13|\[::-1\]|chr\(")
ORDERING = re.compile(r"__(?:lt|le|gt|ge|contains|instancecheck|subclasscheck)__")
LAMBDA = re.compile(r"""__(eq|ne)__["']?\s*[:=]\s*lambda\s+(\w+)[^:]*:\s*([^,}\n]+)""")
COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
PLAIN_CODINGS = re.compile(
    rb"(?i)utf-?8(?:-sig)?|us-ascii|ascii|latin-?1|iso-?8859-\d+|cp125\d|windows-125\d|euc[-_]\w+"
    rb"|big5|gbk?\d*|shift[-_]jis|koi8-[ru]|mac[-_]roman"
)


class PythonReader(PythonTests):
    calls = CALLS
    words = WORDS
    silent_calls = re.compile(
        r"print|len|str|int|format|repr|(?:sys|logging|logger)\..*|.*\.(?:format|join|write|strip)"
    )

    def own_hits(self) -> Iterator[Hit]:
        yield from self._coding()
        yield from self._skip_marks()
        yield from self._hooks()
        yield from self._exits()
        yield from self._assignments()
        yield from self._comparisons()
        yield from self._disguises()
        if self.source.is_product and not TESTING_MODULE.search(self.source.path):
            yield from self._runner_imports()

    def _coding(self) -> Iterator[Hit]:
        """The hits for encodings in which something that looks like a comment is code."""
        for number, line in enumerate(self.source.content.split(b"\n", 2)[:2], 1):
            found = COOKIE.match(line)
            if found and not PLAIN_CODINGS.fullmatch(found[1]):
                name = found[1].decode(errors="replace")
                yield Hit("unreadable", "block", f"the encoding {name} hides what the file says", number, name)

    def _skip_marks(self) -> Iterator[Hit]:
        if self.source.is_product:
            return
        for item in self.outline.of("decorator"):
            mark = item.text.decode(errors="replace")
            name = mark.partition("(")[0].strip()
            if SKIPS.search(name) or SKIPPED_PARAMETER.search(mark):
                yield self.hit("skip", "block", f"{name} skips", item)
        for item in self.outline.of("assign"):
            target, value = item.field("left"), item.field("right").decode(errors="replace")
            if target == b"pytestmark" and SKIPS.search(value):
                yield self.hit("skip", "block", "pytestmark skips the whole file", item)
            elif target.endswith(b"__test__") and value in ("False", "0", "None"):
                yield self.hit("skip", "block", f"{target.decode()} = {value} keeps tests from being collected", item)

    def _hooks(self) -> Iterator[Hit]:
        for item in self.outline.of("function"):
            if HOOKS.fullmatch(name := item.field("name").decode(errors="replace")):
                yield self.hit("hook", "block", f"{name} can change what the test runner runs and reports", item)

    def _exits(self) -> Iterator[Hit]:
        for item in self.outline.of("call"):
            name = self.called(item)
            if LEAVES.fullmatch(name):
                yield from self._leave(item, name)
            elif EXITS.fullmatch(name):
                yield from self._exit_at_import(item, name, item.field("arguments")[1:-1])
            elif self._exiting_functions and name.encode() in self._exiting_functions and self._ends_import(item):
                yield self.hit("exit", "warn", f"{name} ends the process when the file is imported", item)
        yield from self._given_away()
        for item in self.outline.of("raise"):
            if found := re.match(rb"raise\s+SystemExit(?:\s*\((.*)\))?\s*$", item.text, re.DOTALL):
                yield from self._exit_at_import(item, "raise SystemExit", found[1] or b"")

    def _given_away(self) -> Iterator[Hit]:
        """The hits for `atexit.register(os._exit, 0)`: a function is named, and something else calls it."""
        for found in GIVEN_AWAY.finditer(self.source.content) if b"_exit" in self.source.content else ():
            name = self.resolved(re.sub(rb"\s", b"", found[0]).decode())
            if LEAVES.fullmatch(name) and self.outline.is_code(found.start(), found.start() + 1):
                line = self.source.content.count(b"\n", 0, found.start()) + 1
                yield Hit("exit", "block", f"{name} is passed on to be called later", line, name)

    def _leave(self, item: Item, name: str) -> Iterator[Hit]:
        """The hits for an exit without cleanup: the runner cannot report. After a fork it is the right way for the
        child.
        """
        if _is_failure(item.field("arguments")[1:-1]):
            return
        function = item.within("function")
        is_usual = self.source.is_program or item.within("main") or (function and b"fork" in function.text)
        yield self.hit("exit", "warn" if is_usual else "block", f"{name} ends the process without its runner", item)

    def _exit_at_import(self, item: Item, name: str, code: bytes) -> Iterator[Hit]:
        if not self.is_import_time(item) or _is_failure(code):
            return
        starts = self.source.is_program or self.source.name == "__main__.py" or self.source.is_judge
        if not (starts and _computed(code)):
            is_end = item.end >= self.outline.root.end_byte - 2
            level: Level = "warn" if starts and (is_end or not self.source.is_judge) else "block"
            yield self.hit("exit", level, f"{name} ends the process when the file is loaded", item)

    def _ends_import(self, item: Item) -> bool:
        return self.is_import_time(item) and not self.source.is_program and self.source.name != "__main__.py"

    @cached_property
    def _exiting_functions(self) -> set[bytes]:
        exits = [item for item in self.outline.of("call") if EXITS.fullmatch(self.called(item))]
        around = [item.within("function") for item in exits if not _is_failure(item.field("arguments")[1:-1])]
        return {function.field("name") for function in around if function}

    def _assignments(self) -> Iterator[Hit]:
        for item in self.outline.of("assign"):
            target = re.sub(rb"\s", b"", item.field("left"))[:120].decode(errors="replace")
            # A plain name is this file's own, whatever was imported under it.
            yield from self._assigned(item, self.resolved(target) if "." in target else target)
            if not self.source.is_product and self.is_import_time(item):
                yield from self._stand_in(item, target)
        for item in self.outline.of("call"):
            if self.called(item) == "setattr":
                given = item.field("arguments")[1:-1].decode(errors="replace").split(",")
                target = ".".join(part.strip().strip("\"'") for part in given[:2])
                yield from self._assigned(item, self.resolved(target))

    def _assigned(self, item: Item, target: str) -> Iterator[Hit]:
        for rule in TARGETS.named(target, self.source):
            yield self.hit_by(rule, item, target)

    def _stand_in(self, item: Item, target: str) -> Iterator[Hit]:
        """The hits for a test file that replaces a function of the product for all tests."""
        module, dot, _ = target.partition(".")
        value = item.node.child_by_field_name("right")
        if dot and module in self.imported and value and value.type in ("lambda", "identifier"):
            yield self.hit("patch", "warn", f"{target} is replaced for all tests", item)

    def _comparisons(self) -> Iterator[Hit]:
        for item in self.outline.of("function"):
            name = item.field("name").decode(errors="replace")
            if name in ("__eq__", "__ne__"):
                first = re.match(rb"\(\s*(\w+)", item.field("parameters"))
                yield from self._comparison(item, name, first[1] if first else b"self", _returned(item))
            elif ORDERING.fullmatch(name) and (value := _returned(item)) and is_constant(value):
                yield self.hit("comparison", "warn", f"{name} always returns {value.decode()}", item)
        for number, line in enumerate(self.source.lines, 1) if LAMBDA.search(self.source.text) else ():
            if found := LAMBDA.search(line):
                value = found[3].strip(" )").encode()
                if (level := self._how_bad(f"__{found[1]}__", found[2].encode(), value, value)) is not None:
                    yield Hit("comparison", level, f"__{found[1]}__ does not compare", number, line.strip())

    def _comparison(self, item: Item, name: str, first: bytes, value: bytes) -> Iterator[Hit]:
        if (level := self._how_bad(name, first, value, item.field("body"))) is not None:
            what = (
                f"always returns {value.decode()}"
                if value and is_constant(value)
                else f"does not look at {first.decode()}"
            )
            yield self.hit("comparison", level, f"{name} {what}", item)

    def _how_bad(self, name: str, first: bytes, value: bytes, body: bytes) -> Level | None:
        if value and value != b"NotImplemented" and is_constant(value):
            is_equal = (value in (b"False", b"0", b"None")) == (name == "__ne__")
            return "block" if is_equal and self.source.is_product else "warn"
        return None if re.search(rb"\b%b\b" % re.escape(first), body) or value == b"NotImplemented" else "warn"

    def _disguises(self) -> Iterator[Hit]:
        for item in self.outline.of("disguise"):
            yield self.hit("disguise", "block", "a name is put together from pieces", item)
        for item in self.outline.of("call"):
            if self.called(item) in ("exec", "eval", "builtins.exec", "builtins.eval") and DECODED.search(item.text):
                yield self.hit("disguise", "block", "obfuscated code is run", item)

    def _runner_imports(self) -> Iterator[Hit]:
        for item in self.outline.of("import"):
            if found := RUNNER_IMPORT.match(item.text.decode(errors="replace")):
                yield self.hit("runner", "warn", f"the code imports {found[1]}", item)


def _returned(function: Item) -> bytes:
    """What a function returns, if it does nothing else; empty if it does more."""
    body = function.node.child_by_field_name("body")
    statements = [node for node in body.named_children if not _says_nothing(node.type, node.text)] if body else []
    if len(statements) != 1 or statements[0].type != "return_statement":
        return b""
    return (statements[0].text or b"").removeprefix(b"return").strip()


def _says_nothing(kind: str, text: bytes | None) -> bool:
    return kind == "comment" or (kind == "expression_statement" and (text or b"").lstrip(b"rR")[:1] in (b'"', b"'"))


def _is_failure(code: bytes) -> bool:
    """Whether an exit code says that something failed: that deceives nobody."""
    code = code.strip()
    return re.fullmatch(rb"-?[1-9]\d*|[rf]?[\"'].*", code, re.DOTALL) is not None


def _computed(code: bytes) -> bool:
    return re.search(rb"[A-Za-z_]", code) is not None and not is_constant(code)
