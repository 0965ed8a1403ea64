"""A session with an OpenCode server, in this process: what is asked of it, and what becomes of its answers."""

import base64
import json
import os
import socket
import time

import pytest

from opencode_stub import HANG_UP, ID, IDLE, MESSAGE, OpenCodeStub, asks, says, status
from ralph.agents.opencode_client import SESSION
from ralph.agents.opencode_client import server as http
from ralph.agents.opencode_client.server import Server, Trouble
from ralph.agents.opencode_client.session import Session
from ralph.proc.identity import started

ANSWER = (MESSAGE, says("done"), IDLE)
OTHERS = {"type": "message.updated", "properties": {"sessionID": "ses_2", "info": {"id": "msg_9", "role": "user"}}}


class Talk:
    def __init__(self, stub, *, environ=None, directory="/some/where", auto=False):
        self.lines = []
        server = Server(stub.url, environ or {}, directory)
        self.session = Session(server, lambda line: self.lines.append(json.loads(line)), auto=auto)

    def run(self, prompt="Do it.", **choices):
        self.session.run(prompt, choices)
        return [line["type"] for line in self.lines]


def trouble(stub, **how):
    talk = Talk(stub, **how)
    with pytest.raises(Trouble) as met:
        talk.run()
    talk.session.end()
    return met.value


def test_the_prompt_is_sent_to_a_session_in_the_directory_and_its_events_are_passed_on():
    with OpenCodeStub(*ANSWER) as stub:
        told = Talk(stub, directory="/pro ject/é%20").run("Läs", agent="plan")
    assert told == [SESSION, "message.updated", "message.part.updated", "session.idle"]
    assert stub.bodies(f"/session/{ID}/prompt_async") == [
        {"agent": "plan", "parts": [{"type": "text", "text": "Läs"}]},
    ]
    for path in ("/event", "/session", f"/session/{ID}/prompt_async"):
        assert stub.headers(path)["x-opencode-directory"] == "/pro%20ject/%C3%A9%2520"
    assert not stub.aborted.is_set()


def test_it_listens_before_it_asks_so_that_nothing_is_missed():
    with OpenCodeStub(*ANSWER) as stub:
        Talk(stub).run()
    paths = [path for _, path, _, _ in stub.asked]
    assert paths == ["/session/status", "/event", "/session", f"/session/{ID}/prompt_async"]


def test_what_other_sessions_do_is_not_passed_on_but_what_subagents_do_is():
    child = {"type": "session.created", "properties": {"sessionID": "ses_3", "info": {"id": "ses_3", "parentID": ID}}}
    its_end = {"type": "session.idle", "properties": {"sessionID": "ses_3"}}
    with OpenCodeStub(OTHERS, b"no JSON", child, its_end, {"type": "server.heartbeat"}, *ANSWER) as stub:
        talk = Talk(stub)
        assert talk.run() == [
            *(SESSION, "session.created", "session.idle"),
            *("message.updated", "message.part.updated", "session.idle"),
        ]


def test_the_password_is_in_the_header_and_nowhere_else():
    login = base64.b64encode(b"opencode:open sesame").decode()
    with OpenCodeStub(*ANSWER, password=login) as stub:
        talk = Talk(stub, environ={"OPENCODE_SERVER_PASSWORD": "open sesame"})
        talk.run()
    assert "sesame" not in json.dumps([talk.lines, [body for _, _, body, _ in stub.asked]])
    named = base64.b64encode(b"me:open sesame").decode()
    with OpenCodeStub(*ANSWER, password=named) as stub:
        Talk(stub, environ={"OPENCODE_SERVER_PASSWORD": "open sesame", "OPENCODE_SERVER_USERNAME": "me"}).run()


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({}, "requires a login, and there is no OPENCODE_SERVER_PASSWORD"),
        ({"OPENCODE_SERVER_PASSWORD": "guessed"}, "does not take OPENCODE_SERVER_PASSWORD"),
    ],
)
def test_a_refused_login_says_so_and_not_the_password(environ, words):
    with OpenCodeStub(password="another") as stub:
        met = trouble(stub, environ=environ)
    assert (str(met), met.kind) == (f"the OpenCode server at {stub.url} {words}", "auth")


@pytest.mark.parametrize(("auto", "reply"), [(False, "reject"), (True, "once")], ids=["nobody to ask", "allowed"])
def test_a_permission_is_answered_for_this_time_only(auto, reply):
    with OpenCodeStub(asks(), *ANSWER) as stub:
        Talk(stub, auto=auto).run()
    assert stub.bodies("/permission/per_1/reply") == [{"reply": reply}]


def test_a_question_that_nobody_can_answer_is_rejected():
    question = {"type": "question.asked", "properties": {"sessionID": ID, "id": "que_1"}}
    with OpenCodeStub(question, *ANSWER) as stub:
        Talk(stub).run()
    assert "/question/que_1/reject" in [path for _, path, _, _ in stub.asked]


def test_a_server_that_is_not_there_is_named():
    with OpenCodeStub() as stub:
        pass
    met = trouble(stub)
    assert (str(met), met.kind) == (f"no OpenCode server answers at {stub.url}: Connection refused", "missing")


@pytest.mark.parametrize(
    ("path", "answer", "words"),
    [
        (
            "GET /session/status",
            (200, b"<html>It works!</html>"),
            "GET /session/status as OpenCode does: '<html>It works!",
        ),
        (
            "GET /session/status",
            (404, b"no such page"),
            "GET /session/status as OpenCode does: status 404: no such page",
        ),
        ("POST /session", (200, {"name": "x"}), """POST /session as OpenCode does: '{"name": "x"}'"""),
        ("POST /session", (500, b""), "POST /session as OpenCode does: status 500"),
        ("POST /session", (302, b""), "POST /session as OpenCode does: status 302"),
        ("POST /session", (200, b"\xff\xfe"), "POST /session as OpenCode does: "),
        ("POST /session", (200, b'"' + b"x" * (2 << 20) + b'"'), "the answer is too long"),
        ("GET /event", (200, {"id": 1}), "GET /event as OpenCode does: no stream of events"),
    ],
)
def test_an_answer_that_is_nonsense_is_told_in_one_short_line(path, answer, words):
    with OpenCodeStub(*ANSWER, answers={path: answer}) as stub:
        met = trouble(stub)
    assert met.kind == "missing"
    assert words in str(met)
    assert len(str(met)) < 300
    assert "\n" not in str(met)


def test_a_server_that_hangs_up_in_the_middle_may_be_asked_again_if_it_is_still_there():
    with OpenCodeStub(MESSAGE, HANG_UP) as stub:
        met = trouble(stub)
    assert (str(met), met.kind) == (
        f"the OpenCode server at {stub.url} closed the connection before the work was done",
        "other",
    )
    assert stub.aborted.is_set()


def test_a_server_that_hangs_up_and_is_gone_is_missing():
    with OpenCodeStub(MESSAGE, HANG_UP, answers={"GET /global/health": (502, b"")}) as stub:
        assert trouble(stub).kind == "missing"


def test_a_server_that_falls_silent_is_not_waited_for_without_end():
    with OpenCodeStub(MESSAGE) as stub:
        talk = Talk(stub)
        talk.session._server = Server(stub.url, {}, "/x", patience=0.2)
        with pytest.raises(Trouble, match=r"was silent for 0\.2 s"):
            talk.run()


def test_an_event_without_end_is_not_read_to_it(monkeypatch):
    monkeypatch.setattr(http, "LONGEST_EVENT", 4096)
    with OpenCodeStub(b"x" * 10_000, *ANSWER) as stub:
        assert "sent an event of more than" in str(trouble(stub))


@pytest.mark.parametrize(
    ("retry", "gives_up"),
    [
        ({"attempt": 1, "in_seconds": 3}, False),
        ({"attempt": 1, "in_seconds": 3600}, True),
        ({"attempt": 6, "in_seconds": 3}, True),
    ],
)
def test_ralph_and_not_the_server_waits_long_for_a_provider(retry, gives_up):
    until = time.time() + retry["in_seconds"]
    waits = status("retry", attempt=retry["attempt"], message="Rate limit reached", next=1000 * until)
    with OpenCodeStub(waits, *ANSWER) as stub:
        if not gives_up:
            Talk(stub).run()
            return
        met = trouble(stub)
    assert (str(met), met.until) == ("Rate limit reached", pytest.approx(until))
    assert stub.aborted.is_set()


def test_what_a_killed_client_left_at_work_is_aborted_and_nothing_else():
    here, me = socket.gethostname(), f"{os.getpid()}:{started()!r}"
    gone = f"{os.getpid()}:1.5"
    busy = {
        "ses_mine": f"ralph run-1 [{here}:{gone}]",
        "ses_nameless": f"ralph [{here}:{gone}]",
        "ses_alive": f"ralph run-2 [{here}:{me}]",
        "ses_elsewhere": f"ralph run-3 [not-{here}:{gone}]",
        "ses_of_the_user": "Greeting",
    }
    with OpenCodeStub(*ANSWER, busy=busy) as stub:
        Talk(stub).run()
    aborted = [path for _, path, _, _ in stub.asked if path.endswith("/abort")]
    assert aborted == ["/session/ses_mine/abort", "/session/ses_nameless/abort"]


def test_a_session_is_named_so_that_a_later_client_knows_it(monkeypatch):
    monkeypatch.setenv("RALPH_RUN_ID", "run-7")
    with OpenCodeStub(*ANSWER) as stub:
        Talk(stub).run()
    assert stub.bodies("/session") == [{"title": f"ralph run-7 [{socket.gethostname()}:{os.getpid()}:{started()!r}]"}]


def test_a_session_that_is_cancelled_is_aborted():
    with OpenCodeStub(MESSAGE, until_aborted=True) as stub:
        talk = Talk(stub)
        note = talk.session._note

        def interrupted(line):
            note(line)
            if b"message.updated" in line:
                assert talk.session.cancel()

        talk.session._note = interrupted
        talk.run()
    assert stub.aborted.is_set()
    assert talk.session.cancelled


def test_a_session_that_is_not_begun_is_not_aborted():
    with OpenCodeStub() as stub:
        session = Talk(stub).session
        assert not session.cancel()
        session.end()
    assert stub.asked == []
