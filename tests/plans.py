"""What a scripted planner answers: questions, requirements, stories."""

import json

QUESTION = {
    "question": "Where is the greeting kept?",
    "why": "It decides which file changes.",
    "options": ["In a constant", "In a file"],
    "default": "In a constant",
    "impact": "medium",
}
EMPTY_SECTIONS = (
    *("summary", "problem", "goals", "nonGoals", "background", "design", "constraints", "edgeCases", "risks"),
    "openQuestions",
)
STORY = {
    "id": "US-001",
    "title": "Write the greeting",
    "description": "Write work.txt with the greeting.",
    "acceptanceCriteria": ["work.txt says right"],
    "priority": 1,
    "dependsOn": [],
}


def question(**changes):
    return QUESTION | changes


def requirements(*questions, **sections):
    """Of tier S, unless it is said otherwise. One that asks has nothing else to say."""
    filled = {"summary": "A greeting.", "problem": "Nobody greets.", "design": "Write work.txt."}
    given = dict.fromkeys(EMPTY_SECTIONS, "") | {"tier": "S"} | ({} if questions else filled) | sections
    return json.dumps({"questions": list(questions), **given})


def story(number=1, **changes):
    return STORY | {"id": f"US-{number:03}", "priority": number} | changes


def stories(*made, questions=(), **changes):
    given = {
        "questions": list(questions),
        "branchName": "ralph/greeting",
        "description": "Greet people.",
        "verifyCommands": ["grep -q right work.txt"],
        "mayChange": [],
        "userStories": [] if questions else list(made or [story()]),
    }
    return json.dumps(given | changes)
