import subprocess

import pytest

from ralph.checks.proof.canary.makefile import failing_target, made_targets, reached, rules

MAKEFILE = b"""\
.PHONY: all test py js
VERSION := 1
include more.mk

all: test  # what make does alone

test: py \\
  js
py:
\tpython -m pytest
\t@echo \\
\t  done

# about js
js: ; npm test
check: lint
\t$(MAKE) -C sub py
twice:
\techo 1
twice: js
ifdef CI
branch:
\techo
endif
lint:
"""


def test_rules_are_read():
    found = {rule.targets[0]: rule for rule in rules(MAKEFILE)}
    assert found["test"].needs == ("py", "js")
    assert found["all"].needs == ("test",)
    assert found["py"].recipe == "\tpython -m pytest\n\t@echo \\\n\t  done\n"
    assert "VERSION" not in found
    assert found["branch"].conditional
    assert not found["lint"].conditional


@pytest.mark.parametrize(
    ("command", "targets"),
    [
        ("make test", [("test",)]),
        ("make", [()]),
        ("cd sub && make -j 4 V=1 lint test && echo done", [("lint", "test")]),
        ("/usr/bin/make -C sub check; gmake -f x.mk all", [("check",), ("all",)]),
        ("$(MAKE) py", [("py",)]),
        ("cmake --build .", []),
        ("echo 'unclosed", []),
    ],
)
def test_targets_of_a_command(command, targets):
    assert made_targets(command) == targets


def test_what_a_target_reaches():
    assert {rule.targets[0] for rule in reached(rules(MAKEFILE), ["check"])} == {"check", "lint", "py"}
    assert {rule.targets[0] for rule in reached(rules(MAKEFILE), [])} == {"all", "test", "py", "js"}
    assert reached(rules(MAKEFILE), ["none"]) == []


@pytest.mark.parametrize("target", ["twice", "branch", "none"])
def test_targets_left_alone(target):
    assert failing_target(MAKEFILE, target) is None


@pytest.mark.parametrize("first", [b".ONESHELL:\n", b".RECIPEPREFIX = >\n", b"define x\nendef\n"])
def test_unusual_makefiles_are_left_alone(first):
    assert failing_target(first + b"test:\n\techo\n", "test") is None


@pytest.mark.parametrize(
    "makefile",
    [
        "test:\n\t@echo worked\n",
        "test:\n\t@echo worked",
        "test: first\nfirst:\n\t@echo worked\n",
        "test:\n\t@echo \\\n\tworked\n\n\nX = 1\n",
        "test: ; @echo worked\n",
        "test other:\n\t@echo worked\n",
        "test:\n\n\t@echo worked\n# a comment\n\nother:\n\techo\n",
    ],
)
def test_a_target_does_its_work_and_fails(tmp_path, make, makefile):
    def made(text):
        (tmp_path / "Makefile").write_bytes(text)
        done = subprocess.run([make, "test"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert "worked" in done.stdout, done.stderr
        return done.returncode, done.stderr

    assert made(makefile.encode())[0] == 0
    code, said = made(failing_target(makefile.encode(), "test"))
    assert code == 2
    assert "Error 37" in said
