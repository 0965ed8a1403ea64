import re

import pytest

from checks.proof.inventory.javascript_runners import need

TESTS = """
const { test, describe, it } = require('node:test');
const assert = require('node:assert');
test('passes', () => {});
test('fails', () => assert.equal(1, 2));
test('is skipped', { skip: true }, () => {});
test('is to do', { todo: true }, () => assert.equal(1, 2));
test('has parts', async (t) => { await t.test('one', () => {}); });
describe('suite', () => { describe('deeper', () => { it('passes', () => {}); }); it.skip('is skipped', () => {}); });
"""
MODULE = "import { test } from 'node:test';\ntest('passes', () => {});\n"
OUTCOMES = {
    "test/a.test.js::passes": "passed",
    "test/a.test.js::fails": "failed",
    "test/a.test.js::is skipped": "skipped",
    "test/a.test.js::is to do": "xfailed",
    "test/a.test.js::has parts": "passed",
    "test/a.test.js::has parts::one": "passed",
    "test/a.test.js::suite::deeper::passes": "passed",
    "test/a.test.js::suite::is skipped": "skipped",
    "test/b.test.mjs::passes": "passed",
}
PACKAGE = '{"scripts": {"test": "node --test"}}'


@pytest.fixture
def tested(project):
    need("node")
    return project.write({"test/a.test.js": TESTS, "test/b.test.mjs": MODULE, "package.json": PACKAGE})


@pytest.mark.parametrize("command", ["node --test", "npm test", "node --test test/a.test.js test/b.test.mjs"])
def test_every_way_to_start_it_reports_the_same(tested, command):
    if command.startswith("npm"):
        need("npm")
    trial = tested.try_out(command)
    assert (trial.exit_code, trial.tries) == (1, [frozenset()])
    assert trial.inventory.tests == OUTCOMES, trial.log
    assert (trial.inventory.runners, trial.inventory.ended, trial.inventory.void) == (("node",), True, "")


def test_files_that_are_run_by_themselves_report(tested):
    trial = tested.try_out("node test/b.test.mjs && node test/a.test.js")
    assert trial.inventory.tests == OUTCOMES


def test_what_it_prints_stays_as_it_is(tested):
    def without_times(text):
        return re.sub(r"\d+(\.\d+)?ms|duration_ms:? [\d.]+", "", text)

    command = "node --test test/a.test.js"
    assert without_times(tested.try_out(command).log) == without_times(tested.plain(command)[1])


@pytest.mark.parametrize(
    ("command", "tries"),
    [
        ("node --test --test-reporter=dot", [frozenset(), {"node-default"}]),
        ("node --test --test-reporter=tap --test-reporter-destination=o.tap", [frozenset()]),
    ],
)
def test_a_command_with_a_reporter_of_its_own_reports_besides(tested, command, tries):
    trial = tested.try_out(command)
    assert trial.tries == tries
    assert (trial.inventory.tests, trial.inventory.void) == (OUTCOMES, "")
    plain = tested.plain(command)[1]
    assert len(trial.log.splitlines()) == len(plain.splitlines())


def test_a_command_with_both_kinds_has_a_void_inventory(tested):
    command = "node --test test/b.test.mjs && node --test --test-reporter=dot test/b.test.mjs"
    trial = tested.try_out(command)
    assert trial.tries == [frozenset(), {"node-default"}, {"node-default", "node"}]
    assert trial.exit_code == 0
    assert trial.inventory.void == "the command's own reporters leave no room for another in node"


def test_a_node_that_knows_no_reporters_is_run_without_ours(project):
    """The line is that of node 16 and of node 18.12, which refuse to start."""
    words = "node: --test-reporter= is not allowed in NODE_OPTIONS"
    project.write({"node.sh": f"case \"$NODE_OPTIONS\" in *--test-reporter*) echo '{words}'; exit 9;; esac"})
    trial = project.try_out("sh node.sh")
    assert (trial.exit_code, trial.tries) == (0, [frozenset(), {"node-reporter"}])
    assert (trial.inventory.runners, trial.inventory.void) == ((), "")


def test_a_file_that_cannot_be_loaded_is_a_failed_collection(project):
    need("node")
    project.write({"a.test.js": "throw new Error('no')", "empty.test.js": ""})
    assert project.try_out("node --test").inventory.tests == {"#collect": "failed"}


def test_a_process_that_leaves_is_seen(project):
    """At once nothing is reported; later the runner has begun and not ended."""
    need("node")
    project.write({"a.test.js": "require('node:test').test('a', () => process.exit(0));"})
    trial = project.try_out("node a.test.js")
    assert (trial.exit_code, trial.inventory.runners) == (0, ())
    project.write(
        {"a.test.js": "require('node:test').test('a', () => new Promise(() => setTimeout(process.exit, 500, 0)));"}
    )
    trial = project.try_out("node a.test.js")
    assert (trial.exit_code, trial.inventory.runners, trial.inventory.ended) == (0, ("node",), False)


def test_the_users_own_options_are_kept(tested):
    tested.env["NODE_OPTIONS"] = "--require=./mine.cjs"
    tested.write(
        {
            "mine.cjs": "globalThis.mine = true;",
            "test/c.test.js": "require('node:test').test('c', () => {if (!mine) throw 1});",
        }
    )
    assert tested.try_out("node --test").inventory.tests == OUTCOMES | {"test/c.test.js::c": "passed"}


def test_a_checkout_with_a_blank_and_quotes_in_its_path(tmp_path):
    from checks.proof.inventory.conftest import Project

    need("node")
    project = Project(tmp_path / 'a "quoted" place')
    project.write({"b.test.mjs": MODULE})
    assert project.try_out("node --test").inventory.tests == {"b.test.mjs::passes": "passed"}


def test_a_program_without_tests_reports_nothing(project):
    need("node")
    trial = project.write({"a.js": "console.log(1)"}).try_out("node a.js")
    assert (trial.log, trial.inventory.runners) == ("1\n", ())


def test_a_runner_that_a_test_starts_is_part_of_that_test(project):
    need("node")
    inner = "require('node:test').test('inner', () => { throw 1 });"
    # Node itself silences a runner that knows that it is inside another one.
    clean = "const env = {...process.env}; delete env.NODE_TEST_CONTEXT;"
    start = f"{clean} require('child_process').spawnSync(process.execPath, ['inner.js'], {{env}})"
    project.write({"inner.js": inner, "a.test.js": f"require('node:test').test('outer', () => {{ {start} }});"})
    assert project.try_out("node --test").inventory.tests == {"a.test.js::outer": "passed"}
