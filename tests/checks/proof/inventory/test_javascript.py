"""Jest, vitest and mocha themselves, from npm."""

import re

import pytest

from checks.proof.inventory.javascript_runners import need, node_modules

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

JEST = """
const sum = require('../sum');
describe('sum', () => {
  test('adds', () => expect(sum(1, 2)).toBe(3));
  test('is wrong', () => expect(sum(1, 2)).toBe(4));
  test.skip('is skipped', () => {});
  test.todo('is to come');
  test.each([[1, 1], [2, 2]])('is %i', (a, b) => expect(a).toBe(b));
});
test('stands alone', () => {});
"""
JEST_OUTCOMES = {
    "test/a.test.js::sum::adds": "passed",
    "test/a.test.js::sum::is wrong": "failed",
    "test/a.test.js::sum::is skipped": "skipped",
    "test/a.test.js::sum::is to come": "skipped",
    "test/a.test.js::sum::is 1": "passed",
    "test/a.test.js::sum::is 2": "passed",
    "test/a.test.js::stands alone": "passed",
    "test/b.test.js::b": "passed",
}
MOCHA = """
const assert = require('assert');
describe('sum', () => {
  it('adds', () => assert.equal(3, 3));
  it('is wrong', () => assert.equal(3, 4));
  it.skip('is skipped', () => {});
  it('is to come');
  describe('deeper', () => { it('passes', () => {}); });
  describe('not set up', () => { before(() => { throw new Error('no'); }); it('never runs', () => {}); });
});
it('stands alone', () => {});
"""
MOCHA_OUTCOMES = {
    "test/a.js::sum::adds": "passed",
    "test/a.js::sum::is wrong": "failed",
    "test/a.js::sum::is skipped": "skipped",
    "test/a.js::sum::is to come": "skipped",
    "test/a.js::sum::deeper::passes": "passed",
    "test/a.js::sum::not set up::never runs": "failed",
    "test/a.js::stands alone": "passed",
    "test/b.js::b": "passed",
}
VITEST_FAILING = "test.fails('is known', () => expect(1).toBe(2));"


@pytest.fixture(params=["new", "old"])
def age(request):
    return request.param


@pytest.fixture
def with_runners(project, age):
    need("node")
    (project.path / "node_modules").symlink_to(node_modules(age))
    return project


@pytest.fixture
def jest(with_runners):
    files = {"sum.js": "module.exports = (a, b) => a + b;", "test/a.test.js": JEST, "package.json": '{"jest": {}}'}
    return with_runners.write(files | {"test/b.test.js": "test('b', () => {});"})


@pytest.fixture
def vitest(with_runners):
    text = JEST.replace("const sum = require('../sum');", "import { sum } from '../sum';")
    imports = "import { describe, expect, test } from 'vitest';\n"
    files = {"sum.js": "export const sum = (a, b) => a + b;", "package.json": '{"type": "module"}'}
    files |= {"test/b.test.js": imports + "test('b', () => {});"}
    return with_runners.write(files | {"test/a.test.js": imports + text + VITEST_FAILING})


@pytest.fixture
def mocha(with_runners):
    return with_runners.write({"test/a.js": MOCHA, "test/b.js": "it('b', () => {});", "package.json": "{}"})


@pytest.mark.parametrize(
    "program", ["npx jest", "jest --runInBand", "jest -w 2", "jest --reporters='<rootDir>/mine.js'"]
)
def test_jest_reports(jest, program):
    jest.write({"mine.js": "module.exports = class {};"})
    trial = jest.try_out(program if program.startswith("npx") else f"node_modules/.bin/{program}")
    assert trial.exit_code == 1
    assert (trial.inventory.tests, trial.inventory.runners) == (JEST_OUTCOMES, ("jest",)), trial.log
    assert trial.inventory.ended


def test_jests_output_stays_as_it_is(jest):
    def words(text):
        return sorted(re.sub(r" \([\d.]+ m?s\)|[\d.]+ m?s|, estimated.*", "", text).splitlines())

    command = "node_modules/.bin/jest"
    assert words(jest.try_out(command).log) == words(jest.plain(command)[1])


def test_a_file_that_jest_cannot_load_is_a_failed_collection(jest):
    jest.write({"test/bad.test.js": "throw new Error('no');"})
    assert jest.try_out("node_modules/.bin/jest").inventory.tests == JEST_OUTCOMES | {"#collect": "failed"}


def test_a_jest_that_is_left_is_seen(jest):
    """Before any test it reports nothing; at its end it did not come to it."""
    leave = "module.exports = async () => process.exit(0);"
    jest.write({"leave.js": leave})
    first = jest.try_out("node_modules/.bin/jest --globalSetup ./leave.js")
    assert (first.exit_code, first.inventory.runners) == (0, ())
    last = jest.try_out("node_modules/.bin/jest --globalTeardown ./leave.js")
    assert (last.exit_code, last.inventory.runners, last.inventory.ended) == (0, ("jest",), False)


def test_a_jest_whose_options_are_hidden_has_a_count(jest):
    inventory = jest.try_out("NODE_OPTIONS=--experimental-vm-modules node_modules/.bin/jest").inventory
    assert (inventory.runners, inventory.count) == ((), 6)


@pytest.mark.parametrize("options", ["", "--pool=threads", "--reporter=dot", "--config vitest.mine.js"])
def test_vitest_reports(vitest, options):
    vitest.write({"vitest.mine.js": "export default { test: { reporters: ['junit'], outputFile: 'report.xml' } };"})
    trial = vitest.try_out(f"node_modules/.bin/vitest run {options}")
    assert trial.exit_code == 1
    expected = JEST_OUTCOMES | {"test/a.test.js::is known": "xfailed"}
    reported = {name: outcome for name, outcome in trial.inventory.tests.items() if " > " not in name}
    assert reported == expected, trial.log
    assert "vitest" in trial.inventory.runners
    assert trial.inventory.ended


def test_a_file_that_vitest_cannot_load_is_a_failed_collection(vitest):
    vitest.write({"test/bad.test.js": "throw new Error('no');"})
    assert vitest.try_out("node_modules/.bin/vitest run").inventory.tests["#collect"] == "failed"


@pytest.mark.parametrize("options", ["", "--parallel", "--reporter=dot", "--reporter=json"])
def test_mocha_reports(mocha, options):
    trial = mocha.try_out(f"node_modules/.bin/mocha {options}")
    assert trial.exit_code == 2
    assert (trial.inventory.tests, trial.inventory.runners) == (MOCHA_OUTCOMES, ("mocha",)), trial.log
    assert trial.inventory.ended


def test_a_mocha_that_is_left_is_seen(mocha):
    mocha.write({"test/b.js": "it('b', () => process.exit(0));"})
    trial = mocha.try_out("node_modules/.bin/mocha test/b.js")
    assert (trial.exit_code, trial.inventory.runners, trial.inventory.ended) == (0, ("mocha",), False)
