"""What an agent's structured error means."""

import time

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
        ("The input token count (9) exceeds the maximum number of tokens allowed (8).", 400, "prompt_too_long"),
        ("API key not valid. Please pass a valid API key.", 400, "auth"),
        ("OpenAI API key is missing.", None, "auth"),
        ("Overloaded", 503, "quota"),
        ("Bad gateway", 503, "other"),
        ("Payment required", 402, "billing"),
        ("[API Error: 429 slow down]", None, "quota"),
        ('{"error":{"code":401,"message":"no"}}', None, "auth"),
        ("Authentication failed with provider at http://127.0.0.1:8790/v1 (HTTP 401).", None, "auth"),
        ("retried 5 times Last error: 404 nothing here", None, "model"),
        ("You have exhausted your capacity on this model.", None, "quota"),
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


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("You've hit your usage limit. Try again in 3 hours 42 minutes.", 3 * 3600 + 42 * 60),
        ("Your quota will reset after 3h25m10s.", 3 * 3600 + 25 * 60 + 10),
        ("usage limit: try again in 1 day, 2 hours", 26 * 3600),
        ("rate limit, please retry in 90.5s", 90.5),
    ],
)
def test_a_time_to_wait_becomes_the_moment_until_which(message, seconds):
    before = time.time()
    problem = classify(message)
    assert problem.kind == "quota"
    assert before + seconds <= problem.until <= time.time() + seconds


@pytest.mark.parametrize("message", ["rate limit, try again in 20ms", "rate limit, retry in 5s", "try again later"])
def test_a_short_time_to_wait_says_nothing(message):
    assert classify(message, 429).until is None


def test_a_free_tier_that_is_used_up_for_the_moment_is_a_quota_and_not_a_bill():
    message = "You exceeded your current quota, please check your plan and billing details. Please retry in 35.3s."
    assert classify(message, 429).kind == "quota"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ('[API Error: {"error":{"code":401,"message":"invalid api key"}}]', "invalid api key"),
        ("[API Error: slow down]\nPlease wait and try again later.", "slow down"),
        ('{"error": {"message": "prompt is too long", "code": null}}', "prompt is too long"),
        ("{not json", "{not json"),
        ('{"error": null}', '{"error": null}'),
        ("plain words", "plain words"),
    ],
)
def test_the_message_is_what_the_provider_said_without_its_wrapping(message, words):
    assert classify(message).message == words
