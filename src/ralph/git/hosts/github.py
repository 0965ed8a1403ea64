"""GitHub: pull requests with `gh`."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from msgspec import Struct

from ralph.git.hosts.base import Draft, Host, PullRequest, State, newest_first

MOST = "100"
SHORT = "number,url,state,isDraft,baseRefName,headRefName,headRefOid,title,isCrossRepository,headRepositoryOwner"
CHANGES_REQUESTED = "CHANGES_REQUESTED"
STATES: dict[str, State] = {"OPEN": "open", "CLOSED": "closed", "MERGED": "merged"}


class _Owner(Struct):
    login: str = ""


class _Found(Struct, rename="camel"):
    number: int
    url: str
    state: Literal["OPEN", "CLOSED", "MERGED"]
    is_draft: bool
    base_ref_name: str
    head_ref_name: str
    head_ref_oid: str = ""
    title: str = ""
    body: str = ""
    is_cross_repository: bool = False
    head_repository_owner: _Owner | None = None
    """The owner of the repository with the branch; None if that was deleted."""


class _Review(Struct):
    state: str = ""


class _Reviewed(Struct):
    reviews: list[_Review]


class GitHub(Host):
    program = "gh"
    opens_from_forks: ClassVar[bool] = True
    quiet: ClassVar[Mapping[str, str]] = {
        "GH_PROMPT_DISABLED": "1",
        "GH_NO_UPDATE_NOTIFIER": "1",
        "NO_COLOR": "1",
        "GH_PAGER": "cat",
    }

    async def find(self, head: str) -> list[PullRequest]:
        found: list[_Found] = await self._read(
            list[_Found], *self._pr("list", "--head", head, "--state", "all", "--limit", MOST, "--json", SHORT)
        )
        return newest_first([_pull_request(each) for each in found if self._is_own(each)])

    def _is_own(self, found: _Found) -> bool:
        """Whether its branch is the one that was pushed: any fork may have a branch of the same name."""
        if self._fork is None:
            return not found.is_cross_repository
        owner = found.head_repository_owner
        return found.is_cross_repository and owner is not None and owner.login.lower() == self._fork.owner.lower()

    async def view(self, number: int) -> PullRequest:
        return _pull_request(await self._read(_Found, *self._pr("view", str(number), "--json", f"{SHORT},body")))

    async def create(self, draft: Draft) -> None:
        flags = ["--draft"] if draft.is_draft else []
        head = f"{self._fork.owner}:{draft.head}" if self._fork else draft.head
        wanted = ("--head", head, "--base", draft.base, "--title", draft.title, "--body-file", "-")
        await self._run(*self._pr("create", *wanted, *flags), stdin=draft.body.encode())

    async def update(self, number: int, *, body: str, base: str | None = None) -> None:
        flags = ["--base", base] if base else []
        await self._run(*self._pr("edit", str(number), "--body-file", "-", *flags), stdin=body.encode())

    async def set_draft(self, number: int, *, is_draft: bool) -> None:
        await self._run(*self._pr("ready", str(number), *(["--undo"] if is_draft else [])))

    async def had_requested_changes(self, number: int) -> bool:
        found: _Reviewed = await self._read(_Reviewed, *self._pr("view", str(number), "--json", "reviews"))
        return any(each.state == CHANGES_REQUESTED for each in found.reviews)

    def reopening(self, number: int) -> str:
        return f"gh pr reopen {number}"

    def _pr(self, verb: str, *arguments: str) -> list[str]:
        return ["pr", verb, *arguments, "--repo", f"{self.repository.host}/{self.repository.path}"]


def _pull_request(found: _Found) -> PullRequest:
    return PullRequest(
        number=found.number,
        url=found.url,
        state=STATES[found.state],
        is_draft=found.is_draft,
        base=found.base_ref_name,
        head=found.head_ref_name,
        commit=found.head_ref_oid,
        title=found.title,
        body=found.body,
    )
