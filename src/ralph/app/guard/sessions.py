"""The beginning of an agent's session: the state that its work is compared with is recorded before the agent works."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ralph.app.guard.call import HookCall
from ralph.app.proof.policy import configured_checks
from ralph.app.proof.subjects import repository_at
from ralph.app.proof.verify import NO_CHECKS
from ralph.checks.proof.programs import programs_of
from ralph.config.layers import Loaded, load
from ralph.config.project import project_above
from ralph.git.checkout import Checkout, look_if_any
from ralph.git.repository import Repository
from ralph.git.rules import record_rules
from ralph.git.subjects import branch_point, parent_of
from ralph.kernel.actions.tasks import Start
from ralph.model.errors import ConfigError
from ralph.model.verification import External
from ralph.store.projects import folder_of, project_at
from ralph.store.sessions import Session, begin_session, find_session
from ralph.store.sql import Store

PROJECT = "CLAUDE_PROJECT_DIR"
"""The variable for the folder where Claude Code was started. The `cwd` of a hook call is where the agent is now."""


async def begin(store: Store, call: HookCall, environ: Mapping[str, str]) -> None:
    """Record the beginning, before the agent works. If nothing can be checked, nothing is recorded."""
    if find_session(store, call.session_id) is None:
        project = project_above(_folder(call, environ), environ)
        repository, loaded = repository_at(project), load(project)
        at = await repository.require()
        await _written_down(store, call, repository, loaded, at.head)


async def session_of(store: Store, call: HookCall, environ: Mapping[str, str]) -> tuple[Session, Path]:
    """The session, and the folder that it works in. If the beginning was not recorded, the session begins where
    `ralph verify` would assume that its work began.
    """
    session = find_session(store, call.session_id)
    if session:
        return session, await _gone_to(folder_of(store, session.project), call.cwd)
    project = project_above(_folder(call, environ), environ)
    repository, loaded = repository_at(project), load(project)
    head = await _probable_beginning(repository, await repository.require())
    await _written_down(store, call, repository, loaded, head)
    session = find_session(store, call.session_id)
    assert session  # noqa: S101 - it was recorded just now
    return session, project


def _folder(call: HookCall, environ: Mapping[str, str]) -> Path:
    return Path(environ.get(PROJECT) or call.cwd).absolute()


async def _written_down(store: Store, call: HookCall, repository: Repository, loaded: Loaded, head: str) -> None:
    checks = configured_checks(loaded.settings)
    if not checks:
        raise ConfigError("no check is configured, so nothing is checked when an agent stops.", NO_CHECKS)
    commands = [each.check.command for each in checks if isinstance(each.check, External)]
    programs = programs_of(commands, repository.git.env)
    start = Start(programs, await record_rules(repository, head))
    project = project_at(store, repository.folder).id
    begin_session(store, Session(call.session_id, project, head, msgspec.json.encode(start), loaded.merged))


async def _probable_beginning(repository: Repository, at: Checkout) -> str:
    """The commit where the branch left main; on main itself the last commit, or its parent if no file has
    changed since that commit.
    """
    if found := await branch_point(repository, at.head):
        return found
    is_changed = await repository.snapshot() != at.tree
    return at.head if is_changed else await parent_of(repository, at.head) or at.head


async def _gone_to(project: Path, cwd: str) -> Path:
    """The project, or another worktree of the same repository if the agent works there."""
    if not cwd or Path(cwd) == project:
        return project
    here, there = [await look_if_any(repository_at(each).git) for each in (Path(cwd), project)]
    if here and there and here.common_dir == there.common_dir and here.top != there.top:
        return here.top / there.prefix
    return project
