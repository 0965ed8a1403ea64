"""Small projects at the base, one for each way to test."""

from checks.proof.tamper.looking import text

PYTEST = {
    "calc.py": text("""
        def add(a, b):
            return a - b


        def mul(a, b):
            return a * b
        """),
    "tests/test_calc.py": text("""
        import pytest
        from calc import add, mul


        def test_add():
            assert add(2, 3) == 5
            assert add(0, 0) == 0


        def test_mul():
            assert mul(2, 3) == 6


        @pytest.mark.parametrize("a,b", [(1, 2), (3, 4)])
        def test_many(a, b):
            assert mul(a, b) == a * b


        class TestGroup:
            def test_inside(self):
                check_sum(1, 2)


        def check_sum(a, b):
            assert add(a, b) == a + b
        """),
    "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n",
    "pyproject.toml": text("""
        [project]
        name = "calc"
        version = "1"

        [tool.pytest.ini_options]
        addopts = "-q"
        testpaths = ["tests"]

        [tool.coverage.report]
        fail_under = 90

        [tool.ruff.lint]
        select = ["E", "F", "B"]
        ignore = ["E501"]
        """),
    "Makefile": ".PHONY: test\ntest: lint\n\tpython -m pytest\nlint:\n\truff check .\n",
    "setup.cfg": "[flake8]\nmax-line-length = 79\n",
}
UNITTEST = {
    "calc.py": PYTEST["calc.py"],
    "tests/__init__.py": "",
    "tests/test_calc.py": text("""
        import unittest
        from calc import add, mul


        class CalcTest(unittest.TestCase):
            def test_add(self):
                self.assertEqual(add(2, 3), 5)

            def test_mul(self):
                self.assertEqual(mul(2, 3), 6)


        if __name__ == "__main__":
            unittest.main()
        """),
}
NODE = {
    "calc.js": "exports.add = (a, b) => a - b;\nexports.mul = (a, b) => a * b;\n",
    "bin/calc.js": "#!/usr/bin/env node\nconst { add } = require('../calc.js');\n"
    "process.exit(add(1, 2) === 3 ? 0 : 1);\n",
    "test/calc.test.js": text("""
        const test = require('node:test');
        const assert = require('node:assert');
        const { add, mul } = require('../calc.js');

        test('add', () => {
          assert.strictEqual(add(2, 3), 5);
        });

        test('mul', () => {
          assert.strictEqual(mul(2, 3), 6);
        });
        """),
    "package.json": text("""
        {
          "name": "calc",
          "version": "1.0.0",
          "scripts": {
            "test": "node --test test/",
            "lint": "eslint ."
          }
        }
        """),
}
JEST = {
    "src/calc.ts": "export const add = (a: number, b: number): number => a - b;\n",
    "src/calc.test.ts": text("""
        import { add } from './calc';

        describe('calc', () => {
          it('adds', () => {
            expect(add(2, 3)).toBe(5);
          });

          it.each([[1, 2], [3, 4]])('adds %d and %d', (a: number, b: number) => {
            expect(add(a, b)).toBe(a + b);
          });

          it('throws', async () => {
            await expect(add(NaN, 1)).rejects.toThrow('nan');
          });
        });
        """),
    "src/view.tsx": "export const View = () => <b>{1}</b>;\n",
    "src/view.test.tsx": "test('view', () => {\n  expect(render(<View />)).toMatchSnapshot();\n});\n",
    "jest.config.js": "module.exports = {\n  testMatch: ['**/*.test.ts', '**/*.test.tsx'],\n  bail: false,\n};\n",
    "package.json": '{\n  "scripts": {"test": "jest"},\n  "jest": {"coverageThreshold": {"global": {"lines": 80}}}'
    "\n}\n",
}
GO = {
    "calc.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n",
    "cmd/calc/main.go": 'package main\n\nimport "os"\n\nfunc main() {\n\tos.Exit(0)\n}\n',
    "calc_test.go": text("""
        package calc

        import "testing"

        func TestAdd(t *testing.T) {
        \tif got := Add(2, 3); got != 5 {
        \t\tt.Fatalf("got %d", got)
        \t}
        }

        func TestZero(t *testing.T) {
        \trequire.Equal(t, 0, Add(0, 0))
        }

        func mustBe(t *testing.T, a, b int) {
        \tt.Helper()
        \tif a != b {
        \t\tt.Errorf("%d != %d", a, b)
        \t}
        }
        """),
}
RUST = {
    "Cargo.toml": '[package]\nname = "calc"\nversion = "1.0.0"\n\n[dependencies]\n',
    "src/main.rs": "fn main() {\n    std::process::exit(0);\n}\n",
    "src/lib.rs": text("""
        pub fn add(a: i32, b: i32) -> i32 {
            a - b
        }

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn adds() {
                assert_eq!(add(2, 3), 5);
            }

            #[test]
            fn zero() {
                assert!(add(0, 0) == 0);
            }
        }
        """),
    "tests/whole.rs": "use calc::add;\n\n#[test]\nfn whole() {\n    assert_eq!(add(1, 1), 2);\n}\n",
}
SCRIPTS = {
    "Makefile": "check:\n\tsh scripts/check.sh\n\nclean:\n\t-rm -rf build\n",
    "scripts/check.sh": "#!/bin/sh\nset -e\n. scripts/lib.sh\nrun_checks\n",
    "scripts/lib.sh": "run_checks() {\n  python tools/verify.py\n}\n",
    "scripts/deploy.sh": "#!/bin/sh\nrsync -a . host:\n",
    "tools/verify.py": text("""
        import sys
        from calc import add
        from tools_lib import need

        need(add(2, 3), 5)
        """),
    "tools/tools_lib.py": "import sys\n\n\ndef need(a, b):\n    assert a == b\n",
    "justfile": "test:\n    cargo test\n",
    ".github/workflows/ci.yml": text("""
        on: push
        jobs:
          test:
            steps:
              - run: make check
              - run: npm test
        """),
}
JUDGES = "scripts/check.sh scripts/lib.sh tools/verify.py tools/tools_lib.py"
"""The scripts that the check of the last project names."""
RUBY = {
    "lib/calc.rb": "def add(a, b)\n  a - b\nend\n",
    "test/calc_test.rb": text("""
        require "minitest/autorun"

        class CalcTest < Minitest::Test
          def test_add
            assert_equal 5, add(2, 3)
          end

          def test_zero
            assert_equal 0, add(0, 0)
          end
        end
        """),
    "spec/calc_spec.rb": 'describe "calc" do\n  it "adds" do\n    expect(add(2, 3)).to eq 5\n  end\nend\n',
}
JAVA = {
    "src/main/java/Calc.java": "class Calc {\n  static int add(int a, int b) { return a - b; }\n}\n",
    "src/test/java/CalcTest.java": text("""
        class CalcTest {
            @Test
            void adds() {
                assertEquals(5, Calc.add(2, 3));
            }

            @Test
            void zero() {
                assertEquals(0, Calc.add(0, 0));
            }
        }
        """),
}
PHP = {
    "src/Calc.php": "<?php\nfunction add($a, $b) { return $a - $b; }\n",
    "tests/CalcTest.php": text("""
        <?php
        class CalcTest extends TestCase
        {
            public function testAdd(): void
            {
                $this->assertSame(5, add(2, 3));
            }

            public function testZero(): void
            {
                $this->assertSame(0, add(0, 0));
            }
        }
        """),
}
CSHARP = {
    "src/Calc.cs": "static class Calc\n{\n    public static int Add(int a, int b) => a - b;\n}\n",
    "tests/CalcTests.cs": text("""
        public class CalcTests
        {
            [Fact]
            public void Adds()
            {
                Assert.Equal(5, Calc.Add(2, 3));
            }

            [Fact]
            public void Zero()
            {
                Calc.Add(0, 0).Should().Be(0);
            }
        }
        """),
}
