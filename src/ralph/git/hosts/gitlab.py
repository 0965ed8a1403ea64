"""GitLab: merge requests with `glab`."""

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from msgspec import Struct

from ralph.git.hosts.base import Draft, Host, PullRequest, State, newest_first

MOST = "100"
REQUESTED = "requested changes"
"""GitLab's note on a merge request when a reviewer requests changes."""
STATES: dict[str, State] = {"opened": "open", "merged": "merged"}
"""The usable states. All others, such as `locked`, cannot be worked on."""


class _Found(Struct):
    iid: int
    web_url: str
    state: str
    source_branch: str
    target_branch: str
    draft: bool = False
    sha: str | None = None
    title: str = ""
    description: str | None = None
    source_project_id: int = 0
    target_project_id: int = 0


class _Note(Struct):
    body: str = ""
    system: bool = False


class GitLab(Host):
    program = "glab"
    called = "merge request"
    sign = "!"
    quiet: ClassVar[Mapping[str, str]] = {"NO_PROMPT": "1", "NO_COLOR": "1", "GLAB_CHECK_UPDATE": "false"}

    async def find(self, head: str) -> list[PullRequest]:
        wanted = ("--source-branch", head, "--all", "--per-page", MOST, "--output", "json")
        found: list[_Found] = await self._read(list[_Found], *self._mr("list", *wanted))
        own = [each for each in found if each.source_project_id == each.target_project_id]
        return newest_first([_pull_request(each) for each in own])

    async def view(self, number: int) -> PullRequest:
        return _pull_request(await self._read(_Found, *self._mr("view", str(number), "--output", "json")))

    async def create(self, draft: Draft) -> None:
        flags = ["--draft"] if draft.is_draft else []
        branches = ("--source-branch", draft.head, "--target-branch", draft.base)
        words = (f"--title={draft.title}", f"--description={draft.body}")
        await self._run(*self._mr("create", *branches, *words, *flags, "--yes"))

    async def update(self, number: int, *, body: str, base: str | None = None) -> None:
        flags = ["--target-branch", base] if base else []
        await self._run(*self._mr("update", str(number), f"--description={body}", *flags, "--yes"))

    async def set_draft(self, number: int, *, is_draft: bool) -> None:
        await self._run(*self._mr("update", str(number), "--draft" if is_draft else "--ready", "--yes"))

    async def had_requested_changes(self, number: int) -> bool:
        project = quote(self.repository.path, safe="")
        path = f"projects/{project}/merge_requests/{number}/notes?per_page={MOST}"
        notes: list[_Note] = await self._read(list[_Note], "api", path, "--hostname", self.repository.host)
        return any(each.system and each.body.strip() == REQUESTED for each in notes)

    def reopening(self, number: int) -> str:
        return f"glab mr reopen {number}"

    def _mr(self, verb: str, *arguments: str) -> list[str]:
        return ["mr", verb, *arguments, "--repo", f"https://{self.repository.host}/{self.repository.path}"]


def _pull_request(found: _Found) -> PullRequest:
    return PullRequest(
        number=found.iid,
        url=found.web_url,
        state=STATES.get(found.state, "closed"),
        is_draft=found.draft,
        base=found.target_branch,
        head=found.source_branch,
        commit=found.sha or "",
        title=found.title,
        body=found.description or "",
    )
