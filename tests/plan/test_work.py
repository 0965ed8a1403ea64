"""What a change brings, read from the change itself."""

import asyncio

import pytest

from plan.trees import Codebase
from ralph.checks.proof.judge_files import is_test
from ralph.plan import work
from ralph.plan.work import read_facts

USER = "export interface User {}\nexport const load = () => 1;\n"


@pytest.fixture
def codebase(tmp_path):
    return Codebase(tmp_path)


@pytest.fixture
def facts(codebase):
    """`facts(before, after)` reads what the change between these files brings."""

    def read(before, after, modes=None, **options):
        base = codebase.commit({"README.md": "# Shop\n", **before})
        commit = codebase.commit(after, parent=base, modes=modes)
        return asyncio.run(read_facts(codebase.repository, base, commit, is_test=is_test, **options))

    return read


def test_files_exports_and_tests_of_a_change(facts):
    found = facts(
        {"src/user.ts": USER, "src/old.ts": "export const gone = 1;\n", "src/user.test.ts": "it('loads', f);\n"},
        {
            "src/user.ts": USER + "export function save() {}\nexport class Account {}\n",
            "src/old.ts": None,
            "src/login.ts": "export const login = () => 1;\nconst inner = 2;\n",
            "src/user.test.ts": "it('loads', f);\ndescribe('user', () => { it('saves', f); });\n",
            "tests/test_login.py": "def test_login(): ...\ndef helper(): ...\n",
            "docs/login.md": "# Login\n",
        },
    )
    assert found.summary.files_created == ("docs/login.md", "src/login.ts", "tests/test_login.py")
    assert found.summary.files_modified == ("src/user.test.ts", "src/user.ts")
    assert found.summary.exports_added == ("login", "save", "Account")
    assert found.summary.tests_added == ("src/user.test.ts::user > saves", "tests/test_login.py::test_login")
    assert (found.summary.summary, found.is_empty, found.problem) == ("", False, "")


def test_what_only_moved_is_not_new(facts):
    text = USER + "// so that it is large enough to be told from others\n" * 5
    found = facts({"src/user.ts": text}, {"src/user.ts": None, "lib/user.ts": text + "export const more = 1;\n"})
    assert found.summary.files_created == ("lib/user.ts",)
    assert found.summary.exports_added == ("more",)


def test_a_change_of_nothing_and_one_that_only_deletes(facts):
    assert facts({"a.py": "def a(): ...\n"}, {}).is_empty
    found = facts({"a.py": "def a(): ...\n"}, {"a.py": None})
    assert not found.is_empty
    assert found.summary.files_created == found.summary.files_modified == found.summary.exports_added == ()


def test_paths_are_those_of_the_project(facts):
    found = facts({}, {"shop/src/a.py": "def a(): ...\n", "other/b.py": "def b(): ...\n"}, prefix="shop")
    assert found.summary.files_created == ("../other/b.py", "src/a.py")
    assert found.summary.exports_added == ("b", "a")


def test_links_submodules_binaries_and_odd_names(facts):
    found = facts(
        {"link.py": "a.py"},
        {
            "link.py": "def not_a_link(): ...\n",
            "new-link.py": "/etc/passwd",
            "sub": "1" * 40,
            "data.py": b"\0\1\2",
            b"odd-\xff.py": "def odd(): ...\n",
            "vendor/x.go": "package x\nfunc X() {}\n",
        },
        modes={"new-link.py": "120000", "sub": "160000"},
    )
    assert set(found.summary.files_created) == {"new-link.py", "sub", "data.py", "odd-\ufffd.py", "vendor/x.go"}
    assert found.summary.files_modified == ("link.py",)
    assert found.summary.exports_added == ("not_a_link",)


def test_too_many_to_be_named_is_said(facts, monkeypatch):
    monkeypatch.setattr(work, "MOST_NAMED", 3)
    found = facts({}, {f"f{n}.py": f"def g{n}(): ...\n" for n in range(5)})
    assert found.summary.files_created == ("f0.py", "f1.py", "f2.py")
    assert found.problem == "of 5 new files only 3 are named; of 5 new exports only 3 are named"


def test_what_cannot_be_read_is_said(facts, monkeypatch):
    endless = facts({}, {"endless.ts": '"' * 200_000, "good.ts": "export const good = 1;\n"})
    assert (endless.problem, endless.summary.exports_added) == ("endless.ts could not be read", ("good",))
    monkeypatch.setattr("ralph.plan.reading.PROGRAM", ("false",))
    broken = facts({}, {"good.ts": "export const good = 1;\n"})
    assert "source files cannot be read" in broken.problem
    assert broken.summary.files_created == ("good.ts",)
