import pytest

from ralph.agents.allowed_commands import beginnings, coarse_beginnings

NAMED = {
    "make test": ["make test"],
    "pytest": ["pytest"],
    "pytest -q tests": ["pytest"],
    "go vet ./...": ["go vet"],
    "mypy .": ["mypy"],
    "./gradlew test": ["./gradlew test"],
    "vendor/bin/phpunit": ["vendor/bin/phpunit"],
    "cargo clippy --all-targets -- -D warnings": ["cargo clippy"],
    "npm run test:unit": ["npm run test:unit"],
    "make tést": ["make tést"],
    "make lint && make test": ["make lint", "make test"],
    "make lint\nmake test": ["make lint", "make test"],
    "cd app && npm run test": ["npm run test"],
    "(cd app; just test)": ["just test"],
    "if make lint; then make test; fi": ["make lint", "make test"],
    "make test > out.txt 2>&1": ["make test"],
    "make test 2>&1 | grep -v ok": ["make test", "grep"],
    "FOO=1 tox -e py": ["tox"],
    "make test # all of them": ["make test"],
    "python -m pytest -q": ["python -m pytest"],
    "python3.11 manage.py test": ["python3.11 manage.py test"],
    "uv run python -m pytest": ["uv run python -m pytest"],
    "bash scripts/test.sh --fast": ["bash scripts/test.sh"],
    "bun run test": ["bun run test"],
}
NOT_NAMED = [
    "",
    " ",
    "sh -c 'make test'",
    "python -c 'import app'",
    "python -m",
    "python",
    "uv run -q pytest",
    "npx --yes jest",
    "env A=1 pytest",
    "timeout 60 make test",
    "sudo make test",
    "rm -rf build",
    "curl example.org",
    "git diff --exit-code",
    "$RUNNER test",
    "`cat runner`",
    "'my program' test",
    "echo 'oops",
    "eval make",
]


@pytest.mark.parametrize(("command", "expected"), NAMED.items())
def test_a_command_is_named_up_to_its_first_option_or_path(command, expected):
    assert beginnings([command]) == expected


@pytest.mark.parametrize("command", NOT_NAMED)
def test_what_would_allow_too_much_or_cannot_be_written_as_a_rule_is_left_out(command):
    assert beginnings([command]) == []


def test_each_is_named_once_and_in_order():
    assert beginnings(["make test", "pytest -q", "make test", "pytest -x"]) == ["make test", "pytest"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make test", ["make"]),
        ("npm run test", ["npm run"]),
        ("cargo test --all", ["cargo test"]),
        ("uv run pytest", ["uv"]),
        ("python -m pytest", []),
        ("bash scripts/test.sh", []),
    ],
)
def test_coarsely_it_is_the_program_or_its_subcommand(command, expected):
    assert coarse_beginnings([command]) == expected
