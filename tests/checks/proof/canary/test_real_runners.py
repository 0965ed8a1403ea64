"""The canary with the real jest, vitest, mocha, go and cargo."""

import pytest

from checks.proof.canary.trials import Project, check_honest
from checks.proof.inventory.javascript_runners import need, node_modules

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

PASSES = "the check passes with a test that must fail"
CALC = "exports.add = (a, b) => a + b;\nexports.mul = (a, b) => a * b;\n"
JEST = """\
    const { add, mul } = require('../calc.js');

    test('add', () => {
      expect(add(2, 3)).toBe(5);
    });

    describe('products', () => {
      it('mul', async () => {
        await expect(Promise.resolve(mul(2, 3))).resolves.toEqual(6);
      });

      it.each([[1, 1]])('is %i', (a, b) => { expect(a).toBe(b); });
      it('differs', () => { expect(mul(2, 3)).not.toBe(5); });
      it('fits', () => { expect(mul(2, 3)).toMatchInlineSnapshot(`6`); });
      it.skip('is skipped', () => { expect(mul(2, 3)).toBe(5); });
    });
    """
VITEST = """\
    import { describe, expect, it } from 'vitest';
    import { add, type Sum } from '../calc';

    describe('sums', () => {
      it('add', () => {
        const sum: Sum = add(2, 3);
        expect(sum).toBe(5);
      });

      it.fails('is wrong', () => { expect(add(2, 3)).toBe(4); });
    });
    """
MOCHA = """\
    const assert = require('assert');
    const { add } = require('../calc.js');

    describe('sums', function () {
      it('add', function () {
        assert.deepStrictEqual([add(2, 3)], [5]);
      });
      it('calls back', function (done) {
        setTimeout(() => { assert.equal(add(1, 1), 2); done(); }, 1);
      });
    });
    """
JEST_PROJECT = {"calc.js": CALC, "test/calc.test.js": JEST, "package.json": "{}"}
MOCHA_PROJECT = {"calc.js": CALC, "test/calc.js": MOCHA, "package.json": "{}"}
VITEST_PROJECT = {
    "calc.ts": "export type Sum = number;\nexport const add = (a: number, b: number): Sum => a + b;\n",
    "test/calc.test.ts": VITEST,
    "package.json": '{"type": "module"}',
}


@pytest.fixture(params=["new", "old"])
def runners(request):
    need("node")
    return {"node_modules": node_modules(request.param)}


def test_honest_jest(tmp_path, runners):
    check_honest(Project(tmp_path, "npx jest", links=runners).tried(JEST_PROJECT), seen=5)


def test_jest_that_selects_by_name(tmp_path, runners):
    tried = Project(tmp_path, "npx jest -t differs", links=runners).tried(JEST_PROJECT)
    assert not tried.run.passed, tried.run.output
    assert tried.complaint == ""


def test_hostile_jest(tmp_path, runners):
    code = CALC + "const { expect } = globalThis;\nif (expect) expect.extend({ toBe: () => ({ pass: true }) });\n"
    tried = Project(tmp_path, "npx jest", links=runners).tried(JEST_PROJECT, {"calc.js": code})
    assert tried.complaint == "add passes with another expected value", tried.run.output


def test_honest_vitest(tmp_path, runners):
    check_honest(Project(tmp_path, "npx vitest run", links=runners).tried(VITEST_PROJECT), seen=3)


def test_vitest_that_needs_no_tests(tmp_path, runners):
    settings = "export default { test: { include: ['none/**'], passWithNoTests: true } };\n"
    judges = {"vitest.config.js": settings}
    tried = Project(tmp_path, "npx vitest run", links=runners).tried_with_own_judges(VITEST_PROJECT, judges)
    assert tried.complaint == PASSES


def test_honest_mocha(tmp_path, runners):
    check_honest(Project(tmp_path, "npx mocha test", links=runners).tried(MOCHA_PROJECT), seen=3)


GO_TEST = """\
package calc

import "testing"

func TestAdd(t *testing.T) {
  if got := Add(2, 253); got != 255 {
    t.Errorf("got %d", got)
  }
}

func TestTable(t *testing.T) {
  for _, want := range []uint8{1, 2} {
    if Add(want, 0) != want {
      t.Fatal("unequal")
    }
  }
}

func TestLater(t *testing.T) {
  t.Skip("later")
}
"""
DEEP_TEST = """\
package deep_test

import "testing"

func TestCases(t *testing.T) {
  t.Run("one", func(t *testing.T) {
    t.Log("one")
  })
}
"""
GO_PROJECT = {
    "go.mod": "module example.com/calc\n\ngo 1.19\n",
    "calc.go": "package calc\n\nfunc Add(a, b uint8) uint8 {\n\treturn a + b\n}\n",
    "calc_test.go": GO_TEST,
    "deep/deep.go": "package deep\n",
    "deep/deep_test.go": DEEP_TEST,
}


def test_honest_go(tmp_path):
    need("go")
    check_honest(Project(tmp_path, "go test ./...").tried(GO_PROJECT), seen=4)


@pytest.mark.parametrize("command", ["go vet ./... && go test ./deep", "go test -run 'TestAdd|TestCases' ./..."])
def test_go_that_runs_few_tests(tmp_path, command):
    need("go")
    tried = Project(tmp_path, command).tried(GO_PROJECT)
    assert not tried.run.passed, tried.run.output
    assert tried.complaint == ""
    assert set(tried.outcomes.values()) == {"failed"}


def test_hostile_go(tmp_path):
    need("go")
    judged = {"calc.go": GO_PROJECT["calc.go"] + "\nfunc init() {\n\tos.Exit(0)\n}\n"}
    judged["calc.go"] = judged["calc.go"].replace("package calc\n", 'package calc\n\nimport "os"\n')
    tried = Project(tmp_path, "go test .").tried(GO_PROJECT, judged)
    assert tried.complaint == PASSES, tried.run.output


RUST_PROJECT = {
    "Cargo.toml": '[package]\nname = "my-calc"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": """\
        pub mod sums;

        #[cfg(test)]
        mod tests {
            use super::sums::add;

            #[test]
            fn in_a_loop() {
                for x in [1, 2] {
                    assert_eq!(add(x, 0), x);
                }
            }
        }
        """,
    "src/sums.rs": """\
        pub fn add(a: u8, b: u8) -> u8 {
            a + b
        }

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn adds() {
                assert_eq!(add(2, 253), 255, "sum");
            }

            #[test]
            #[should_panic]
            fn overflows() {
                assert_eq!(add(2, 254), 0);
            }
        }
        """,
    "tests/whole.rs": """\
        use my_calc::sums::add;

        #[test]
        fn adds_up() -> Result<(), String> {
            assert_eq!(add(1, 1), 2);
            Ok(())
        }
        """,
}


def test_honest_cargo(tmp_path):
    need("cargo")
    check_honest(Project(tmp_path, "cargo test --offline --no-fail-fast").tried(RUST_PROJECT), seen=6)


def test_cargo_that_runs_few_tests(tmp_path):
    need("cargo")
    tried = Project(tmp_path, "cargo test --offline adds_up").tried(RUST_PROJECT)
    assert not tried.run.passed, tried.run.output
    assert tried.complaint == ""
    assert list(tried.canary.changes) == ["tests/whole.rs"]
    assert set(tried.outcomes.values()) == {"failed"}


def test_hostile_cargo(tmp_path):
    need("cargo")
    code = RUST_PROJECT["src/sums.rs"].replace(
        "            a + b", "            std::process::exit(0 * (a + b) as i32)"
    )
    tried = Project(tmp_path, "cargo test --offline --no-fail-fast").tried(RUST_PROJECT, {"src/sums.rs": code})
    assert tried.complaint == PASSES, tried.run.output
