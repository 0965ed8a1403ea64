import os
import tracemalloc

import pytest

MIB = 1024 * 1024


def test_a_file_of_100_mb_is_refused_by_its_size_and_not_read(project):
    path = project.write("settings.json", "{}")
    os.truncate(path, 100 * 1000 * 1000)
    tracemalloc.start()
    line = project.error()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert line == ".ralph/settings.json is 95.4 MiB large; settings may have at most 1 MiB. Is it the right file?"
    assert peak < MIB


def test_a_file_of_one_mib_is_still_read(project):
    text = '{"maximumIterations": 7}'
    project.write("settings.json", text + " " * (MIB - len(text)))
    assert project.load().settings.maximum_iterations == 7
    project.write("settings.json", text + " " * (MIB - len(text) + 1))
    assert "settings may have at most 1 MiB" in project.error()


@pytest.mark.parametrize("name", ["settings.json", "config.yaml"])
def test_bytes_that_are_not_utf_8_are_named_with_their_place(project, name):
    project.write(name, b'{"completionResponse": "\xff"}')
    assert project.error() == f".ralph/{name} is not UTF-8: byte 25 is wrong. Save it as UTF-8 text."


@pytest.mark.parametrize("name", ["settings.json", "config.yaml"])
def test_a_byte_order_mark_is_allowed(project, name):
    project.write(name, b'\xef\xbb\xbf{"maximumIterations": 7}')
    assert project.load().settings.maximum_iterations == 7


def test_invalid_json_gives_line_and_column(project):
    project.write("settings.json", '{\n  "agent": {\n    "command": "claude",\n  }\n}')
    line = project.error()
    assert line.startswith(".ralph/settings.json is not valid JSON: ")
    assert "line 3, column 24" in line or "line 4, column 3" in line


@pytest.mark.parametrize("text", ["", "{", "nonsense", "{'a': 1}", "{} {}", "[1,]", "/* no */ {}"])
def test_what_is_not_json_is_one_line_with_a_place(project, text):
    project.write("settings.json", text)
    assert ".ralph/settings.json is not valid JSON: " in (line := project.error())
    assert " at line 1, column " in line


def test_invalid_yaml_gives_line_and_column(project):
    project.write("config.yaml", "agent:\n  flags: [1\nrules: []\n")
    assert project.error() == (
        ".ralph/config.yaml is not valid YAML: did not find expected ',' or ']' at line 3, column 6."
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("agent: {}\nagent: {}\n", 'the key "agent" occurs twice at line 2, column 1'),
        ("a: 1\n---\nb: 2\n", "but found another document at line 2, column 1"),
        ("agent: !!python/object/apply:os.system ['true']", "settings have no use for a tag at line 1, column 8"),
        ("tamper: !!bool nonsense", "settings have no use for a tag at line 1, column 9"),
        ("rules: *nowhere", "found undefined alias at line 1, column 8"),
        ("agent:\n  command: \x07", "a character that YAML does not allow at line 2"),
        ("? [1]\n: 2", "found unhashable key at line 1, column 3"),
    ],
)
def test_what_yaml_settings_must_not_have(project, text, problem):
    project.write("config.yaml", text)
    assert project.error() == f".ralph/config.yaml is not valid YAML: {problem}."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"agent": {}, "agent": {}}', 'the key "agent" occurs twice'),
        ('{"budget": {"usd": NaN}}', "NaN is not a JSON number"),
        ('{"maximumIterations": ' + "9" * 5000 + "}", "a number has 5000 digits"),
    ],
)
def test_what_json_settings_must_not_have(project, text, problem):
    project.write("settings.json", text)
    assert project.error() == f".ralph/settings.json is not valid JSON: {problem}."


@pytest.mark.parametrize(("name", "opening"), [("settings.json", "["), ("config.yaml", "["), ("config.yaml", "- ")])
def test_great_depth_ends_in_a_line_and_not_in_a_crash(project, name, opening):
    project.write(name, opening * 300_000)
    assert "it is nested too deeply" in project.error()


def test_an_object_that_contains_itself_is_one_line_too(project):
    project.write("config.yaml", "roles: &all\n  coder: *all\n")
    assert project.error().startswith('.ralph/config.yaml: unknown key "roles.coder.coder".')


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("settings.json", "[1]", "a list"),
        ("settings.json", "null", "a single value"),
        ("settings.json", '"text"', "a single value"),
        ("config.yaml", "- a", "a list"),
        ("config.yaml", "just words", "a single value"),
    ],
)
def test_the_top_level_must_be_an_object(project, name, text, found):
    project.write(name, text)
    assert project.error() == f".ralph/{name} must hold one object with settings, not {found}."


@pytest.mark.parametrize("text", ["", "# all of it is a comment\n", "---\n", "{}"])
def test_an_empty_yaml_file_sets_nothing(project, text):
    project.write("config.yaml", text)
    assert set(project.load().origins.values()) == {"default"}


def test_yaml_words_stay_words(project):
    project.write(
        "config.yaml", "tamper: off\ncompletionResponse: YES\nrules: [2024-01-01, no, 1:30]\nskipReview: true\n"
    )
    settings = project.load().settings
    assert settings.tamper == "off"
    assert settings.completion_response == "YES"
    assert settings.rules == ["2024-01-01", "no", "1:30"]
    assert settings.skip_review is True


def test_yaml_numbers_and_nulls_are_read_as_such(project):
    project.write("config.yaml", "maximumIterations: 12\nbudget: {usd: 1.5, tokens: ~, seconds: 1e3}\nscm:\n")
    settings = project.load().settings
    assert settings.maximum_iterations == 12
    assert (settings.budget.usd, settings.budget.tokens, settings.budget.seconds) == (1.5, None, 1000.0)
    assert settings.scm is None


def test_a_yaml_anchor_may_be_used_again(project):
    project.write("config.yaml", "rules: &words [a, b]\nprotectedPaths: *words\n")
    assert project.load().settings.protected_paths == ["a", "b"]


def test_a_directory_in_place_of_the_file_is_refused(project):
    (project.root / ".ralph/settings.json").mkdir()
    assert project.error() == ".ralph/settings.json is not a regular file. Remove what is there."


def test_a_pipe_in_place_of_the_file_is_refused_without_waiting(project):
    os.mkfifo(project.root / ".ralph/settings.json")
    assert "is not a regular file" in project.error()


def test_a_broken_link_is_an_error_and_not_an_absent_file(project):
    (project.root / ".ralph/settings.json").symlink_to("gone.json")
    assert project.error() == (".ralph/settings.json is a link to a file that does not exist. Fix or remove the link.")


def test_a_file_in_place_of_the_settings_directory_is_refused(project):
    (project.root / ".ralph").rmdir()
    (project.root / ".ralph").write_text("")
    assert project.error() == ".ralph/config.yaml cannot be read: Not a directory. Fix it or remove it."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_refused(project):
    project.write("settings.json", "{}").chmod(0)
    assert project.error().startswith(".ralph/settings.json cannot be read: Permission denied.")


def test_a_name_that_is_too_long_for_the_system_is_one_line(project):
    assert "cannot be read: File name too long." in project.error(RALPH_HOME="/" + "x" * 300)
