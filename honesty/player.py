"""The agents of the test bed: each start plays one act of a behaviour, and prints what the real agent would print."""

import json
import os
import sys
import tempfile
import traceback
from pathlib import Path

import msgspec
from msgspec import Struct

from honesty.catalogue import load
from honesty.columns import JUDGE, claim_in
from honesty.declaration import Act, Behaviour, Step
from honesty.judge import judgement
from honesty.reviewer import QUESTION, review
from honesty.story_moves import PLAN, accept, commit, is_review, submit
from honesty.tree import Tree
from ralph.testing import scripted_agent

ACTS, REVIEWS = "acts", "reviews"
"""The files that count how many times an agent was asked to work, and to review stories."""
ASIDE = {
    "commit message": "Fix the shop",
    "create a concise summary": '{"summary": "The total is the sum of the prices."}',
}
"""The answers to what ralph asks besides the work, by words of the question."""


class Part(Struct, frozen=True):
    """What an agent program is told: which behaviour it plays, and where."""

    file: str
    column: str
    role: str
    root: str
    env: dict[str, str] = {}
    """The variables that a judge needs to run the hidden test: ralph gives it hardly any environment."""


def program_text(part: Part) -> str:
    """The text of a program for `agent.command`; it does not depend on the environment that ralph gives it."""
    top = str(Path(__file__).parents[1])
    return f"""#!{sys.executable} -I
import sys
sys.path.insert(0, {top!r})
from honesty.player import main
main({msgspec.json.encode(part).decode()!r})
"""


def main(told: str) -> None:
    part = msgspec.json.decode(told.encode(), type=Part)
    folder = Path(sys.argv[0]).parent
    prompt = "" if _is_asked_about_itself() else sys.stdin.buffer.read().decode(errors="replace")
    behaviour = load(Path(part.file)).behaviour
    script = folder / f"turn-{_turn(folder)}.json"
    try:
        step = _step(part, behaviour, prompt, folder)
    except Exception:  # noqa: BLE001 - whatever went wrong is reported to the test bed, which calls the case broken
        (folder / "broken").write_text(traceback.format_exc(), encoding="utf-8")
        sys.exit(3)
    speaks = "claude" if part.role == JUDGE else behaviour.speaks
    script.write_text(json.dumps({"format": speaks, "steps": [step]}), encoding="utf-8")
    _give_back(prompt)
    sys.argv.insert(1, str(script))
    scripted_agent.main()


def _step(part: Part, behaviour: Behaviour, prompt: str, folder: Path) -> Step:
    # In a story loop the agent is asked only for the work, and the prompt may contain any of these words.
    if part.column != "stories" and (answer := _aside(prompt)):
        return {"final": answer}
    if part.role == JUDGE:
        return _judged(part, behaviour, prompt)
    if not prompt:
        return {"final": ""}
    tree = _tree(part, behaviour, prompt)
    if part.column == "stories":
        return _story_step(behaviour, tree, folder)
    acts = (behaviour.tester,) if part.role == "tester" and behaviour.tester else behaviour.acts
    return _reply(_next(acts, folder / ACTS), tree)


def _story_step(behaviour: Behaviour, tree: Tree, folder: Path) -> Step:
    """A turn of a story loop: an act, after which the story is submitted, or a review."""
    if is_review(tree):
        return _reply(_next(behaviour.reviews or (accept,), folder / REVIEWS), tree)
    plan = tree.read(PLAN)
    step = _reply(_next(behaviour.acts, folder / ACTS), tree)
    if not behaviour.by_hand:
        if tree.read(PLAN) == plan:
            submit(tree)
        commit(tree)
    return step


def _judged(part: Part, behaviour: Behaviour, prompt: str) -> Step:
    os.environ.update(part.env)
    if behaviour.judge:
        return _reply(behaviour.judge, _tree(part, behaviour, prompt))
    asks_for_review = prompt.startswith(QUESTION)
    return review(prompt, behaviour, Path.cwd()) if asks_for_review else judgement(prompt, behaviour)


def _reply(act: Act, tree: Tree) -> Step:
    said = act(tree)
    if isinstance(said, str):
        return {"final": said}
    return {"final": f"The shop is fixed and the check passes.\n{tree.claim}"} if said is None else said


def _tree(part: Part, behaviour: Behaviour, prompt: str) -> Tree:
    root = Path(part.root)
    return Tree(
        folder=Path.cwd(),
        project=root / "repo",
        home=root / "home",
        prompt=prompt,
        claim=claim_in(part.column, part.role) if part.role != JUDGE else "",
        bug=behaviour.start.bug,
    )


def _aside(prompt: str) -> str:
    return next((answer for words, answer in ASIDE.items() if words in prompt), "")


def _is_asked_about_itself() -> bool:
    return sys.argv[-1] in ("--help", "--version")


def _turn(folder: Path) -> int:
    return len(list(folder.glob("turn-*.json"))) + 1


def _next(acts: tuple[Act, ...], counted: Path) -> Act:
    """The act whose turn it is. A file counts the turns, and the last act is repeated."""
    number = int(counted.read_text()) + 1 if counted.exists() else 1
    counted.write_text(str(number))
    return acts[min(number, len(acts)) - 1]


def _give_back(prompt: str) -> None:
    """Put the prompt back into standard input, because the scripted agent reads it, too."""
    with tempfile.TemporaryFile() as file:
        file.write(prompt.encode(errors="replace"))
        file.seek(0)
        os.dup2(file.fileno(), 0)
