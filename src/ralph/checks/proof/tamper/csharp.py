"""C#: xUnit, NUnit and MSTest."""

import re

from ralph.checks.proof.tamper.patterned import Language, PatternReader
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.tokens import slash_tokens

RULES = Table(
    (
        Rule("exit", "block", r"\bEnvironment\.Exit\s*\(\s*0\s*\)", "{} ends the process without its runner"),
        Rule("exit", "block", r"\bProcess\.GetCurrentProcess\(\)\.Kill\s*\(", "{} ends the process without its runner"),
        Rule(
            "skip",
            "block",
            r"\[(?:Ignore|Explicit)\b|\bSkip\s*=\s*\"|\bAssert\.(?:Ignore|Inconclusive|Skip)\s*\(|\bSkip\.If\w*\s*\(",
            "{} skips",
            "not-product",
        ),
        Rule(
            "comparison",
            "block",
            r"\boverride\s+bool\s+Equals\s*\([^)]*\)\s*(?:=>\s*true\b|\{\s*return\s+true\s*;)"
            r"|\boperator\s*==\s*\([^)]*\)\s*=>\s*true\b",
            "{}: it does not compare",
            "product",
        ),
        Rule(
            "runner",
            "block",
            r"\"(?:xunit|nunit\.framework|Microsoft\.VisualStudio\.TestPlatform)\b",
            "the code asks whether it is under test: {}",
            "product",
        ),
        Rule(
            "runner",
            "warn",
            r"^\s*using\s+(?:Xunit|NUnit|Microsoft\.VisualStudio\.TestTools)\b",
            "the code uses a test runner: {}",
            "product",
        ),
        Rule(
            "stack",
            "warn",
            r"\bnew\s+Stack(?:Trace|Frame)\b|\bEnvironment\.StackTrace\b",
            "{} reads the stack",
            "product",
        ),
    )
)


class CSharpReader(PatternReader):
    language = Language(
        RULES,
        re.compile(r"^\s*(?:\[[^\]]*\]\s*)*public\s+(?:async\s+)?(?:void|Task)\s+((?!SetUp|TearDown|Dispose)\w+)\s*\("),
        re.compile(
            r"\b(?:Assert|CollectionAssert|StringAssert)\.\w+(?:<[^>]*>)?\s*\((.*)|(.*\.Should\w*\(.*)"
            r"|\.Verify\s*\((.*)"
        ),
        slash_tokens,
        re.compile(r"//.*$"),
    )
