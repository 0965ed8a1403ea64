"""JavaScript: its rules, and where they apply. `javascript_tests` finds and weighs tests."""

import re
from collections.abc import Iterator

from ralph.checks.proof.tamper.javascript_tests import GROUP, TEST, JavaScriptTests
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.sheet import Hit, is_constant
from ralph.model.proof import Level
from ralph.syntax.outline import Item

GLOBALS = r"(?:globalThis|global|window|self)"
BUILTINS = r"(?:Object|Array|JSON|Number|String|Boolean|Map|Set|Promise|Symbol|Reflect|Math|Date|Function|Error)"

CALLS = Table(
    (
        Rule("skip", "block", r"(?:t|this|ctx|context)\.(?:skip|todo)", "{} skips", "not-product"),
        Rule(
            "changed-assertion",
            "warn",
            r"(?:jest|vi|vitest)\.(?:mock|doMock)",
            "{} replaces a module",
            "tests",
            at_import=True,
        ),
    )
)
TARGETS = Table(
    (
        Rule("patch", "block", r"(?:assert|expect|jest|chai\.(?:assert|expect))\.[\w.]+", "{} is replaced"),
        Rule(
            "patch",
            "block",
            rf"{GLOBALS}\.(?:expect|test|it|describe|assert|suite|process)(?:\.\w+)*",
            "{} is replaced",
        ),
        Rule("patch", "block", r"process\.(?:exit|reallyExit|emit)", "{} is replaced", "product"),
        Rule("patch", "warn", r"process\.(?:exit|reallyExit|emit)", "{} is replaced", "not-product"),
        Rule("patch", "warn", rf"{BUILTINS}\.(?:prototype\.)?\w+", "{} is replaced for everyone", "product"),
        Rule(
            "patch",
            "warn",
            r"(?:Module|module\.constructor)\.(?:prototype\.)?(?:require|_\w+)|require\.cache\[.*",
            "{} changes what is loaded",
        ),
    )
)
"""The rules for what is assigned, or set by `Object.defineProperty` and `Object.assign`."""
WORDS = Table(
    (
        Rule(
            "runner",
            "block",
            r"\b(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST_(?:WORKER_ID|POOL_ID|MODE)|__vitest_worker__|junitxml)\b",
            "the code names {}, which belongs to the test runner",
            "product",
        ),
        Rule(
            "runner",
            "warn",
            r"\bNODE_ENV\s*[!=]==?\s*['\"]test['\"]",
            "the code asks whether it is under test: {}",
            "product",
        ),
        Rule(
            "runner",
            "warn",
            r"['\"][^'\"\n]*\.(?:test|spec)\.[cm]?[jt]sx?['\"]",
            "the code names a test file: {}",
            "product",
        ),
        Rule(
            "runner",
            "warn",
            r"(?:from|require\()\s*['\"](?:node:test|vitest|@jest/globals|mocha)['\"]",
            "the code loads a test runner: {}",
            "product",
        ),
        Rule("stack", "warn", r"\bprepareStackTrace\b", "{} reads the stack", "product"),
        Rule(
            "disguise",
            "block",
            r"\b(?:eval|Function)\s*\([^\n]*(?:\batob\b|base64|fromCharCode)",
            "obfuscated code is run",
        ),
    )
)
EXIT = re.compile(r"process\.(?:exit|reallyExit)|Deno\.exit")
ENDINGS = re.compile(rb"\(\s*['\"](?:exit|beforeExit|uncaughtException|unhandledRejection)['\"]")
EXITING = re.compile(rb"\bexitCode\b|process\.(?:exit|reallyExit)|\.exit\(")
SKIPPING = re.compile(r"skip|todo|failing|fails|skipIf|runIf")
OPTIONS = re.compile(rb"\b(skip|todo|only)\b\s*:\s*(?!\s*(?:false|undefined|null)\b)")
PROGRAM = re.compile(r"(?:^|/)(?:bin|cli|cmd|scripts?|tools?)(?:/|[.-])|(?:^|/)(?:main|server)\.[cm]?[jt]s$")
COMPARING = re.compile(r"equals?|asymmetricMatch|isEqual|valueOf|\[Symbol\.(?:toPrimitive|hasInstance)\]")
LAMBDA = re.compile(
    r"\b(equals?|asymmetricMatch|isEqual)\b\s*[:=]\s*\(?[\w\s,]*\)?\s*=>\s*(?:\{\s*return\s+)?([^,;}\n]+)"
)
ESCAPED = re.compile(r"\\u\{?[0-9a-fA-F]{2,6}")
FAILURE = re.compile(rb"\(\s*(?:-?[1-9]\d*|['\"].*)\s*\)", re.DOTALL)


class JavaScriptReader(JavaScriptTests):
    grammar = "javascript"
    calls = CALLS
    words = WORDS
    silent_calls = re.compile(r"console\..*|require|String|Number|.*\.(?:log|join|toString|trim)")

    def own_hits(self) -> Iterator[Hit]:
        for item in self.outline.of("call"):
            name = self.called(item)
            yield from self._exit(item, name)
            yield from self._defined(item, name)
            if not self.source.is_product:
                yield from self._marks(item, name)
        yield from self._assignments()
        yield from self._comparisons()
        yield from self._disguises()
        if self.source.is_product:
            for item in self.outline.of("stack"):
                yield self.hit("stack", "warn", "new Error().stack reads the stack", item)

    def _exit(self, item: Item, name: str) -> Iterator[Hit]:
        arguments = item.field("arguments")
        if EXIT.fullmatch(name) and not FAILURE.fullmatch(arguments) and not item.within("main"):
            is_zero = is_constant(arguments)
            if self.is_import_time(item):
                level: Level = "warn" if self._is_program and not self.source.is_judge else "block"
                if not (self._is_program and not is_zero):
                    yield self.hit("exit", level, f"{name} ends the process when the file is loaded", item)
            elif not self._is_program:
                yield self.hit(
                    "exit", "block" if is_zero else "warn", f"{name} ends the process without its runner", item
                )
        elif name in ("process.on", "process.once") and ENDINGS.match(arguments) and EXITING.search(arguments):
            yield self.hit(
                "exit", "warn" if self._is_program else "block", f"{name} changes how the process ends", item
            )

    @property
    def _is_program(self) -> bool:
        return self.source.is_program or PROGRAM.search(self.source.path) is not None

    def _marks(self, item: Item, name: str) -> Iterator[Hit]:
        found = TEST.fullmatch(name) or GROUP.fullmatch(name)
        if not found or not self.arguments(item):
            return
        modifiers = found[2].split(".")[1:]
        given = [*modifiers, *_options(item, self)]
        mark = found[1] + found[2]
        if mark[0] == "x" or any(SKIPPING.fullmatch(each) for each in given):
            yield self.hit("skip", "block", f"{mark} skips", item, key=f"{mark} {given}")
        if mark[0] == "f" or "only" in given:
            yield self.hit("narrowed", "block", f"{mark}: only this one runs", item, key=f"{mark} {given}")

    def _defined(self, item: Item, name: str) -> Iterator[Hit]:
        if name in ("Object.defineProperty", "Object.assign", "Reflect.set", "Reflect.defineProperty"):
            given = [(node.text or b"").decode(errors="replace") for node in self.arguments(item)[:2]]
            if given:
                yield from self._assigned(item, self.resolved(given[0]) + "." + "".join(given[1:]).strip("\"'`")[:40])
        elif name == "expect.extend" and re.search(rb"\bto(?:Be|Equal|StrictEqual|Match|Throw)\b\s*[:(]", item.text):
            yield self.hit("patch", "block", "expect.extend replaces a matcher", item)

    def _assignments(self) -> Iterator[Hit]:
        for item in self.outline.of("assign"):
            target = re.sub(rb"\s", b"", item.field("left"))[:120].decode(errors="replace")
            target = re.sub(r"\[['\"](\w+)['\"]\]", r".\1", target)
            yield from self._assigned(item, self.resolved(target))
            if target == "process.exitCode" and not re.fullmatch(rb"-?[1-9]\d*", item.field("right")):
                level: Level = "block" if is_constant(item.field("right")) else "warn"
                if not (self._is_program and level == "warn"):
                    yield self.hit("exit", level, "process.exitCode is set", item)

    def _assigned(self, item: Item, target: str) -> Iterator[Hit]:
        for rule in TARGETS.named(target, self.source):
            yield self.hit_by(rule, item, target)

    def _comparisons(self) -> Iterator[Hit]:
        strict: Level = "block" if self.source.is_product else "warn"
        for item in self.outline.of("function"):
            name = item.field("name").decode(errors="replace")
            found = re.fullmatch(rb"\{\s*return\s+([^;]+?);?\s*\}", item.field("body"))
            if found and COMPARING.fullmatch(name) and is_constant(found[1]):
                level = strict if found[1] in (b"true", b"1", b"!0") else "warn"
                yield self.hit("comparison", level, f"{name} always returns {found[1].decode()}", item)
        for number, line in enumerate(self.source.lines, 1) if LAMBDA.search(self.source.text) else ():
            if (found := LAMBDA.search(line)) and is_constant(found[2].encode()):
                yield Hit("comparison", strict, f"{found[1]} does not compare", number, line.strip())

    def _disguises(self) -> Iterator[Hit]:
        for item in self.outline.of("disguise"):
            yield self.hit("disguise", "block", "a name is put together from pieces", item)
        for found in ESCAPED.finditer(self.source.text):
            start = len(self.source.text[: found.start()].encode())
            node = self.outline.root.descendant_for_byte_range(start, start + 1)
            if node and node.type.endswith("identifier"):
                line = self.source.text.count("\n", 0, found.start()) + 1
                yield Hit("disguise", "block", "a name is written in escapes", line, (node.text or b"").decode())


def _options(item: Item, reader: JavaScriptTests) -> list[str]:
    """The options `skip`, `todo` and `only` of a test."""
    objects = [node.text or b"" for node in reader.arguments(item) if node.type == "object"]
    return [found.decode() for text in objects for found in OPTIONS.findall(text)]
