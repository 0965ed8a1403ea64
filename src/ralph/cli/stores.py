"""The store, opened once for a command."""

from ralph.cli.saying import say
from ralph.store.open import open_store
from ralph.store.sql import Store


def opened_store() -> Store:
    """The opened store. What a person should know about it goes to standard error."""
    return open_store(say=lambda line: say(f"ralph: {line}", err=True))
