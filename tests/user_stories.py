"""Stories as they stand in a plan."""


def story(name="US-001", **changes):
    """One that an agent has taken notes on, and nobody has reviewed."""
    return {
        "id": name,
        "title": "Log in",
        "description": "",
        "acceptanceCriteria": ["A wrong password gives 401"],
        "priority": 1,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
        "notes": "wrote it",
        "dependsOn": [],
        **changes,
    }
