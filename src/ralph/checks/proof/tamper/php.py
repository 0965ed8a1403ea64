"""PHP: PHPUnit and Pest."""

import re

from ralph.checks.proof.tamper.patterned import Language, PatternReader
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.tokens import slash_tokens

RULES = Table(
    (
        Rule(
            "exit", "block", r"^(?:exit|die)\b\s*(?:\(\s*0?\s*\))?\s*;", "{} ends the process when the file is loaded"
        ),
        Rule("exit", "warn", r"^\s+(?:exit|die)\b\s*(?:\(\s*0?\s*\))?\s*;", "{} ends the process", "product"),
        Rule(
            "exit",
            "block",
            r"^\s+(?:exit|die)\b\s*(?:\(\s*0?\s*\))?\s*;",
            "{} ends the process without its runner",
            "not-product",
        ),
        Rule("exit", "block", r"\bregister_shutdown_function\s*\(.*\bexit\b", "{} changes how the process ends"),
        Rule(
            "skip",
            "block",
            r"\bmarkTest(?:Skipped|Incomplete)\s*\(|->(?:skip|todo)\s*\(|#\[(?:Ignore|RequiresPhp\w*"
            r"|RequiresOperatingSystem)",
            "{} skips",
            "not-product",
        ),
        Rule("narrowed", "block", r"->only\s*\(", "{}: only this one runs", "not-product"),
        Rule(
            "comparison",
            "block",
            r"\bfunction\s+(?:equals|isEqual|__equals)\s*\([^)]*\)[^{]*\{\s*return\s+true\s*;",
            "{}: it does not compare",
            "product",
        ),
        Rule(
            "runner",
            "block",
            r"PHPUNIT_COMPOSER_INSTALL|__PHPUNIT_\w+|PEST_\w+",
            "the code names {}, which belongs to the test runner",
            "product",
        ),
        Rule("stack", "warn", r"\bdebug_backtrace\s*\(", "{} reads the stack", "product"),
        Rule(
            "disguise",
            "block",
            r"\beval\s*\(.*(?:base64_decode|gzinflate|str_rot13)",
            "obfuscated code is run",
        ),
    )
)


class PhpReader(PatternReader):
    language = Language(
        RULES,
        re.compile(r"\bfunction\s+(test\w+)\s*\(|^\s*(?:it|test)\s*\(\s*(['\"].*?['\"])"),
        re.compile(r"(?:->|::)assert\w*\((.*)|\bexpect\s*(\(.*)|\bexpectException\w*\((.*)"),
        slash_tokens,
        re.compile(r"(?:^|\s)(?://|#(?!\[)).*$"),
    )
