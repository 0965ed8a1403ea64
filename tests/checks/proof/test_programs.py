"""Programs and settings that another one stands in for since the agent first ran."""

import pytest

from ralph.checks.proof.programs import programs_of, replaced


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    return home


def program(path, text="#!/bin/sh\n"):
    path.write_text(text)
    path.chmod(0o755)


def seen(home):
    return programs_of(("verify --all",), {"PATH": f"{home}/bin:{home}/more", "HOME": str(home)})


def told(before, now, *inside):
    return [(each.level, each.text) for each in replaced(before, now, inside)]


def test_what_stays_as_it_was_is_fine(home):
    program(home / "bin/verify")
    (home / ".npmrc").write_text("color=false\n")
    assert set(seen(home)) == {"verify", "$PATH", "~/.npmrc"}
    assert told(seen(home), seen(home)) == []


def test_a_program_that_goes_before_another_blocks(home):
    (home / "more").mkdir()
    program(home / "more/verify")
    before = seen(home)
    program(home / "bin/verify")
    text = f"verify was {home}/more/verify before the agent ran and is {home}/bin/verify now"
    assert told(before, seen(home)) == [("block", text)]


def test_a_program_that_was_changed_warns(home):
    program(home / "bin/verify")
    before = seen(home)
    program(home / "bin/verify", "#!/bin/sh\ntrue\n")
    assert told(before, seen(home)) == [("warn", f"verify ({home}/bin/verify) was changed since the run began")]


def test_a_program_among_the_checked_files_blocks(home):
    before = seen(home)
    program(home / "bin/verify")
    text = f"verify is found inside the checked files: {home}/bin/verify"
    assert told(before, seen(home), home) == [("block", text)]
    assert told(before, seen(home), home / "bin/verify") == []


def test_settings_of_the_user_that_runners_read_warn(home):
    (home / ".npmrc").write_text("color=false\n")
    before = seen(home)
    (home / ".npmrc").write_text("script-shell=/bin/true\n")
    (home / ".config/go").mkdir(parents=True)
    (home / ".config/go/env").write_text("GOFLAGS=-run=None\n")
    assert told(before, seen(home)) == [
        ("warn", f"~/.npmrc ({home}/.npmrc) was changed since the run began"),
        ("warn", "~/.config/go/env did not exist when the run began"),
    ]


def test_a_project_in_the_home_directory_has_settings_of_its_own(home):
    before = seen(home)
    (home / "pytest.ini").write_text("[pytest]\n")
    assert told(before, seen(home), home) == []


def test_without_a_home_there_are_no_settings():
    assert programs_of(("verify",), {"PATH": ""}) == {"$PATH": ""}


def test_whoever_goes_on_with_another_path_is_warned_and_not_accused(home):
    (home / "more").mkdir()
    program(home / "more/verify")
    program(home / "more/make")
    before = seen(home)
    program(home / "bin/verify", "#!/bin/sh\n# of another terminal\n")
    program(home / "bin/make")
    now = programs_of(("verify --all",), {"PATH": f"{home}/bin", "HOME": str(home)})
    text = "PATH differs from the start of the run, and leads to another verify"
    assert told(before, now) == [("warn", text)]
    assert told(before, now, home) == [("warn", text)]


def test_another_path_excuses_no_settings(home):
    before = seen(home)
    (home / ".npmrc").write_text("script-shell=/bin/true\n")
    now = programs_of(("verify --all",), {"PATH": "", "HOME": str(home)})
    assert told(before, now) == [("warn", "~/.npmrc did not exist when the run began")]
