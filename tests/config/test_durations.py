import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.config.durations import Duration, PositiveDuration, Timeout, read_duration


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (90, 90),
        (0.5, 0.5),
        ("90", 90),
        ("1.5", 1.5),
        ("30s", 30),
        ("30m", 1800),
        ("2h", 7200),
        ("1d", 86400),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        (" 1H30M ", 5400),
        ("1d2h3m4s", 93784),
        ("1.5h", 5400),
        (0, 0),
        ("0", 0),
        ("0s", 0),
    ],
)
def test_a_duration_may_be_written_as(written, seconds):
    assert read_duration(Duration, written) == seconds


@pytest.mark.parametrize(
    "wrong", ["", "soon", "5x", "30m1h", "h", "1h30", "- 5", "1e3", "off", "inf", True, False, [], {}, None, "٣s"[1:]]
)
def test_what_is_no_duration_is_refused(wrong):
    with pytest.raises((ValueError, TypeError), match="must be a duration"):
        read_duration(Duration, wrong)


@pytest.mark.parametrize("negative", [-1, -0.1, "-5", "-0.5"])
def test_a_negative_duration_is_refused(negative):
    with pytest.raises(ValueError, match="must not be negative"):
        read_duration(Timeout, negative)


@pytest.mark.parametrize("endless", [float("inf"), float("nan"), 10**400, "9" * 400])
def test_a_duration_is_finite(endless):
    with pytest.raises(ValueError, match="must be a finite number of seconds"):
        read_duration(Duration, endless)


def test_zero_is_refused_where_it_makes_no_sense():
    with pytest.raises(ValueError, match="must be more than 0"):
        read_duration(PositiveDuration, "0s")


@pytest.mark.parametrize("off", [None, 0, 0.0, "0", "0m", "off", "OFF", " off "])
def test_a_timeout_can_be_switched_off(project, off):
    project.settings({"timeouts": {"agent": off, "guardrail": off, "idle": off}})
    timeouts = project.load().settings.timeouts
    assert (timeouts.agent, timeouts.guardrail, timeouts.idle) == (None, None, None)


def test_off_is_the_word_of_timeouts_only(project):
    project.settings({"supervise": {"doneGrace": "off"}})
    assert '"supervise.doneGrace" must be a duration' in project.error()


def test_no_grace_at_all_is_allowed(project):
    project.settings({"supervise": {"doneGrace": 0}})
    assert project.load().settings.supervise.done_grace == 0


def test_durations_are_kept_as_plain_floats(project):
    project.settings({"timeouts": {"agent": "30m"}, "budget": {"seconds": 5}, "quota": {"maxWait": "2h"}})
    settings = project.load().settings
    kept = [settings.timeouts.agent, settings.timeouts.idle, settings.budget.seconds, settings.quota.max_wait]
    assert kept == [1800, 1800, 5, 7200]
    assert {type(each) for each in kept} == {float}


@given(st.integers(0, 9), st.integers(0, 99), st.integers(0, 99), st.integers(1, 99))
def test_units_add_up(days, hours, minutes, seconds):
    text = f"{days}d{hours}h{minutes}m{seconds}s"
    assert read_duration(Duration, text) == days * 86400 + hours * 3600 + minutes * 60 + seconds
