import pytest

from checks.proof.canary.altering import WORD, alter, altered_text, failing

FILE = "calc/calc_test.go"


def source(body, name="TestIt"):
    return f'package calc\n\nimport "testing"\n\nfunc {name}(t *testing.T) {{\n\t{body}\n}}\n'


@pytest.mark.parametrize(
    ("comparison", "other"),
    [
        ('if Add(2, 3) != 5 {\n\t\tt.Error("sum")\n\t}', "Add(2, 3) != 4"),
        ('if got := Add(2, 3); got != 5 {\n\t\tt.Fatalf("sum %d", got)\n\t}', "got != 4"),
        ('if 5 != Add(2, 3) {\n\t\tt.Error("sum")\n\t}', "4 != Add(2, 3)"),
        ('if Zero() != 0 {\n\t\tt.Error("sum")\n\t}', "Zero() != 1"),
        ('if Half(3) != 1.5 {\n\t\tt.Error("half")\n\t}', "Half(3) != 2.5"),
        ('if Name() != "Ada" {\n\t\tt.Error("name")\n\t}', f'Name() != "{WORD}"'),
        ("assert.Equal(t, 5, Add(2, 3))", "assert.Equal(t, 4, Add(2, 3))"),
        ('require.Equal(t, Name(), "Ada")', f'require.Equal(t, Name(), "{WORD}")'),
    ],
)
def test_first_comparison_gets_another_literal_that_fits(comparison, other):
    assert other in altered_text(FILE, source(comparison))


NOT_IN_PLACE = {
    "equal": 'if f() == 5 {\n\t\tt.Error("x")\n\t}',
    "of two": 'if f() != 5 && g() {\n\t\tt.Error("x")\n\t}',
    "that only logs": 'if f() != 5 {\n\t\tt.Log("x")\n\t}',
    "in a loop": 'for _, c := range cases {\n\t\tif c != 5 {\n\t\t\tt.Error("x")\n\t\t}\n\t}',
    "in a subtest": 't.Run("a", func(t *testing.T) {\n\t\tif f() != 5 {\n\t\t\tt.Error("x")\n\t\t}\n\t})',
    "behind a return": 'if old {\n\t\treturn\n\t}\n\tif f() != 5 {\n\t\tt.Error("x")\n\t}',
    "of an error": 'if err := f(); err != nil {\n\t\tt.Error("x")\n\t}',
    "of an octal number": 'if f() != 0755 {\n\t\tt.Error("x")\n\t}',
}


@pytest.mark.parametrize("body", NOT_IN_PLACE.values(), ids=NOT_IN_PLACE.keys())
def test_other_comparisons_stay_and_the_test_fails_at_its_begin(body):
    text = altered_text(FILE, source(body))
    assert text == source(f't.Fatal("{WORD}")\n\t{body}')


LEFT_ALONE = {
    "skips": source('t.Skip("later")\n\tif f() != 5 {\n\t\tt.Error("x")\n\t}'),
    "main": source("m()", name="TestMain").replace("*testing.T", "*testing.M"),
    "a helper": source("check()", name="check"),
    "without its parameter": source("check()").replace("t *testing.T", "_ *testing.T"),
    "no Go": source("if {"),
}


@pytest.mark.parametrize("content", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_left_alone(content):
    assert alter(FILE, content) is None


def test_a_file_beside_it_has_a_failing_test_of_the_same_package():
    made = alter(FILE, source("check(t)").replace("package calc", "package calc_test"))
    assert made is not None
    assert made.beside == {
        f"calc/x{WORD}_test.go": (
            f'package calc_test\n\nimport "testing"\n\nfunc TestItX{WORD}(t *testing.T) {{\n\tt.Fatal("{WORD}")\n}}\n'
        ).encode()
    }
    assert made.must_fail == (f"{FILE}::TestIt", f"{FILE}::TestItX{WORD}")


def test_the_file_beside_it_is_built_under_the_same_conditions():
    made = alter(FILE, "// Why.\n\n//go:build integration\n\n" + source("check(t)"))
    assert made is not None
    assert made.beside[f"calc/x{WORD}_test.go"].startswith(b"//go:build integration\n\npackage calc\n")


def test_only_tests_that_a_runner_reported_are_changed():
    content = source("check(t)") + '\nfunc TestB(t *testing.T) {\n\tif f() != 5 {\n\t\tt.Error("x")\n\t}\n}\n'
    assert failing(FILE, content, "TestB") == ["TestB"]
    assert failing(FILE, content, "TestIt") == ["TestIt"]
