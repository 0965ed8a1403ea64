import pytest

from ralph.app.runs.chunk_iterations import EXECUTING
from ralph.app.runs.history import IterationAttempt, Step
from ralph.app.runs.views import iteration_view
from ralph.model.rows import Row


def looked(kind, body):
    row = Row(1, "a", 3, "ended", f"{kind}/1", 1, 1.0, "", "busy", "", body, b"")
    return IterationAttempt(1, 1, [Step(end=row)])


@pytest.mark.parametrize(
    ("kind", "body", "shown"),
    [
        ("read-prompt", b"{}", 0),
        ("read-prompt", b'{"seen": 7}', 0),
        ("read-prompt", b'{"text": "Do it."}', 1),
        ("read-prompt", b'{"guidance": ["Mind the API."], "seen": 7}', 1),
        ("read-guidance", b'{"texts": [], "seen": 7}', 0),
        ("read-guidance", b'{"texts": ["Mind the API."], "seen": 7}', 1),
    ],
)
def test_a_look_for_a_prompt_is_shown_if_it_found_something_also_in_old_runs(kind, body, shown):
    assert len(iteration_view(looked(kind, body)).actions) == shown


@pytest.mark.parametrize("kind", ["read-prompt", "read-guidance"])
def test_looking_for_a_prompt_is_a_part_of_executing_also_in_old_runs(kind):
    assert kind in EXECUTING
