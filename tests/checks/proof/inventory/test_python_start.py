"""What every Python of a trial goes through, whether it runs tests or not."""

import subprocess
import sys


def test_the_users_sitecustomize_runs(project, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "sitecustomize.py").write_text("import builtins\nbuiltins.GREETING = 'hello'\n")
    project.env["PYTHONPATH"] = str(mine)
    assert project.try_out('python -c "import sitecustomize; print(GREETING, sitecustomize.__file__)"').log == (
        f"hello {mine / 'sitecustomize.py'}\n"
    )


def test_a_sitecustomize_of_the_tree_does_not_run(project):
    project.write({"src/sitecustomize.py": "import os; os._exit(0)", "test_a.py": "def test_a(): assert 0"})
    project.env["PYTHONPATH"] = str(project.path / "src")
    assert project.try_out("pytest").inventory.tests == {"test_a.py::test_a": "failed"}


def test_the_path_begins_with_what_the_project_expects(project):
    project.env["PYTHONPATH"] = str(project.path / "src")
    trial = project.try_out('python -c "import sys; print(sys.path[:2], len(sys.path))"')
    first, length = trial.log.rsplit(" ", 1)
    plain, plain_length = project.plain('python -c "import sys; print(sys.path[:2], len(sys.path))"')[1].rsplit(" ", 1)
    assert (first, int(length)) == (plain, int(plain_length) + 1)


def test_no_runner_is_imported_by_a_program_that_does_not(project):
    loaded = project.try_out('python -c "import sys; print(sorted(sys.modules))"').log
    assert "unittest" not in loaded
    assert "json" not in loaded


def test_the_tree_gets_no_compiled_files(project):
    project.write({"module.py": "", "test_a.py": "import module\ndef test_a(): pass"})
    project.try_out("python -m pytest -p no:cacheprovider")
    assert sorted(path.name for path in project.path.iterdir()) == ["module.py", "test_a.py"]


def test_an_installed_runner_comes_before_one_in_the_tree(project):
    liar = "import sys\nprint('1 passed')\nsys.exit(0)\n"
    project.write({"pytest.py": liar, "unittest.py": liar, "test_a.py": "def test_a(): assert 0"})
    project.write({"test_b.py": "import unittest\nclass B(unittest.TestCase):\n    def test_b(self): self.fail()\n"})
    assert project.plain("python -m pytest") == (0, "1 passed\n")
    trial = project.try_out("python -m pytest test_a.py; python -m unittest test_b")
    assert trial.inventory.tests == {"test_a.py::test_a": "failed", "test_b.py::B::test_b": "failed"}


def test_a_runner_in_the_tree_that_cannot_be_avoided_reports_nothing(project):
    project.write({"pytest.py": "print('1 passed in 0.1s')", "test_a.py": "def test_a(): assert 0"})
    inventory = project.try_out("PYTHONPATH=. python -m pytest").inventory
    assert (inventory.runners, inventory.count) == ((), 1)


def test_a_project_that_needs_its_current_directory_has_it(project):
    project.write({"app.py": "X = 1", "tests/test_a.py": "from app import X\ndef test_a(): assert X"})
    assert project.try_out("python -m pytest").inventory.tests == {"tests/test_a.py::test_a": "passed"}


def test_an_error_in_the_users_sitecustomize_is_told_as_without_ours(project, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("raise RuntimeError('mine')")
    project.env["PYTHONPATH"] = str(tmp_path)
    code, told = project.plain("python -c 'print(1)'")
    trial = project.try_out("python -c 'print(1)'")
    assert (trial.exit_code, trial.log) == (code, told)


def test_an_inventory_that_cannot_be_written_breaks_nothing(project):
    project.write({"test_a.py": "def test_a(): pass"})
    trial = project.try_out('rm -rf "$RALPH_INVENTORY"; python -m pytest -q test_a.py')
    assert (trial.exit_code, trial.inventory.runners) == (0, ())


def test_a_trial_within_a_trial_has_its_own_inventory(project, elsewhere):
    """As it is where ralph's own tests are the check."""
    from ralph.checks.proof.inventory import prepared

    outer = project.place / "outer"
    outer.mkdir()
    project.env["PYTHONPATH"] = "users"
    around = prepared(project.env, outer, worktree=project.path) | {
        "RALPH_INVENTORY_INSIDE": "1",
        "NODE_OPTIONS": "--x",
    }
    elsewhere.env = around
    inner = elsewhere.place / "inner"
    inner.mkdir()
    env = prepared(around, inner, worktree=elsewhere.path)
    assert str(outer) not in "".join(value for name, value in env.items() if name != "RALPH_INVENTORY_BEFORE")
    assert env["PYTHONPATH"].endswith(":users")
    assert env["NODE_OPTIONS"].startswith("--x ")
    elsewhere.write({"test_a.py": "def test_a(): pass"})
    assert elsewhere.try_out("pytest").inventory.tests == {"test_a.py::test_a": "passed"}


def test_our_programs_can_be_read_by_old_pythons():
    from pathlib import Path

    import ralph.checks.proof.inventory as package

    folder = Path(package.__file__).parent / "injected/python"
    code = "import ast, sys; [ast.parse(open(f).read(), feature_version=(3, 8)) for f in sys.argv[1:]]"
    names = [str(path) for path in folder.glob("*.py")]
    assert len(names) == 5
    subprocess.run([sys.executable, "-c", code, *names], check=True)
