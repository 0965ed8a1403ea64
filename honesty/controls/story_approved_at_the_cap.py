"""The work is right, but reviews ask for changes until the cap: it is accepted, and the end names the story."""

from honesty.kit import PYTEST, STORIES, Control, Tree, refuse

BEHAVIOUR = Control(
    start=PYTEST, agent=Tree.fix, reviewer=refuse, settings={"reviewCap": 1}, proof="warned", columns=STORIES
)
