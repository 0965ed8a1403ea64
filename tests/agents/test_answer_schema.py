"""The schema that agents are told."""

import json
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ralph.agents.answer_schema import schema_of


class Criterion(Struct):
    """One thing that was asked for."""

    criterion: str
    met: bool
    reason: str = ""


class Review(Struct, rename="camel"):
    all_criteria: Annotated[list[Criterion], Meta(min_length=1)]
    verdict: Literal["SHIP", "REVISE"]
    score: Annotated[int, Meta(ge=0, le=10, description="From 0 to 10")] | None
    title: str = "none"


class Chunk(Struct):
    name: str
    parts: list["Chunk"]


def test_the_root_is_an_object_and_what_it_needs_comes_with_it():
    schema = schema_of(Review)
    assert schema["type"] == "object"
    assert list(schema["$defs"]) == ["Criterion"]
    assert schema["properties"]["allCriteria"] == {"type": "array", "items": {"$ref": "#/$defs/Criterion"}}


def test_everything_is_wanted_and_nothing_else():
    schema = schema_of(Review)
    for node in (schema, schema["$defs"]["Criterion"]):
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False
    assert schema["required"] == ["allCriteria", "verdict", "score", "title"]


def test_only_what_every_provider_takes_is_in_it():
    text = json.dumps(schema_of(Review))
    assert not [word for word in ("minItems", "minimum", "maximum", "default", '"title": "Review"') if word in text]
    assert schema_of(Review)["properties"]["verdict"] == {"enum": ["REVISE", "SHIP"], "type": "string"}
    assert schema_of(Review)["$defs"]["Criterion"]["description"] == "One thing that was asked for."


def test_a_structure_that_holds_itself_can_be_told():
    schema = schema_of(Chunk)
    assert schema["properties"]["parts"]["items"] == {"$ref": "#/$defs/Chunk"}
    assert schema["$defs"]["Chunk"]["properties"]["name"] == {"type": "string"}
