import time

import pytest

from ralph.checks.proof.judge_files import JUDGES, SHARED, TESTS, is_judge, is_shared, is_test
from ralph.checks.proof.path_globs import PathGlobs

JUDGING = {
    "conftest.py": "pytest",
    "deep/in/the/tree/conftest.py": "pytest",
    "tests/pytest.ini": "pytest",
    "tox.ini": "tox",
    "noxfile.py": "nox",
    "sitecustomize.py": "python's start",
    "x.pth": "python's start",
    "pytest_cheat.egg-info/entry_points.txt": "python's start",
    "pytest.py": "a stand-in for a runner",
    "_pytest/runner.py": "a stand-in for a runner",
    ".venv/bin/python": "a virtual environment",
    "jest.config.js": "jest",
    "web/jest.e2e.config.ts": "jest",
    "vitest.config.mts": "vitest",
    ".mocharc.yml": "mocha",
    "ava.config.cjs": "ava",
    "playwright.config.ts": "playwright",
    "cypress.config.ts": "cypress",
    ".golangci.yml": "golangci-lint",
    ".cargo/config.toml": "cargo",
    "crates/x/.cargo/config": "cargo",
    ".config/nextest.toml": "nextest",
    "clippy.toml": "clippy",
    "rustfmt.toml": "rustfmt",
    "ruff.toml": "ruff",
    "mypy.ini": "mypy",
    ".pylintrc": "pylint",
    ".flake8": "flake8",
    ".coveragerc": "coverage.py",
    "eslint.config.mjs": "eslint",
    ".eslintrc.json": "eslint",
    ".prettierrc": "prettier",
    "tsconfig.json": "tsc",
    "tsconfig.build.json": "tsc",
    "Makefile": "make",
    "GNUmakefile": "make",
    "build/rules.mk": "make",
    "justfile": "just",
    "Taskfile.yml": "task",
    "Rakefile": "rake",
    ".rspec": "rspec",
    "phpunit.xml.dist": "phpunit",
    "gradlew": "gradle wrapper",
    "gradle/wrapper/gradle-wrapper.properties": "gradle wrapper",
    ".mvn/maven.config": "maven wrapper",
    ".pre-commit-config.yaml": "pre-commit",
    ".github/workflows/ci.yml": "github",
    ".gitlab-ci.yml": "gitlab",
    ".circleci/config.yml": "circleci",
    ".gitattributes": "git",
    "docs/.gitattributes": "git",
    ".envrc": "environment",
    ".npmrc": "npm",
    ".ralph/settings.json": "ralph",
    ".ralph/settings.local.json": "ralph",
    ".ralph/config.yaml": "ralph",
    "node_modules/.bin/jest": "a copied program",
    "web/node_modules/.bin/jest": "a copied program",
}


def judging_tool(path):
    """The row of the table that makes this file a judge."""
    return next((tool for tool, row in JUDGES.items() if PathGlobs(row.split())(path)), "a copied program")


@pytest.mark.parametrize(("path", "tool"), JUDGING.items())
def test_judges(path, tool):
    assert is_judge(path)
    assert judging_tool(path) == tool


@pytest.mark.parametrize(
    "path",
    [
        "tests/data/expected.json",
        "tests/test_calc.py",
        "tests/helper.py",
        "test/calc.test.js",
        "src/test/java/com/shop/CartHelper.java",
        "pkg/testdata/golden.txt",
        "internal/testutil/assert.go",
        "calc_test.go",
        "test_calc.py",
        "calc_test.py",
        "shop/tests.py",
        "web/calc.spec.ts",
        "web/calc.test.tsx",
        "web/calc.test.mjs",
        "web/__tests__/calc.js",
        "web/__snapshots__/calc.js.snap",
        "web/__mocks__/fs.js",
        "src/snapshots/calc__add.snap",
        "e2e/login.ts",
        "cypress/support/commands.js",
        "web/login.cy.ts",
        "spec/calc_spec.rb",
        "spec/spec_helper.rb",
        "spec/support/login.yml",
        "src/lib/tests.rs",
        "tests/cli.rs",
        "shop/CartTest.java",
        "shop/CartTests.kt",
        "shop/CartIT.java",
        "Shop.Tests/Cart.cs",
        "ShopTests/Cart.swift",
        "shop/CartTest.php",
        "calc_test.exs",
        "steps.bats",
        "features/login.feature",
        "features/step_definitions/login.js",
        "t/basic.t",
        "golden/out.txt",
        "fixtures/a.json",
    ],
)
def test_tests(path):
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    [
        "calc.py",
        "src/testing/client.py",
        "attest.py",
        "src/contest/score.py",
        "contest/rank.js",
        "latest.py",
        "protest_march.py",
        "testimony.py",
        "src/Latest.java",
        "src/Contests/View.cs",
        "inspector.rb",
        "special.ts",
        "spectest.c",
        "src/spec/parser.py",
        "pkg/spec/types.go",
        "spec/openapi.yaml",
        "specs/login.md",
        "docs/testing.md",
        "src/main/java/com/lab/BloodTest.java",
        "src/main/java/com/lab/test/Kit.java",
        "src/features/cart/Cart.tsx",
        "src/snapshots/backup.py",
        "src/config.py",
        "src/setup.py",
        "web/vite-env.d.ts",
        "build.rs",
        "CMakeLists.txt",
        "pom.xml",
        "build.gradle",
        "go.mod",
        "requirements.txt",
        "package-lock.json",
        ".gitignore",
        ".github/ISSUE_TEMPLATE/bug.md",
        ".ralph/specs/login/spec.md",
        "src/pytest/plugin.py",
        "makefile.py",
        "Makefile.am",
        "node_modules/x/test/a.js",
        "vendor/github.com/x/y/y_test.go",
        "vendor/x/Makefile",
        "test",
        "",
        "tests",
    ],
)
def test_what_is_the_product(path):
    assert not is_judge(path)
    assert not is_test(path)


@pytest.mark.parametrize("name", SHARED)
def test_shared_files_are_not_judges_as_a_whole(name):
    assert is_shared(name)
    assert is_shared(f"packages/web/{name}")
    assert not is_judge(name)
    assert not is_shared(f"node_modules/x/{name}")
    assert not is_shared(f"{name}.bak")
    assert not is_shared(f"my-{name}")


@pytest.mark.parametrize("table", [JUDGES, TESTS, SHARED])
def test_no_row_is_empty_or_says_a_thing_twice(table):
    for row, patterns in table.items():
        words = patterns.split()
        assert words, row
        assert len(words) == len(set(words)), row


def test_names_with_line_ends_are_whole_names():
    assert not is_judge("conftest.py\n")
    assert not is_test("test_a.py\nx")


def test_fifty_thousand_paths_are_quick():
    paths = [f"src/package_{number % 50}/sub/module_{number}.py" for number in range(50_000)]
    began = time.process_time()
    assert not any(is_judge(path) or is_test(path) or is_shared(path) for path in paths)
    assert time.process_time() - began < 3
