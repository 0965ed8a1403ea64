"""GitHub issues, through `gh`."""

import re
from typing import ClassVar

import msgspec
from msgspec import Struct

from ralph.app.exchange.issues import NUMBER, Issue, IssueFormat, SubIssues
from ralph.app.exchange.programs import Programs
from ralph.model.errors import ConfigError

FIELDS = "number,title,body,url,state"
MOST_BELOW = 100
"""The most sub-issues that GitHub allows below one issue."""
_ADDRESS = re.compile(r"https://([\w.-]+(?::\d+)?)/([\w.-]+/[\w.-]+)/issues/\d{1,9}")


class _Shown(Struct):
    number: int
    title: str
    url: str
    body: str | None = ""
    state: str = "OPEN"


class _Below(Struct):
    number: int
    title: str
    html_url: str
    body: str | None = ""
    state: str = "open"


class GitHub(IssueFormat):
    name: ClassVar[str] = "github"
    program: ClassVar[str] = "gh"
    address: ClassVar[re.Pattern[str]] = re.compile(r"https://github\.[\w.-]+/[\w.-]+/[\w.-]+/issues/\d{1,9}")

    async def view(self, programs: Programs, given: str) -> Issue:
        number = NUMBER.fullmatch(given)
        if not number and not _ADDRESS.fullmatch(given):
            raise ConfigError(f"{given!r} is not an issue of GitHub.", "Give '#12', or its address.")
        said = await programs.ask(self.program, "issue", "view", number[1] if number else given, "--json", FIELDS)
        try:
            shown = msgspec.json.decode(said, type=_Shown)
        except msgspec.DecodeError as error:
            raise ConfigError(f"gh issue view printed no issue: {error}.", "Update gh.") from None
        return Issue(shown.url, shown.number, shown.title, shown.body or "", shown.state.upper() != "OPEN")

    async def sub_issues(self, programs: Programs, issue: Issue) -> SubIssues:
        """The sub-issues, from the API, because `gh issue view` does not list them. A failure is only a note."""
        address = _ADDRESS.fullmatch(issue.url)
        if not address:
            return SubIssues()
        asked = f"repos/{address[2]}/issues/{issue.number}/sub_issues?per_page={MOST_BELOW}"
        try:
            said = await programs.ask(self.program, "api", asked, "--hostname", address[1])
            below = msgspec.json.decode(said, type=list[_Below])
        except (ConfigError, msgspec.DecodeError) as error:
            why = error.message.rstrip(".") if isinstance(error, ConfigError) else f"gh api printed none: {error}"
            return SubIssues((), (f"its sub-issues could not be read: {why}",))
        found = (Issue(each.html_url, each.number, each.title, each.body or "", each.state != "open") for each in below)
        return SubIssues(tuple(found))

    async def write_body(self, programs: Programs, issue: Issue, body: str) -> None:
        await programs.ask(self.program, "issue", "edit", issue.url, "--body-file", "-", stdin=body)


READER = GitHub()
