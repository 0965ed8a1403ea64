"""TypeScript: its tests and rules are those of JavaScript; its grammar is its own."""

from ralph.checks.proof.tamper.javascript import JavaScriptReader


class TypeScriptReader(JavaScriptReader):
    grammar = "typescript"


class TsxReader(JavaScriptReader):
    grammar = "tsx"
