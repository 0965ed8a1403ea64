"""Java and Kotlin: JUnit and TestNG."""

import re

from ralph.checks.proof.tamper.patterned import Language, PatternReader
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.tokens import slash_tokens

RULES = Table(
    (
        Rule(
            "exit",
            "block",
            r"\bRuntime\.getRuntime\(\)\.(?:halt|exit)\s*\(\s*0?\s*\)",
            "{} ends the process without its runner",
        ),
        Rule("exit", "warn", r"\b(?:System\.exit|exitProcess)\s*\(\s*0?\s*\)", "{} ends the process", "product"),
        Rule(
            "exit",
            "block",
            r"\b(?:System\.exit|exitProcess)\s*\(\s*0?\s*\)",
            "{} ends the process without its runner",
            "not-product",
        ),
        Rule("exit", "block", r"^\s*static\s*\{[^}]*System\.exit", "{} ends the process when the class is loaded"),
        Rule(
            "skip",
            "block",
            r"@(?:Disabled\w*|Ignore)\b|@(?:Enabled|Disabled)(?:If|On)\w*|@Test\s*\([^)]*enabled\s*=\s*false",
            "{} skips",
            "not-product",
        ),
        Rule(
            "skip",
            "block",
            r"\b(?:Assumptions?|Assume)\.\w+\s*\(|\bassum(?:e|ing)That\s*\(|\bassume(?:True|False)\s*\(",
            "{} skips",
            "not-product",
        ),
        Rule(
            "comparison",
            "block",
            r"\bboolean\s+equals\s*\(\s*(?:final\s+)?Object\s+\w+\s*\)\s*\{\s*return\s+true\s*;"
            r"|\bfun\s+equals\s*\([^)]*\)[^={]*=\s*true\b",
            "{}: it does not compare",
            "product",
        ),
        Rule(
            "runner",
            "block",
            r"Class\.forName\(\s*\"(?:org\.junit|org\.testng)|\"surefire\.\w+",
            "the code asks whether it is under test: {}",
            "product",
        ),
        Rule(
            "runner",
            "warn",
            r"^\s*import\s+(?:static\s+)?org\.(?:junit|testng)\b",
            "the code imports a test runner: {}",
            "product",
        ),
        Rule("stack", "warn", r"\bgetStackTrace\s*\(\)|\bStackWalker\b", "{} reads the stack", "product"),
        Rule(
            "hook",
            "block",
            r"\bimplements\b.*\b(?:TestExecutionListener|InvocationInterceptor|TestExecutionExceptionHandler"
            r"|ExecutionCondition|TestWatcher)\b",
            "{} can change what is reported",
        ),
    )
)


class JavaReader(PatternReader):
    language = Language(
        RULES,
        re.compile(
            r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public\s+|private\s+|protected\s+|internal\s+)?(?:void"
            r"|fun)\s+(`[^`]+`|(?!setUp|tearDown|before|after)\w+)\s*\("
        ),
        re.compile(r"\b(?:assert\w*|verify|fail|expect\w*|should\w*|then)\b(?:\.\w+)*\s*\((.*)"),
        slash_tokens,
        re.compile(r"//.*$"),
    )
