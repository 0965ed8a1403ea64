"""What an agent's structured error means."""

import pytest

from ralph.agents.problems import classify


@pytest.mark.parametrize(
    ("message", "status", "kind"),
    [
        ("This request would exceed your account's rate limit.", 429, "quota"),
        ("Overloaded", 529, "quota"),
        ("exceeded retry limit, last status: 429 Too Many Requests", None, "quota"),
        ("overloaded_error", None, "quota"),
        ("Claude AI usage limit reached|1794800000", None, "quota"),
        ("Internal server error", 500, "other"),
        ("rate limit words in a server error", 500, "other"),
        ("Invalid API key · Fix external API key", 401, "auth"),
        ("unexpected status 401 Unauthorized: invalid x-api-key", None, "auth"),
        ("OAuth token has expired", None, "auth"),
        ("There's an issue with the selected model (x). It may not exist", 404, "model"),
        ("unexpected status 404 Not Found: model: mock-model", None, "model"),
        ("Credit balance is too low", 400, "billing"),
        ("Quota exceeded. Check your plan and billing details.", None, "billing"),
        ("Prompt is too long", 400, "prompt_too_long"),
        ("This model's maximum context length is 128000 tokens", 400, "prompt_too_long"),
        ("something else", 400, "other"),
        ("something else", None, "other"),
    ],
)
def test_kinds(message, status, kind):
    assert classify(message, status).kind == kind


def test_a_reset_time_in_the_message_is_taken():
    assert classify("Claude AI usage limit reached|1794800000").until == 1_794_800_000.0


def test_a_reset_time_of_its_own_wins():
    assert classify("usage limit reached|1794800000", until=5.0).until == 5.0
