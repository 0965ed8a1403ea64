"""What the agent of a chunk is told, in one fixed structure. A section without content is left out with its heading.

The chunk's own text is in it as it was written. What comes from elsewhere (names, summaries, paths) is one line
each, so that none of it can begin a section of its own.
"""

import re
from collections.abc import Iterable

from ralph.kernel.feedback import GAP
from ralph.kernel.stage_text import TaskText
from ralph.model.context import ChunkContext, CodebaseContext, DependencyContext
from ralph.model.words import one_line

EXPECTED_OUTPUT = """\
## Expected Output
When complete, provide:
1. Summary of what you accomplished
2. Files created/modified
3. New exports/functions available
4. How to verify it works"""
MOST_NAMED = 40
"""How many files and exports of one dependency are named."""
NO_SUCH_FILE = " (does not exist yet)"
SKIPPED = "This task was skipped: nothing of it was done."
NO_SUMMARY = "This task is completed; there is no summary of it."
MARKUP = re.compile(r"(?:(?:#+|`{3,}|~{3,})\s*)+")
"""Markup that would turn a line into a heading, or start a code block."""


def chunk_prompt(task: TaskText, context: ChunkContext, feedback: str = "") -> str:
    """The prompt. `feedback` is one block that says why the last attempt was not good enough."""
    sections = [
        f"# Task: {one_line(task.title)}",
        _section("Context from Previous Work", GAP.join(map(_dependency, context.dependency_context))),
        _section("Files to Check", _files(context)),
        _section("Global Rules", _list(context.global_rules)),
        _section("Codebase Context", codebase_lines(context.codebase_context)),
        _section("Feedback on the Last Attempt", feedback.strip("\n")),
        _section("Your Task", task.description),
        _section('Task Outcome (What "Done" Means)', task.outcome),
        _section("Acceptance Criteria", "\n".join(f"- [ ] {one_line(each)}" for each in task.acceptance)),
        EXPECTED_OUTPUT,
    ]
    return GAP.join(filter(None, sections))


def _section(heading: str, body: str) -> str:
    return f"## {heading}\n{body}" if body.strip() else ""


def _dependency(dependency: DependencyContext) -> str:
    blocks = [f"### {one_line(dependency.title)}"]
    if dependency.skipped:
        return "\n".join([*blocks, SKIPPED])
    facts = [
        f"{name}: {one_line(_some(values[:MOST_NAMED], len(values[MOST_NAMED:])))}"
        for name, values in (
            ("Files created", dependency.files_created),
            ("Files modified", dependency.files_modified),
            ("Exports available", dependency.exports_added),
        )
        if values
    ]
    words = _plain(dependency.output_summary) or ("" if facts else NO_SUMMARY)
    return "\n".join([*blocks, GAP.join(filter(None, (words, "\n".join(facts))))])


def _files(context: ChunkContext) -> str:
    if not context.relevant_files:
        return ""
    missing = context.missing_files
    named = (f"{one_line(path)}{NO_SUCH_FILE if path in missing else ''}" for path in context.relevant_files)
    return f"Before starting, review these files:\n{_list(named)}"


def codebase_lines(codebase: CodebaseContext | None) -> str:
    if codebase is None:
        return ""
    lines = (
        ("Languages", ", ".join(codebase.languages)),
        ("Framework", codebase.framework),
        ("Package Manager", codebase.package_manager),
        ("Test Command", codebase.test_command),
        ("Lint Command", codebase.lint_command),
        ("Key Types", _some(codebase.types, codebase.more_types)),
        ("Existing Components", _some(codebase.components, codebase.more_components)),
    )
    return "\n".join(f"{name}: {one_line(value)}" for name, value in lines if value)


def _some(names: tuple[str, ...], more: int) -> str:
    return ", ".join([*names, *([f"and {more:,} more"] if more else [])])


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {one_line(each)}" for each in lines)


def _plain(text: str) -> str:
    """The text on one line without leading markup, for a line with nothing before it."""
    line = one_line(text)
    return line[found.end() :] if (found := MARKUP.match(line)) else line
