"""The text of a spec: its title, what was wanted, what the planner wrote, and the questions with their answers."""

import re
from collections.abc import Sequence

from ralph.kernel.plan_options import Exchange
from ralph.model.words import one_line

ANSWERS = "## Questions and answers"
LONGEST_TITLE = 80
LONGEST_ID = 40
_TITLE = re.compile(r"\A\s*#[ \t][^\n]*\n*")
_SECTION = re.compile(r"^##[ \t]+questions and answers[ \t]*$", re.MULTILINE | re.IGNORECASE)
_NEXT = re.compile(r"^#{1,2}[ \t]", re.MULTILINE)


def heading_of(text: str) -> str:
    """The title at the beginning of a text; empty if there is none."""
    found = _TITLE.match(text)
    return found[0].strip().lstrip("#").strip() if found else ""


def title_of(said: str) -> str:
    """The first line of what was said, at most as long as a title may be."""
    line = next((" ".join(each.split()) for each in said.splitlines() if each.strip(" #\t")), "")
    line = "".join(each for each in line.lstrip("# ") if each.isprintable()).rstrip(" .")
    if len(line) <= LONGEST_TITLE:
        return line
    return line[:LONGEST_TITLE].rpartition(" ")[0] or line[:LONGEST_TITLE]


def id_of(title: str) -> str:
    """The id of a title: `Search for orders!` becomes `search-for-orders`."""
    name = re.sub(r"[^a-z0-9]+", "-", title.lower().replace("'", "")).strip("-")
    if len(name) > LONGEST_ID:
        name = name[:LONGEST_ID].rpartition("-")[0] or name[:LONGEST_ID]
    return name or "spec"


def first_text(title: str, said: str) -> str:
    """The text of a spec of which only the intent is known yet."""
    return f"# {title}\n\n## Intent\n{said.strip()}\n"


def spec_text(title: str, said: str, body: str, answers: Sequence[str]) -> str:
    """The text. `said` is what was wanted, if the spec comes from an intent; `answers` are the lines of their
    section.
    """
    intent = f"## Intent\n{said.strip()}\n\n" if said.strip() else ""
    own = without_answers(_TITLE.sub("", body)).strip()
    told = f"\n\n{ANSWERS}\n" + "\n".join(answers) if answers else ""
    return f"# {title}\n\n{intent}{own}{told}\n"


def with_answer(text: str, line: str) -> str:
    """The text with one more line under its answers. A line that is already there is not written twice."""
    lines = answers_in(text)
    if line in lines:
        return text
    found = _SECTION.search(text)
    if found is None:
        return f"{text.rstrip()}\n\n{ANSWERS}\n{line}\n"
    end = _end_of(text, found.end())
    return f"{text[:end].rstrip()}\n{line}\n{_before(text[end:])}"


def answers_in(text: str) -> list[str]:
    """The lines under the heading of the answers."""
    found = _SECTION.search(text)
    if found is None:
        return []
    return [line for line in text[found.end() : _end_of(text, found.end())].splitlines() if line.strip()]


def without_answers(text: str) -> str:
    found = _SECTION.search(text)
    if found is None:
        return text
    rest = text[_end_of(text, found.end()) :]
    return f"{text[: found.start()].rstrip()}\n{_before(rest)}"


def answer_line(said: Exchange) -> str:
    by = " (recommended; nobody was asked)" if said.by_default else ""
    return f"- **{one_line(said.question)}** {one_line(said.answer)}{by}"


def said_twice(heard: Sequence[Exchange]) -> list[str]:
    """The questions that were answered more than once, with different words."""
    last: dict[str, Exchange] = {}
    found: list[str] = []
    for each in heard:
        known = last.get(name := one_line(each.question).lower())
        if known and one_line(known.answer).lower() != one_line(each.answer).lower():
            found.append(
                f'"{one_line(each.question)}" was answered "{one_line(known.answer)}", then "{one_line(each.answer)}"'
            )
        last[name] = each
    return found


def _end_of(text: str, start: int) -> int:
    found = _NEXT.search(text, start)
    return found.start() if found else len(text)


def _before(rest: str) -> str:
    return f"\n{rest}" if rest.strip() else ""
