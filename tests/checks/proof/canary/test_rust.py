import pytest

from checks.proof.canary.altering import WORD, alter, altered_text, failing

FILE = "src/lib.rs"


def source(body, attributes="#[test]"):
    return f"""
    pub fn add(a: u8, b: u8) -> u8 {{
        a + b
    }}

    #[cfg(test)]
    mod tests {{
        use super::*;

        // Adds.
        {attributes}
        fn adds() {{
            {body}
        }}
    }}
    """


@pytest.mark.parametrize(
    ("assertion", "other"),
    [
        ("assert_eq!(add(2, 3), 5);", "assert_eq!(add(2, 3), 4);"),
        ("assert_eq!(5, add(2, 3));", "assert_eq!(4, add(2, 3));"),
        ("assert_eq!(zero(), 0);", "assert_eq!(zero(), 1);"),
        ('assert_eq!(add(2, 3), 5u8, "sum of {}", 2);', 'assert_eq!(add(2, 3), 4u8, "sum of {}", 2);'),
        ("assert_eq!(many(), 1_000_i64);", "assert_eq!(many(), 999i64);"),
        ("assert_eq!(half(3), 1.5);", "assert_eq!(half(3), 2.5);"),
        ('assert_eq!(name(), "Ada");', f'assert_eq!(name(), "{WORD}");'),
        ("assert_eq!(is_odd(3), true);", "assert_eq!(is_odd(3), false);"),
    ],
)
def test_first_assertion_gets_another_literal_that_fits(assertion, other):
    assert other in altered_text(FILE, source(assertion))


@pytest.mark.parametrize(
    "body",
    [
        "assert_ne!(add(2, 3), 6);",
        "for x in xs { assert_eq!(x, 5); }",
        "if old { return; } assert_eq!(f(), 5);",
        "assert_eq!(f(), vec![5]);",
        "assert_eq!(0xff, f());",
        "assert!(f());",
    ],
)
def test_other_assertions_stay_and_the_test_fails_at_its_begin(body):
    text = altered_text(FILE, source(body))
    assert f'fn adds() {{ assert!("{WORD}".is_empty());\n' in text
    assert body in text


@pytest.mark.parametrize(
    "attributes", ["#[test]\n    #[ignore]", "#[should_panic]\n    #[test]", "#[rstest]", "", '#[doc = "test"]']
)
def test_left_alone(attributes):
    assert alter(FILE, source("assert_eq!(add(2, 3), 5);", attributes)) is None


def test_a_failing_test_stands_beside_it_in_its_module():
    made = alter(FILE, source("assert_eq!(add(2, 3), 5);"), "tests::adds")
    assert made is not None
    assert made.must_fail == (f"{FILE}::tests::adds", f"{FILE}::tests::adds_x{WORD}")
    assert made.content.decode().endswith(
        f'\n    #[test]\n    fn adds_x{WORD}() {{\n        panic!("{WORD}");\n    }}\n}}\n'
    )


def test_a_file_of_tests_only():
    content = "use calc::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5);\n}"
    assert failing("tests/sums.rs", content) == ["adds"]
    assert altered_text("tests/sums.rs", content).endswith(f'fn adds_x{WORD}() {{\n    panic!("{WORD}");\n}}\n')


def test_no_rust():
    assert alter(FILE, source("assert_eq!(add(2, 3), 5")) is None
