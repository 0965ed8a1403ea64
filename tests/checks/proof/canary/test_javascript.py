import pytest

from checks.proof.canary.altering import WORD, alter, altered_text, failing

FILE = "test/calc.test.js"


@pytest.mark.parametrize(
    ("assertion", "other"),
    [
        ("expect(add(2, 3)).toBe(5);", "expect(add(2, 3)).toBe(1529);"),
        ("expect(add(2, 3)).toEqual(-5);", "expect(add(2, 3)).toEqual(1519);"),
        ("expect(half(3)).toStrictEqual(1.5);", "expect(half(3)).toStrictEqual(1525.5);"),
        ("expect(name()).toBe('Ada');", f"expect(name()).toBe('{WORD}');"),
        ("expect(isOdd(3)).toBe(true);", "expect(isOdd(3)).toBe(false);"),
        ("expect(items()).toEqual([1, 2]);", f'expect(items()).toEqual("{WORD}");'),
        ("await expect(later()).resolves.toBe(5);", "await expect(later()).resolves.toBe(1529);"),
        ("expect(add(2, 3)).to.equal(5)", "expect(add(2, 3)).to.equal(1529)"),
        ("expect(add(2, 3)).to.deep.equal(5)", "expect(add(2, 3)).to.deep.equal(1529)"),
        ("assert.equal(add(2, 3), 5);", "assert.equal(add(2, 3), 1529);"),
        ("assert.strictEqual(add(2, 3), 5, 'sum');", "assert.strictEqual(add(2, 3), 1529, 'sum');"),
        ("assert.deepStrictEqual(one(), two());", f'assert.deepStrictEqual(one(), "{WORD}");'),
        ("strictEqual(add(2, 3), 5);", "strictEqual(add(2, 3), 1529);"),
        ("t.assert.equal(add(2, 3), 5);", "t.assert.equal(add(2, 3), 1529);"),
        ("t.is(add(2, 3), 5);", "t.is(add(2, 3), 1529);"),
    ],
)
def test_first_assertion_gets_another_value_of_its_type(assertion, other):
    text = altered_text(FILE, f"test('it', async (t) => {{\n  {assertion}\n}});\n")
    assert text.splitlines()[1] == f"  {other}"
    assert text.count(WORD) == text.count("Symbol()") + 2 + other.count(WORD)


NOT_IN_PLACE = {
    "negated": "expect(x).not.toBe(1);",
    "negated in chai": "expect(x).to.not.equal(1);",
    "unequal": "assert.notEqual(x, 1);",
    "not awaited": "expect(later()).resolves.toBe(1);",
    "in a loop": "for (const x of xs) { expect(x).toBe(1); }",
    "in a function": "each(xs, (x) => { expect(x).toBe(1); });",
    "in a helper": "check(x, 1);",
    "behind a return": "if (old) return; expect(x).toBe(1);",
    "of other arguments": "assert.equal(...pair);",
    "a truth": "assert.ok(x);",
}


@pytest.mark.parametrize("body", NOT_IN_PLACE.values(), ids=NOT_IN_PLACE.keys())
def test_other_assertions_stay_and_the_test_fails_at_its_begin(body):
    text = altered_text(FILE, f"test('it', () => {{ {body} }});\n")
    first = f"test('it', () => {{ if ([].length === 0) {{ throw new Error('{WORD}'); }} {body} }});\n"
    assert text.startswith(first)
    assert f"'it {WORD}'" not in text


LEFT_ALONE = {
    "skipped": "test.skip('it', () => { expect(x).toBe(1); });",
    "skipped by an option": "test('it', { skip: true }, () => { expect(x).toBe(1); });",
    "skips itself": "test('it', (t) => { t.skip(); expect(x).toBe(1); });",
    "to do": "test('it', { todo: true }, () => { expect(x).toBe(1); });",
    "of a table": "test.each([1])('it %i', (x) => { expect(x).toBe(1); });",
    "a snapshot": "test('it', () => { expect(x).toMatchSnapshot(); expect(x).toBe(1); });",
    "a property": "test('it', () => { fc.assert(fc.property(fc.nat(), (x) => x === x)); });",
    "counts its assertions": "test('it', (t) => { t.plan(1); t.is(x, 1); });",
    "expected to fail": "test.failing('it', () => { expect(x).toBe(1); });",
    "in a skipped group": "describe.skip('all', () => { it('it', () => { expect(x).toBe(1); }); });",
    "in a loop": "for (const x of xs) { test('it', () => { expect(x).toBe(1); }); }",
    "with a title that is made": "test(`it ${x}`, () => { expect(x).toBe(1); });",
    "with a title of two": "test('it', () => { expect(x).toBe(1); }); test('it', () => { expect(x).toBe(2); });",
    "in a file with one selected": "it.only('a', () => {}); it('it', () => { expect(x).toBe(1); });",
    "no test": "run('it', () => { expect(x).toBe(1); });",
    "no JavaScript": "test('it', () => { expect(x).toBe(1); ",
}


@pytest.mark.parametrize("source", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_left_alone(source):
    assert alter(FILE, f"{source}\n") is None


GROUPED = """
    import { describe, it, expect } from "vitest"
    import { add } from "../calc"

    describe("calc", () => {
      describe("sums", () => {
        it("adds", async () => {
          expect(add(2, 3)).toBe(5)
        })
        it("loops", () => {
          for (const x of [1]) expect(x).toBe(1)
        })
      })
    })
    """


def test_added_tests_stand_beside_the_first_and_look_like_it():
    text = altered_text(FILE, GROUPED)
    lines = text.splitlines()
    copy = lines.index(f'    it("adds {WORD}", async () => {{')
    assert lines[copy + 1] == "      expect(add(2, 3)).toBe(Symbol())"
    added = lines.index(f'    it("adds x{WORD}", () => {{')
    assert lines[added : added + 3] == [
        f'    it("adds x{WORD}", () => {{',
        f'      throw new Error("{WORD}")',
        "    })",
    ]


def test_ids_name_groups():
    made = alter(FILE, GROUPED, "calc::sums::adds", "calc::sums::loops")
    assert made is not None
    assert made.must_fail == (
        f"{FILE}::calc::sums::adds",
        f"{FILE}::calc::sums::adds {WORD}",
        f"{FILE}::calc::sums::adds x{WORD}",
    )


def test_only_tests_that_a_runner_reported_are_changed():
    source = "test('a', () => { expect(x).toBe(1); });\ntest('b', () => { expect(x).toBe(1); });\n"
    assert failing(FILE, source, "b") == ["b"]
    assert failing(FILE, source, "c") == []


@pytest.mark.parametrize("suffix", ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"])
def test_all_suffixes(suffix):
    source = "test('a', () => {\n  expect(x).toBe(1);\n});\n"
    assert failing(f"a.test.{suffix}", source) == ["a"]


def test_values_of_another_type_are_cast_in_typescript():
    source = "test('a', () => {\n  const x: number = f<number>();\n  expect(x).toBe(y);\n});\n"
    text = altered_text("a.test.ts", source)
    assert f'expect(x).toBe(("{WORD}" as any));' in text
    assert "expect(x).toBe((Symbol() as any));" in text


def test_elements_are_read_in_tsx():
    source = "test('a', () => {\n  const x = <b>1</b>;\n  expect(x.type).toBe('b');\n});\n"
    assert failing("a.test.tsx", source) == ["a"]


def test_what_stands_behind_a_test_on_its_line_stays_there():
    text = altered_text(FILE, "test('a', () => { expect(x).toBe(1); }); // first\n")
    assert text.endswith("; // first\n")
    assert text.count("\n") == 3


def test_line_ends_stay():
    made = alter(FILE, b"test('a', () => {\r\n  expect(x).toBe(1);\r\n});\r\n")
    assert made is not None
    assert made.content.count(b"\n") == made.content.count(b"\r\n") > 8


def test_text_that_is_not_ascii():
    text = altered_text(FILE, "// é\ntest('é', () => { expect(f('é')).toBe('é'); });\n")
    assert f"expect(f('é')).toBe('{WORD}');" in text


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\xff", b"({[" * 3000, b"// only a comment\n"])
def test_odd_content_is_left_alone(content):
    assert alter(FILE, content) is None
