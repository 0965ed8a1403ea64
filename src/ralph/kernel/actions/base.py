"""What all actions have in common, and the one place that puts an action and its result into words."""

from collections.abc import Generator
from typing import Any, ClassVar

from msgspec import Struct

from ralph.model.evidence import Done, Result
from ralph.model.places import PROJECT, Place
from ralph.model.rows import Line
from ralph.model.verdicts import AnyVerdict
from ralph.model.words import last_lines

LINES_SHOWN = 5
LONGEST_LINE = 500


class _Placed(Struct, frozen=True, kw_only=True, tag_field="do", omit_defaults=True, rename="camel"):
    place: Place = PROJECT
    """The place where the action works."""


class Action(_Placed, frozen=True, tag_field="do", omit_defaults=True, rename="camel"):
    iteration: int

    result: ClassVar[type[Result]] = Done
    effect: ClassVar[bool] = True
    """Whether the start must be in the journal before the action is performed. A pure read may simply be repeated."""
    waits: ClassVar[bool] = False
    """Whether a run that does only this counts as waiting."""
    can_be_held: ClassVar[bool] = True
    """Whether a pause holds the action back. An action that belongs to the one before it is not held back."""

    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)

    @property
    def name(self) -> str:
        """What distinguishes the action from others of its kind in the same iteration: its slug, if it has one."""
        return getattr(self, "slug", "")

    @property
    def key(self) -> str:
        """The action's name in the run, in the form of `Key`."""
        kind, name = self.__struct_config__.tag, self.name
        return f"{kind}/{self.iteration}/{name}" if name else f"{kind}/{self.iteration}"

    @property
    def begins_iteration(self) -> bool:
        return False

    @property
    def title(self) -> str:
        """What happens while the action is performed."""
        return self.kind.replace("-", " ")

    def until(self, now: float) -> float | None:  # noqa: ARG002 - for those that wait
        """When the action will end, if that is known."""
        return None

    def begun(self) -> Line:
        return Line(self.title, "busy")

    def complaint(self, result: Any) -> str:
        """Why this result is not good, including what was asked for; empty if it is good."""
        return result.complaint

    def ended(self, result: Any) -> Line:
        """The line that screens show for the result. Most actions show one only if something is wrong."""
        return Line(result.complaint, "bad") if result.complaint else Line()


Step = Action | tuple[Action, ...]
Recipe = Generator[Step, Any, AnyVerdict]
"""`result = yield action` performs one action. `done, result = yield (a, b, c)` begins those that have not begun, and
gives the one whose end is first in the journal; the recipe yields the rest again when it wants the next one."""


def describe(action: Action, result: Result | None) -> Line:
    """The line of a row. It is made once, when the row is written."""
    return action.begun() if result is None else action.ended(result)


def output_end(output: str, log: str) -> list[str]:
    """The last lines of the output of what failed, and where all of it is."""
    lines = [f"    {line[:LONGEST_LINE]}" for line in last_lines(output, LINES_SHOWN)]
    return [*lines, f"    see {log}"] if log else lines


def verdict_mark(*, good: bool) -> str:
    return "✓" if good else "✗"


def judged(text: str, *, good: bool) -> Line:
    return Line(f"{verdict_mark(good=good)} {text}", "ok" if good else "bad")
