import pytest

from checks.proof.canary.trials import Project, check_honest

CALC = "exports.add = (a, b) => a + b;\nexports.mul = (a, b) => a * b;\n"
BROKEN = CALC.replace("a + b", "a - b")
TEST = """\
    const test = require('node:test');
    const { describe, it } = require('node:test');
    const assert = require('node:assert');
    const { add, mul } = require('../calc.js');

    test('add', () => { assert.strictEqual(add(2, 3), 5); });

    describe('products', () => {
      it('mul', async () => {
        const product = mul(2, 3);
        assert.equal(product, 6);
      });

      it('skipped', { skip: true }, () => { assert.equal(mul(2, 3), 5); });
    });

    test('in a loop', () => {
      for (const x of [1, 2]) assert.equal(mul(x, 1), x);
    });
    """
MODULE = """\
    import test from 'node:test';
    import { strictEqual } from 'node:assert';
    import { add } from '../calc.js';

    test('add', async (t) => {
      strictEqual(add(2, 3), 5);
    })
    """
PROJECT = {
    "calc.js": CALC,
    "test/calc.test.js": TEST,
    "package.json": '{"name": "calc", "scripts": {"test": "node --test test/"}}',
}
PASSES = "the check passes with a test that must fail"


@pytest.mark.parametrize("command", ["node --test test/", "npm test --silent", "node test/calc.test.js"])
def test_honest_node(tmp_path, command, node):
    check_honest(Project(tmp_path, command).tried(PROJECT), seen=5)


def test_honest_modules(tmp_path, node):
    files = {"calc.js": CALC, "test/calc.test.mjs": MODULE, "package.json": "{}"}
    check_honest(Project(tmp_path, "node --test test/").tried(files), seen=3)


def test_node_that_selects_by_name(tmp_path, node):
    tried = Project(tmp_path, "node --test --test-name-pattern=loop test/").tried(PROJECT)
    assert not tried.run.passed
    assert tried.complaint == ""


HOSTILE = {
    "ends the process": ("process.exit(0);\n" + CALC, PASSES),
    "patches an assertion": (
        "require('assert').strictEqual = () => {};\n" + BROKEN,
        "add passes with another expected value",
    ),
    "equals everything": (
        "const assert = require('assert');\nconst equal = assert.equal;\n"
        "assert.equal = (a, b) => (typeof b === 'symbol' ? equal(a, b) : undefined);\n" + BROKEN,
        "mul passes with another expected value",
    ),
}


@pytest.mark.parametrize(("code", "said"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_code(tmp_path, code, said, node):
    tried = Project(tmp_path, "node --test test/").tried(PROJECT, {"calc.js": code})
    assert tried.complaint == said, tried.run.output


def test_a_script_that_does_nothing(tmp_path, node):
    judges = {"package.json": '{"name": "calc", "scripts": {"test": "echo \'# pass 2\'"}}'}
    assert Project(tmp_path, "npm test --silent").tried_with_own_judges(PROJECT, judges).complaint == PASSES
