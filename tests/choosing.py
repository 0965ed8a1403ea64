"""Actions and results as Hypothesis chooses them."""

import pkgutil
from functools import cache
from importlib import import_module

import msgspec
from hypothesis import strategies as st

from ralph.kernel import actions
from ralph.kernel.actions.base import Action
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.actions.proof import Composed
from ralph.kernel.actions.stories import BegunStory
from ralph.kernel.actions.tasks import Worktree
from ralph.kernel.actions.waiting import ChildEnd, Granted, RunChild
from ralph.kernel.completion import RoleDefaults
from ralph.kernel.forms import FORMS
from ralph.model.git_rules import GitRules
from ralph.model.reviews import Review
from ralph.model.verification import NamedCheck

# What JSON can hold, and what a clock or a counter can say.
st.register_type_strategy(float, st.floats(0, 1e12))
st.register_type_strategy(int, st.integers(0, 2**40))

FAMILIES = [import_module(f"{actions.__name__}.{module.name}") for module in pkgutil.iter_modules(actions.__path__)]
OBJECTS = st.dictionaries(st.text(), st.text() | st.integers(0, 99) | st.none())
st.register_type_strategy(NamedCheck, st.builds(NamedCheck, config=OBJECTS))
ENDS = (*["verified"] * 4, "max_iterations", "failed", "agent_error", "budget")


@cache
def chosen(kind):
    """Any of this kind. What may hold anything holds an object, as the options of a recipe do."""
    fields = msgspec.structs.fields(kind)
    return st.builds(kind, **{field.name: OBJECTS if "Any" in str(field.type) else ... for field in fields})


# Hypothesis would take what makes a default for the default itself.
for holds_objects in (GitRules, Worktree, Composed, Review, BegunStory, RoleDefaults):
    st.register_type_strategy(holds_objects, chosen(holds_objects))


def action_types():
    """Every action of every family."""
    found = {kind for family in FAMILIES for kind in vars(family).values() if _is_action(kind)}
    return sorted(found, key=lambda kind: kind.__name__)


def _is_action(kind):
    return isinstance(kind, type) and issubclass(kind, Action) and kind is not Action


def result_of(action):
    """Any result that this action may have: what no performer gives is left out."""
    if isinstance(action, RunChild):
        return _child_end(action)
    return answers(action.form) if isinstance(action, AskModel) else _given(action.result)


@cache
def answers(form):
    """The asker is given either a value of the form or the reason why there is none."""
    given = st.builds(FORMS[form]).map(msgspec.to_builtins) if form in FORMS else st.none()
    return st.builds(Answer, value=given, text=st.text()) | st.builds(
        Answer, value=st.none(), reason=st.text(min_size=1)
    )


@cache
def _given(result):
    if result is Granted:
        return st.builds(Granted, go_on=st.booleans(), iterations=st.none() | st.integers(0, 9))
    if result is Worktree:
        return st.just(Worktree("w", "w", "ralph/s--T-1", "c0ffee", "ralph/s"))
    return chosen(result)


def _child_end(action):
    earlier = action.loop.get("earlier", ())
    ends = st.builds(ChildEnd, verdict=st.sampled_from(ENDS), iterations=st.integers(1, 3))
    if not earlier:
        return ends
    # Only a stage that was there before can be sent back to: the claim is read against them.
    back = st.builds(
        ChildEnd, verdict=st.just("rejected"), sent_back_to=st.sampled_from(earlier), iterations=st.integers(1, 3)
    )
    return ends | back
