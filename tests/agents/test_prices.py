"""What a call has cost: as the agent says, else by its tokens and the prices of the settings."""

import pytest
from msgspec import convert

from ralph.agents.models import model_of, with_model
from ralph.agents.prices import cost_of
from ralph.agents.registry import find
from ralph.config.schema import Settings
from ralph.model.events import Result, Tokens

PRICES = {
    "mine": {"agent": "codex", "model": "gpt-large", "price": {"input": 2, "output": 8, "cacheRead": 0.5}},
    "free": {"agent": "codex", "model": "gpt-free"},
    "usual": {"agent": "codex", "price": {"input": 1, "output": 1}},
}
TOKENS = Tokens(1_000_000, 500_000, 2_000_000, 100_000)


def agent(name="codex", model=None):
    settings = convert({"models": PRICES}, Settings)
    return with_model(find(settings, name), model)


def test_what_the_agent_says_counts():
    assert cost_of(agent(model="gpt-large"), Result("", cost_usd=0.25, tokens=TOKENS)) == 0.25


def test_tokens_have_the_price_of_the_model_and_what_has_none_of_its_own_that_of_what_is_read():
    assert cost_of(agent(model="gpt-large"), Result("", tokens=TOKENS)) == pytest.approx(2 + 4 + 1 + 0.2)


def test_without_a_model_it_is_that_of_the_agents_default():
    assert cost_of(agent(), Result("", tokens=TOKENS)) == pytest.approx(3.6)


@pytest.mark.parametrize(("name", "model"), [("codex", "gpt-free"), ("codex", "gpt-unknown"), ("gemini", None)])
def test_what_has_no_price_costs_nobody_knows_what(name, model):
    assert cost_of(agent(name, model), Result("", tokens=TOKENS)) is None


def test_no_answer_and_no_tokens_cost_nobody_knows_what():
    assert cost_of(agent(), None) is None
    assert cost_of(agent(), Result("")) is None


@pytest.mark.parametrize("flags", [["--model", "x"], ["--model=x"], ["-m", "x"], ["-m", "y", "--model", "x"]])
def test_the_model_is_the_one_that_the_flags_name_last(flags):
    assert model_of(agent().with_flags(flags)) == "x"
