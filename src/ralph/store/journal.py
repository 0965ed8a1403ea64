"""The journal of one run: append-only, chained by hash, and the single source of truth about it.

The start of an action that has effects is written before it is performed; its end, and all reads after it, are written
before the next such action starts, before anybody waits, and at the close. After a kill in between, the last one is
repeated as a new attempt. Only the process that has taken the run appends: `UNIQUE (run_id, n)` refuses any other.
"""

import time
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from ralph.kernel.actions.base import Action, describe
from ralph.model.errors import StateError
from ralph.model.evidence import NOTHING, Result, Spent
from ralph.model.rows import Line, Row, What
from ralph.model.runs import Owner, RunStatus
from ralph.model.verdicts import AnyVerdict, exit_code
from ralph.store.owner import TTL, is_free, me, read_owner
from ralph.store.sql import Found, Lost, Sql, Store, Writer

INLINE = 4096
"""The size in bytes above which bodies are stored in their own table, once each."""
DIGEST = 20
NO_LINE = Line()
UNSHOWN = Line("", "busy")
UNTOLD: Any = object()
GIVE_UP = "give-up/"
TEXTS_KEPT = 64
"""How many texts are remembered without their secrets: a run shows the same few again and again."""
AS_THEY_ARE = ("opened", "taken")
"""The rows from which a later process drives the run. They are stored as they are, without masking."""
_INSERT = """INSERT INTO journal (run_id, n, what, key, attempt, at, line, mark, spent, body, digest, hash)
    VALUES (:run_id, :n, :what, :key, :attempt, :at, :line, :mark, :spent, :body, :digest, :hash)"""
_INSERT_BLOB = "INSERT INTO blobs (digest, data) VALUES (:digest, :data) ON CONFLICT (digest) DO NOTHING"
_BEAT = "UPDATE runs SET until = :until WHERE id = :id AND owner = :owner"
_RUN = """SELECT recipe, options, status, verdict, reason, proof, owner, until, last_reason, iterations FROM runs
    WHERE id = :id"""
_STANDS = "SELECT status, verdict, owner FROM runs WHERE id = :id"
_ROWS = """SELECT journal.id, run_id, n, what, key, attempt, at, line, mark, spent, coalesce(body, data) AS body,
    journal.digest AS digest, hash FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest"""


class Begun(Struct, frozen=True):
    """An action that was begun."""

    action: Action
    key: str
    attempt: int
    at: float
    n: int
    """The number of the row that begins it; 0 for a read, which has no such row."""


class Journal:
    """The journal of one run, for the process that took it. If a flush raises `Lost`, the process must stop at once."""

    def __init__(self, store: Writer, run_id: str) -> None:
        self.run_id = run_id
        self.head = b""
        self.n = 0
        self.iterations = 0
        self.spent = NOTHING
        self.last_reason = ""
        self.raised_limit: int | None = None
        """The limit of iterations, if a person has raised it."""
        self.under_way: dict[str, Begun] = {}
        self.past_ends: dict[str, Row] = {}
        """The results of earlier processes, by the keys of their actions. A result that the recipe received is
        removed."""
        self.options = b""
        self.recipe = ""
        self._mask = _as_it_is
        self._clean: dict[str, str] = {}
        """Texts and their forms without secrets."""
        self.about: Callable[[Action, int], dict[str, Any] | None] = _nothing
        """What readers must know about an action besides its fields, such as where its stream is."""
        self.was_begun = False
        """Whether an earlier process has driven the run."""
        self._store = store
        self._me = ""
        self._owner = ""
        self._attempts: dict[str, int] = {}
        self._counted = 0
        self._iterations_before = 0
        self._pending: list[tuple[dict[str, Any], bytes]] = []
        self._status: RunStatus = "running"
        self._verdict: AnyVerdict | None = None
        self._told: dict[str, Any] = {}
        self._iteration_ended = False
        self._broken = False

    @classmethod
    def take(cls, store: Store, run_id: str, *, go_on: bool = False) -> "Journal":
        """Take the run. `Lost` means that another process has it, or was faster. `go_on`: take it although it has
        ended.
        """
        journal = cls(store, run_id)
        run, rows = _of_one_moment(store, run_id)
        if run["status"] == "ended" and not go_on:
            raise Lost(f"run {run_id} has ended.", f"See how: ralph show {run_id}")
        if not is_free(read_owner(run["owner"]), run["until"]):
            raise Lost(f"run {run_id} is driven by another process.", f"Watch it: ralph logs -f {run_id}")
        _check_summary(run_id, run, rows)
        journal._read_past(rows)
        journal._owner = run["owner"] or ""
        journal.was_begun = journal.n > 0
        journal.last_reason, journal._iterations_before = run["last_reason"], run["iterations"]
        journal._own(run["recipe"], bytes(run["options"]))
        try:
            journal.flush()
        except Lost as lost:
            raise Lost(f"run {run_id} was taken by another process.", f"Watch it: ralph logs -f {run_id}") from lost
        return journal

    @classmethod
    def of_new(cls, store: Writer, run_id: str, recipe: str, options: bytes) -> "Journal":
        """The journal of a run that the same write creates, so that nobody else can have it."""
        journal = cls(store, run_id)
        journal._own(recipe, options)
        return journal

    def begin(self, action: Action) -> Begun:
        """Begin an action. If it has effects, its start is on disk when this returns."""
        key = action.key
        attempt = self._attempts.get(key, 0) + 1
        now = time.time()
        if not action.effect:
            return Begun(action, key, attempt, now, 0)
        about = self.about(action, attempt)
        body: Any = {**msgspec.to_builtins(action), **about} if about else action
        self._append("begun", key, attempt, msgspec.json.encode(body), describe(action, None))
        begun = self.under_way[key] = Begun(action, key, attempt, now, self.n)
        self.flush()
        return begun

    def end(self, begun: Begun, result: Result) -> int:
        """Record the end of an action, and return the number of its row. Ends are ordered by it."""
        self.under_way.pop(begun.key, None)
        spent = result.spent
        self._count(begun.action, result, spent)
        told = "" if spent is NOTHING else msgspec.json.encode(spent).decode()
        line = describe(begun.action, result)
        if not line.text and not begun.n:
            # It is a read of which nothing is shown: screens need not load it at all.
            line = UNSHOWN
        self._append("ended", begun.key, begun.attempt, msgspec.json.encode(result), line, told)
        return self.n

    def fail(self, begun: Begun, problem: str) -> None:
        """Record that the action could not be performed at all. The attempt ends without a result, and may be
        repeated.
        """
        self.under_way.pop(begun.key, None)
        if begun.action.effect:
            self.last_reason = self._shown(problem)
            line = Line(f"✗ {begun.action.title}: {problem}", "bad")
            self._append("failed", begun.key, begun.attempt, msgspec.json.encode(problem), line)

    def note(self, begun: Begun, seen: Any) -> None:
        """Note something about an action that runs, such as the size of its stream. The next flush writes it."""
        self._append("noted", begun.key, begun.attempt, msgspec.json.encode(seen))

    def close(self, verdict: AnyVerdict, status: RunStatus = "ended") -> None:
        """Close the run. If it gave up, it can be continued."""
        self.under_way.clear()
        if status == "ended":
            line = Line(f"{verdict.kind}: {verdict.reason}", "ok" if verdict.kind == "verified" else "bad")
            self._append("closed", "", 0, msgspec.json.encode(verdict), line)
        self._status, self._verdict = status, verdict
        self.flush(sync=True)

    def hide(self, mask: Callable[[bytes], bytes]) -> None:
        """Use this function to remove secrets from all that is written, except from the options of the run."""
        self._mask = mask
        self._clean.clear()

    @property
    def is_closed(self) -> bool:
        return self._verdict is not None

    def pause(self, *, paused: bool) -> None:
        self._status = "paused" if paused else "running"
        self.flush()

    def flush(self, *, sync: bool = False) -> None:
        """Write the buffered rows. The stored chain is always a prefix: no row follows one that could not be
        written.
        """
        if self._broken:
            raise StateError(
                "an earlier write of this run's journal failed.", f"See ralph doctor, then: ralph resume {self.run_id}"
            )
        writes = self._chained()
        summary = self._summary()
        if changed := {name: value for name, value in summary.items() if self._told.get(name, UNTOLD) != value}:
            writes.append(self._update(changed))
        if not writes:
            return
        self._broken = True
        self._store.write(*writes, sync=sync or self._iteration_ended)
        self._broken = False
        self._pending.clear()
        self._iteration_ended = False
        self._told, self._owner = summary, summary["owner"] or ""

    def beat(self) -> None:
        """Renew the lease. Only processes on other machines depend on it."""
        values = {"until": time.time() + TTL, "id": self.run_id, "owner": self._me}
        self._store.write(Sql(_BEAT, values, must=1))

    def _own(self, recipe: str, options: bytes) -> None:
        self.recipe, self.options = recipe, options
        self._me = _owner_text(me())
        if not self.n:
            self._append("opened", recipe, 0, options)
        self._append("taken", "", 0, self._me.encode())

    def _read_past(self, rows: list[Row]) -> None:
        last_end = ""
        for row in rows:
            self.head, self.n = row.hash, row.n
            match row.what:
                case "begun":
                    self._attempts[row.key] = row.attempt
                case "ended":
                    self._attempts[row.key] = row.attempt
                    self.past_ends[row.key] = row
                    last_end = row.key
                    if row.spent:
                        self.spent += msgspec.json.decode(row.spent, type=Spent)
                case "closed" if last_end.startswith(GIVE_UP):
                    # A run that continues after its end asks again whether to give up.
                    self.past_ends.pop(last_end, None)
                case _:
                    pass

    def replayed(self, action: Action, result: Result) -> None:
        """Count a replayed result. Counters are stored nowhere else, so a replay counts from the beginning."""
        self._count_iterations(action, result)
        self.last_reason = self._shown(action.complaint(result)) or self.last_reason

    def _count(self, action: Action, result: Result, spent: Spent) -> None:
        self._count_iterations(action, result)
        if spent is not NOTHING:
            self.spent += spent
        if complaint := action.complaint(result):
            self.last_reason = self._shown(complaint)
        if action.begins_iteration or result.iterations_below or spent.usd is not None:
            self._iteration_ended = True

    def _count_iterations(self, action: Action, result: Result) -> None:
        if action.begins_iteration and action.iteration != self._counted:
            self._counted = action.iteration
            self.iterations += 1
        self.iterations += result.iterations_below

    def _append(
        self,
        what: What,
        key: str,
        attempt: int,
        body: bytes,
        line: Line = NO_LINE,
        spent: str = "",
    ) -> None:
        self.n += 1
        values: dict[str, Any] = {
            "run_id": self.run_id,
            "n": self.n,
            "what": what,
            "key": key,
            "attempt": attempt,
            "at": time.time(),
            "line": line.text,
            "mark": line.mark,
            "spent": spent,
        }
        self._pending.append((values, body))

    def _chained(self) -> list[Sql]:
        """The statements for the buffered rows, without secrets and each chained to the one before."""
        if not self._pending:
            return []
        writes: list[Sql] = []
        rows: list[dict[str, Any]] = []
        has_secrets = self._has_secrets()
        for values, body in self._pending:
            if has_secrets and values["what"] not in AS_THEY_ARE:
                body = self._mask(body)  # noqa: PLW2901 - from here on it is the clean one
            values["line"] = self._shown(values["line"]) if has_secrets else values["line"].replace("\0", "")
            values["digest"] = digest = _digest(body)
            values["body"] = body if len(body) <= INLINE else None
            if values["body"] is None:
                writes.append(Sql(_INSERT_BLOB, {"digest": digest, "data": body}))
            self.head = values["hash"] = chained(self.head, values)
            rows.append(values)
        return [*writes, Sql(_INSERT, rows=rows)]

    def _has_secrets(self) -> bool:
        """Whether any buffered row has a secret. Most have none, and one search for all of them is cheaper."""
        texts = [body for values, body in self._pending if values["what"] not in AS_THEY_ARE]
        text = b"\0".join(texts + [_encoded(values["line"]) for values, _ in self._pending])
        return self._mask(text) is not text

    def _summary(self) -> dict[str, Any]:
        """The columns of the run that lists show."""
        latest = max(self.under_way.values(), key=_number) if self.under_way else None
        verdict, spent, tokens = self._verdict, self.spent, self.spent.tokens
        return {
            "status": self._status_word(),
            "verdict": verdict.kind if verdict and verdict.is_told else None,
            "reason": self._shown(verdict.reason) if verdict else "",
            "proof": getattr(verdict, "proof", ""),
            "exit_code": exit_code(verdict) if verdict else None,
            # A replay counts them again; a list that is shown meanwhile has the earlier numbers.
            "iterations": max(self.iterations, self._iterations_before),
            "usd": spent.usd,
            "seconds": spent.seconds,
            "tokens_input": tokens.input,
            "tokens_output": tokens.output,
            "tokens_cache_read": tokens.cache_read,
            "tokens_cache_write": tokens.cache_write,
            "last_reason": self.last_reason,
            "doing": self._shown(latest.action.title) if latest else "",
            "doing_iteration": latest.action.iteration if latest else 0,
            "doing_since": latest.at if latest else 0.0,
            "doing_until": latest.action.until(latest.at) if latest else None,
            "owner": None if verdict else self._me,
        } | ({"iteration_limit": self.raised_limit} if self.raised_limit else {})

    def _update(self, changed: dict[str, Any]) -> Sql:
        """The statement for the columns that changed. Setting a column rewrites its indexes even if the value is the
        same.
        """
        now = time.time()
        values = {**changed, "active_at": now}
        if "owner" in changed:
            values |= {"until": now + TTL, "ended_at": None if changed["owner"] else now}
        sets = ", ".join([f"{name} = :{name}" for name in values])
        where = "WHERE id = :id AND coalesce(owner, '') = :old_owner"
        return Sql(f"UPDATE runs SET {sets} {where}", {**values, "id": self.run_id, "old_owner": self._owner}, must=1)  # noqa: S608 - names of columns

    def _shown(self, text: str) -> str:
        """The text without secrets, and without the one character that Postgres does not accept in a text."""
        clean = self._clean.get(text)
        if clean is None:
            if len(self._clean) >= TEXTS_KEPT:
                self._clean.clear()
            masked = self._mask(_encoded(text)).decode(errors="surrogatepass")
            clean = self._clean[text] = masked.replace("\0", "")
        return clean

    def _status_word(self) -> RunStatus:
        under_way = self.under_way.values()
        if self._status == "running" and under_way and all(each.action.waits for each in under_way):
            return "waiting"
        return self._status


def rows_of(store: Store, run_id: str, *, after: int = 0, verified: bool = False) -> list[Row]:
    """The journal of a run, in order. `verified`: each row must follow from the one before, or it was tampered with."""
    found: list[Row] = []
    head, expected = b"", after
    for data in store.read(f"{_ROWS} WHERE run_id = :run_id AND n > :after ORDER BY n", run_id=run_id, after=after):
        digest, body = data.pop("digest"), data["body"]
        expected += 1
        if verified:
            intact = body is not None and digest == _digest(body) and data["n"] == expected
            if not intact or chained(head, {**data, "digest": digest}) != data["hash"]:
                raise tampered(run_id, f"row {expected} of its journal is not what was written")
        head = data["hash"]
        del data["body"]
        found.append(Row(body=body or b"", **data))
    return found


def check_chain(store: Store, run_id: str) -> int:
    """The number of rows that were checked. The verdict and the options that lists show must match the journal."""
    run, rows = _of_one_moment(store, run_id)
    _check_summary(run_id, run, rows)
    for row in rows:
        _check_child(store, run_id, row)
    return len(rows)


def finished_steps(store: Store, run_id: str, *, before: int) -> int | None:
    """How many actions ended before this row; None for a run that nobody drove before it."""
    text = "SELECT count(*) AS rows, sum(CASE WHEN what = 'ended' THEN 1 ELSE 0 END) AS ended FROM journal"
    [found] = store.read(f"{text} WHERE run_id = :run_id AND n < :before", run_id=run_id, before=before)
    return found["ended"] or 0 if found["rows"] > 1 else None


def head_of(store: Store, run_id: str) -> bytes:
    """The last hash of the run's journal."""
    text = "SELECT hash FROM journal WHERE run_id = :run_id ORDER BY n DESC LIMIT 1"
    rows = store.read(text, run_id=run_id)
    return bytes(rows[0]["hash"]) if rows else b""


def chained(before: bytes, row: dict[str, Any]) -> bytes:
    """The hash of a row, over the row before it and everything that the row says."""
    # The time in JSON: of the ways to write a float with all its digits this is the fastest, by far.
    text = (
        f"{row['run_id']}\0{row['n']}\0{row['what']}\0{row['key']}\0{row['attempt']}"
        f"\0{msgspec.json.encode(float(row['at'])).decode()}\0{row['line']}\0{row['mark']}\0{row['spent']}"
    )
    return blake2b(before + _encoded(text) + b"\0" + row["digest"], digest_size=DIGEST).digest()


def tampered(run_id: str, what: str) -> StateError:
    # Not by `ralph retry`: what was stored with it may be what was changed.
    return Tampered(
        f"run {run_id} was changed from outside: {what}.", "Start it again with the command that started it."
    )


class Tampered(StateError):
    exit_code = 6
    verdict = "tampered"


def _of_one_moment(store: Store, run_id: str) -> tuple[Found, list[Row]]:
    """The run and its rows at one moment. If the owner writes between the two queries, they are repeated."""
    while True:
        [run] = store.read(_RUN, id=run_id)
        rows = rows_of(store, run_id, verified=True)
        [now] = store.read(_STANDS, id=run_id)
        if all(run[name] == value for name, value in now.items()):
            return run, rows


def _check_summary(run_id: str, run: Found, rows: list[Row]) -> None:
    """Check that lists show what the journal says. Only a run that nobody has taken yet has no journal."""
    if not rows:
        if run["status"] != "queued":
            raise tampered(run_id, "its journal is gone")
        return
    if _digest(rows[0].body) != _digest(bytes(run["options"])):
        raise tampered(run_id, "its options are not those that it was started with")
    if rows[0].key != run["recipe"]:
        raise tampered(run_id, f"its recipe is {run['recipe']}, and it was started with {rows[0].key}")
    closed = rows[-1] if rows[-1].what == "closed" else None
    said = closed.line.partition(":")[0] if closed else None
    if said != (run["verdict"] if run["status"] == "ended" else None):
        raise tampered(run_id, f"its verdict is {run['verdict']}, and its journal ends with {said}")
    if closed and (f"{said}: {run['reason']}", run["proof"]) != (closed.line, _proof_in(closed)):
        raise tampered(run_id, f"its reason is {run['reason']!r}, and its journal ends with {closed.line!r}")


def _proof_in(closed: Row) -> str:
    """What the verdict rests on, as lists show it."""
    said = msgspec.json.decode(closed.body, type=dict[str, Any])
    return said.get("proof", "word") if said["kind"] == "verified" else ""


def _check_child(store: Store, run_id: str, row: Row) -> None:
    """Check that the row that a parent sealed is still in its part's journal."""
    if row.what != "ended" or not row.key.startswith("run-child/"):
        return
    end = msgspec.json.decode(row.body)
    text = "SELECT 1 AS there FROM journal WHERE run_id = :run_id AND hash = :hash"
    if not store.read(text, run_id=end["runId"], hash=bytes.fromhex(end["head"])):
        raise tampered(run_id, f"the end of its part {end['runId']} is not the one that it recorded")


def _number(begun: Begun) -> int:
    return begun.n


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=DIGEST).digest()


def _owner_text(owner: Owner) -> str:
    return msgspec.json.encode(owner).decode()


def _nothing(_action: Action, _attempt: int) -> None:
    return None


def _as_it_is(text: bytes) -> bytes:
    return text


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
