"""A proposed chunk as a text in an editor, and back."""

from typing import Any

import msgspec

from ralph.app.tasks.text import parsed, yaml_text
from ralph.config.merge import is_object
from ralph.kernel.plan_forms import ChunkDraft
from ralph.model.errors import ConfigError


def editable(chunk: ChunkDraft) -> str:
    data: dict[str, Any] = msgspec.to_builtins(chunk)
    return yaml_text({key: value for key, value in data.items() if key != "criteria" or value})


def edited(text: str) -> ChunkDraft:
    documents = parsed(text, "the edited text")
    if len(documents) != 1 or not is_object(documents[0]):
        raise ConfigError("the edited text must be one chunk.", "Keep its keys as they were.")
    given: dict[str, Any] = documents[0]
    if unknown := [key for key in given if key not in _known()]:
        raise ConfigError(f"the edited text has the unknown key {unknown[0]!r}.", f"Keys are {', '.join(_known())}.")
    try:
        return msgspec.convert(given, ChunkDraft)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the edited text cannot be read: {error}.") from None


def _known() -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(ChunkDraft)]
