"""Issues of GitHub and GitLab: checkboxes in the body and sub-issues are tasks; an issue without any is one task."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ralph.app.exchange.boxes import plain
from ralph.app.exchange.checklist import checklist_entries, empty_boxes
from ralph.app.exchange.formats import SourceTask, Written, marked_done
from ralph.app.exchange.markdown import marked
from ralph.app.exchange.plan import Item, Origin, Plan
from ralph.app.exchange.programs import Programs
from ralph.git.remotes import hosted
from ralph.store.projects import remote_of

CLOSED_BEFORE = "closed before the import"
BY_OTHERS = "the text of an issue was written by others: read it before you run it"
CLOSE = "close it when the work is merged"
NUMBER = re.compile(r"#?(\d{1,9})")
SUB_ISSUE = re.compile(r"(?:[\w.-]+/[\w.-]+)?#\d{1,9}")
"""The id of a task that is an issue below the imported one."""


class Issue(Struct, frozen=True):
    url: str
    number: int
    title: str
    body: str
    is_closed: bool


class SubIssues(NamedTuple):
    """The issues below an issue, and what a person should know if they could not be read."""

    found: tuple[Issue, ...] = ()
    notes: tuple[str, ...] = ()


class IssueFormat:
    """What both hosts have in common. Each knows its program and its URLs."""

    name: ClassVar[str]
    program: ClassVar[str]
    address: ClassVar[re.Pattern[str]]
    """The pattern of an issue's URL."""

    async def view(self, programs: Programs, given: str) -> Issue:
        raise NotImplementedError

    async def sub_issues(self, programs: Programs, issue: Issue) -> SubIssues:
        """The issues below an issue, in their order."""
        del programs, issue
        return SubIssues()

    async def write_body(self, programs: Programs, issue: Issue, body: str) -> None:
        raise NotImplementedError

    def found(self, project: Path) -> tuple[str, ...]:
        """An empty tuple: issues are never searched, because a person names one."""
        del project
        return ()

    def fits(self, project: Path, given: str) -> bool:
        if self.address.fullmatch(given):
            return True
        return given.startswith("#") and bool(NUMBER.fullmatch(given)) and server_of(project) == self.program

    async def read(self, programs: Programs, given: str) -> list[Plan]:
        issue = await self.view(programs, given)
        found = marked(issue.body)
        below = await self.sub_issues(programs, issue)
        return [
            Plan(
                format=self.name,
                source=issue.url,
                name=f"issue-{issue.number}",
                title=issue.title,
                text=f"# {issue.title}\n\n{plain(issue.body)}\n",
                items=tuple(_items(issue, below.found)),
                notes=(BY_OTHERS, *below.notes, *found.notes, *empty_boxes(found.boxes)),
            )
        ]

    async def mark_done(self, programs: Programs, source: str, part: str, done: Sequence[Origin]) -> list[Written]:
        """Mark the tasks. A sub-issue has no box: a person closes it when the work is merged."""
        del part
        issue = await self.view(programs, source)
        boxes = {entry.item.id for entry in _entries(issue)}
        below = {each.id for each in done if each.id not in boxes and SUB_ISSUE.fullmatch(each.id)}
        ticked = iter(await self._ticked(programs, issue, [each for each in done if each.id not in below]))
        return [
            Written(each.id, note=f"{each.id} is an issue of its own: {CLOSE}") if each.id in below else next(ticked)
            for each in done
        ]

    async def _ticked(self, programs: Programs, issue: Issue, done: Sequence[Origin]) -> list[Written]:
        """Tick the boxes. The body is read again before it is written, and read back before anything is reported."""
        body, answers = marked_done(issue.body, _entries(issue), done)
        answers = [_noted(issue, each) for each in answers]
        if body == issue.body:
            return answers
        now = await self.view(programs, issue.url)
        if now.body != issue.body:
            return [_refused(each, "somebody edited the issue at the same time: sync again") for each in answers]
        await self.write_body(programs, issue, body)
        after = await self.view(programs, issue.url)
        if plain(after.body).strip() != plain(body).strip():
            return [_refused(each, "the issue does not show it after the edit: sync again") for each in answers]
        return answers


def _items(issue: Issue, below: Sequence[Issue]) -> list[Item]:
    """The boxes of the body, then the sub-issues. A sub-issue that is a box as well is one task: the box."""
    by_name = {name: each for each in below for name in (_name(issue, each), each.url)}
    boxes = [entry.item for entry in (checklist_entries(issue.body) if below else _entries(issue))]
    told = [_told(item, by_name.pop(item.title, None)) for item in boxes]
    listed = {item.title for item in boxes}
    others = [each for each in below if not listed & {_name(issue, each), each.url}]
    return [*told, *(_sub_item(issue, each, number) for number, each in enumerate(others, len(boxes) + 1))]


def _told(item: Item, sub_issue: Issue | None) -> Item:
    """The task of a box, with the title and the text of the sub-issue that the box names."""
    if sub_issue is None:
        return item
    description = f"{item.description}\n\n{sub_issue.title}\n\n{plain(sub_issue.body)}".rstrip()
    return replace(item, title=sub_issue.title, description=description, closed=item.closed or _closed(sub_issue))


def _sub_item(parent: Issue, issue: Issue, priority: int) -> Item:
    text = f"{issue.title}\n{plain(issue.body)}"
    return Item(
        id=_name(parent, issue),
        name=f"ISSUE-{issue.number}",
        title=issue.title,
        text=text,
        description=text,
        closed=_closed(issue),
        priority=priority,
    )


def _name(parent: Issue, issue: Issue) -> str:
    """`#13`, or `acme/other#13` for an issue of another repository."""
    own, other = (each.url.rpartition("/issues/")[0] for each in (parent, issue))
    return f"#{issue.number}" if own == other else f"{'/'.join(other.split('/')[-2:])}#{issue.number}"


def _closed(issue: Issue) -> str:
    return CLOSED_BEFORE if issue.is_closed else ""


def _entries(issue: Issue) -> list[SourceTask]:
    entries = checklist_entries(issue.body)
    if entries:
        return entries
    text = f"{issue.title}\n{plain(issue.body)}"
    whole = f"#{issue.number}"
    return [
        SourceTask(Item(id=whole, name="ISSUE", title=issue.title, text=text, description=text, closed=_closed(issue)))
    ]


def _noted(issue: Issue, answer: Written) -> Written:
    if answer.problem or checklist_entries(issue.body):
        return answer
    return Written(answer.id, note=f"the issue has no boxes to tick: {CLOSE}")


def _refused(answer: Written, problem: str) -> Written:
    """The answer with a problem, if the task should be marked now. A task that was marked before keeps its answer."""
    return Written(answer.id, problem=problem) if answer.is_new else answer


def server_of(project: Path) -> str:
    """The program that knows the issues of this project: by the name of `origin`'s server, or else the installed
    one.
    """
    address = hosted(remote_of(project))
    host = address.host.lower() if address else ""
    if "gitlab" in host or "github" in host:
        return "glab" if "gitlab" in host else "gh"
    return "glab" if shutil.which("glab") and not shutil.which("gh") else "gh"
