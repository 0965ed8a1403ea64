import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.kernel.slugs import LONGEST, slug, unique_slugs

commands = st.text(min_size=1) | st.text(alphabet="ab /-_.2", min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("./mvnw clean install -T 2C", "mvnw_clean_install_T_2C"),
        ("make  lint", "make_lint"),
        ("npm run test:unit -- --ci", "npm_run_test_unit_ci"),
        ("(cd sub && make)", "cd_sub_make"),
        ("größe", "gr_e"),
        ("!!", "command"),
        ("x" * 80, "x" * 50),
        ("x" * 49 + " y", "x" * 49),
    ],
)
def test_runs_of_other_characters_become_one_underscore_trimmed_and_cut(command, expected):
    assert slug(command) == expected


@given(commands)
def test_a_slug_is_a_safe_file_name_of_at_most_50_characters(command):
    assert re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9_]*[A-Za-z0-9])?", slug(command))
    assert len(slug(command)) <= LONGEST == 50


def test_the_same_slug_again_gets_a_number():
    assert unique_slugs(["make test", "make-test", "make lint", "make test"]) == [
        "make_test",
        "make_test_2",
        "make_lint",
        "make_test_3",
    ]


def test_a_number_never_takes_the_name_of_another_command():
    assert len(set(unique_slugs(["a", "a", "a 2", "a 2"]))) == 4


@given(st.lists(commands, max_size=12))
def test_no_two_commands_share_a_log_and_the_first_of_each_slug_keeps_it(several):
    names = unique_slugs(several)
    assert len(set(names)) == len(several)
    assert all(name.startswith(slug(command)) for name, command in zip(names, several, strict=True))
