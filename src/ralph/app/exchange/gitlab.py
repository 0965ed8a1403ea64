"""GitLab issues, through `glab`."""

import re
from typing import ClassVar

import msgspec
from msgspec import Struct

from ralph.app.exchange.issues import NUMBER, Issue, IssueFormat
from ralph.app.exchange.programs import Programs
from ralph.model.errors import ConfigError

_ADDRESS = re.compile(r"(https://[\w.-]+(?::\d+)?/[\w./-]+?)/-/(?:issues|work_items)/(\d{1,9})")


class _Shown(Struct):
    iid: int
    title: str
    web_url: str
    description: str | None = ""
    state: str = "opened"


class GitLab(IssueFormat):
    name: ClassVar[str] = "gitlab"
    program: ClassVar[str] = "glab"
    address: ClassVar[re.Pattern[str]] = _ADDRESS

    async def view(self, programs: Programs, given: str) -> Issue:
        said = await programs.ask(self.program, "issue", "view", *_named(given), "--output", "json")
        try:
            shown = msgspec.json.decode(said, type=_Shown)
        except msgspec.DecodeError as error:
            raise ConfigError(f"glab issue view printed no issue: {error}.", "Update glab.") from None
        return Issue(shown.web_url, shown.iid, shown.title, shown.description or "", shown.state != "opened")

    async def write_body(self, programs: Programs, issue: Issue, body: str) -> None:
        await programs.ask(self.program, "issue", "update", *_named(issue.url), "--description", body)


READER = GitLab()


def _named(given: str) -> tuple[str, ...]:
    """The arguments that name an issue for glab: its number, and the project if it is another one."""
    if number := NUMBER.fullmatch(given):
        return (number[1],)
    if address := _ADDRESS.fullmatch(given):
        return (address[2], "--repo", address[1])
    raise ConfigError(f"{given!r} is not an issue of GitLab.", "Give '#12', or its address.")
