import pytest

from checks.proof.canary.trials import Project

CALC = "def add(a, b):\n    return a + b\n"
VERIFY = "import sys\nsys.path.insert(0, '.')\nfrom calc import add\nfrom tools_lib import need\nneed(add(2, 3), 5)\n"
SCRIPTS = {
    "calc.py": CALC,
    "Makefile": "include build/rules.mk\n",
    "build/rules.mk": "check:\n\tsh scripts/check.sh\nlint:\n\t@grep -q add calc.py\n",
    "scripts/check.sh": "#!/bin/sh\nset -e\n. scripts/lib.sh\nrun_checks\n",
    "scripts/lib.sh": "run_checks() {\n  python tools/verify.py\n}\n",
    "tools/verify.py": VERIFY,
    "tools/tools_lib.py": "import sys\n\n\ndef need(a, b):\n    if a != b:\n        sys.exit(1)\n",
}


def test_an_honest_script_fails_at_its_end(tmp_path, make):
    project = Project(tmp_path, "make check")
    assert project.run(SCRIPTS).passed
    tried = project.tried(SCRIPTS)
    assert tried.canary.must_fail == ("tools/verify.py",)
    assert not tried.run.passed
    assert tried.complaint == ""


@pytest.mark.parametrize(
    "ending", ["raise SystemExit(0)", "import os\nos._exit(0)", "getattr(__import__('o' + 's'), '_ex' + 'it')(0)"]
)
def test_code_that_ends_the_script_is_named(tmp_path, make, ending):
    tried = Project(tmp_path, "make check").tried(SCRIPTS, {"calc.py": f"{ending}\n{CALC}"})
    assert tried.complaint == "the check passes with tools/verify.py made to fail at its end"


def test_a_script_whose_end_does_not_count_is_named(tmp_path, make):
    forgiving = {"build/rules.mk": "check:\n\tsh scripts/check.sh || true\n"}
    tried = Project(tmp_path, "make check").tried_with_own_judges(SCRIPTS, forgiving)
    assert tried.complaint == "the check passes with tools/verify.py made to fail at its end"


def test_an_honest_target_fails_at_its_end(tmp_path, make):
    project = Project(tmp_path, "make lint")
    assert project.run(SCRIPTS).passed
    tried = project.tried(SCRIPTS)
    assert tried.canary.must_fail == ("the target lint of build/rules.mk",)
    assert not tried.run.passed
    assert tried.complaint == ""


def test_a_target_that_is_never_made_is_named(tmp_path, make):
    """A folder of its name counts as made."""
    files = {"Makefile": "check:\n\tgrep -q add calc.py\n", "calc.py": CALC, "check/notes.txt": ""}
    tried = Project(tmp_path, "make check").tried(files)
    assert tried.complaint == "the check passes with the target check of Makefile made to fail at its end"


def test_a_shell_script_that_hands_over(tmp_path):
    files = {"calc.py": CALC, "check.sh": "cd .\nexec python -c 'from calc import add; assert add(2, 3) == 5'\n"}
    project = Project(tmp_path, "sh check.sh")
    assert project.run(files).passed
    tried = project.tried(files)
    assert not tried.run.passed
    assert tried.complaint == ""


def test_a_file_of_plain_assertions(tmp_path):
    files = {
        "calc.py": CALC,
        "tests/check_calc.py": "import sys\nsys.path.insert(0, '.')\nfrom calc import add\nassert add(2, 3) == 5\n",
    }
    project = Project(tmp_path, "python tests/check_calc.py")
    assert project.run(files).passed
    assert not project.tried(files).run.passed
    ended = project.tried(files, {"calc.py": f"raise SystemExit(0)\n{CALC}"})
    assert ended.complaint == "the check passes with tests/check_calc.py made to fail at its end"


def test_scripts_that_a_pattern_names(tmp_path):
    files = {
        "Makefile": "check:\n\tfor each in checks/*.sh; do sh $$each || exit 1; done\n",
        "checks/a.sh": "grep -q add calc.py\n",
        "calc.py": CALC,
    }
    project = Project(tmp_path, "make check")
    assert project.run(files).passed
    tried = project.tried(files)
    assert tried.canary.must_fail == ("checks/a.sh",)
    assert not tried.run.passed
