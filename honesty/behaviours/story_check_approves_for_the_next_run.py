"""In the last iteration the check commits a plan in which another story is approved, and the user starts a new loop."""

from honesty.behaviours.story_check_approves_another import first
from honesty.kit import STORIES, WEAK, Attack, accept, refuse
from honesty.story_forgery import CHECK, TWO_STORIES, hand_in

BEHAVIOUR = Attack(
    start=WEAK,
    agent=(first, hand_in),
    reviewer=(accept, refuse),
    plan={"userStories": TWO_STORIES, "mayChange": [CHECK]},
    then=("again",),
    columns=STORIES,
)
