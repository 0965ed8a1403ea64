"""Ruby: minitest, test-unit and RSpec."""

import re

from ralph.checks.proof.tamper.patterned import Language, PatternReader
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.tokens import hash_tokens

RULES = Table(
    (
        Rule(
            "exit",
            "block",
            r"\bexit!(?:\s*\(?\s*(?:0|true)\s*\)?)?(?!\w)|\bKernel\.exit!",
            "{} ends the process without its runner",
        ),
        Rule(
            "exit",
            "block",
            r"^(?:Kernel\.)?(?:exit|abort)\b(?:\s*\(?\s*(?:0|true)\s*\)?)?\s*$",
            "{} ends the process when the file is loaded",
        ),
        Rule("exit", "block", r"\bat_exit\s*(?:do|\{)", "{} changes how the process ends", "product"),
        Rule(
            "skip",
            "block",
            r"^\s*(?:skip|pending|omit|pend)\b|^\s*x(?:it|describe|context|specify)\b|\b(?:skip"
            r"|pending):\s*(?!false|nil)",
            "{} skips",
            "not-product",
        ),
        Rule(
            "narrowed",
            "block",
            r"^\s*f(?:it|describe|context|specify)\b|\bfocus:\s*true|:focus\b",
            "{}: only this one runs",
            "not-product",
        ),
        Rule(
            "patch",
            "block",
            r"^\s*(?:class|module)\s+(?:Minitest|MiniTest|RSpec|Test::Unit)\b.*(?:Assertions|Test|Expectations"
            r"|Matchers|Runner|Reporter)\b(?!.*<)",
            "{} is opened again",
        ),
        Rule(
            "patch",
            "warn",
            r"^\s*class\s+(?:Object|BasicObject|Integer|String|Array|Hash|NilClass)\b",
            "{} is opened again",
            "product",
        ),
        Rule(
            "runner",
            "block",
            r"defined\?\(?\s*(?:Minitest|RSpec|Test::Unit)\b",
            "the code asks whether it is under test: {}",
            "product",
        ),
        Rule(
            "comparison",
            "block",
            r"def\s+(?:==|eql\?|===|equal\?)\s*\(?\w*\)?\s*(?:=|;)?\s*true\b",
            "{}: it does not compare",
            "product",
        ),
        Rule("stack", "warn", r"\bcaller(?:_locations)?\b", "{} reads the stack", "product"),
    )
)


class RubyReader(PatternReader):
    language = Language(
        RULES,
        re.compile(r"^\s*def\s+(test_\w+[?!]?)|^\s*[fx]?(?:it|specify|test|scenario)\s*\(?\s*([\"'].*?[\"'])"),
        re.compile(r"\b(?:assert\w*|refute\w*|expect|flunk)\b(.*)|(.*\.(?:should\w*|must_\w+|wont_\w+)\b.*)"),
        hash_tokens,
        re.compile(r"(?:^|\s)#(?!\{).*$"),
    )
