import pytest

from checks.proof.canary.altering import WORD, alter, altered_text

RSPEC = 'require "calc"\n\nRSpec.describe Calc do\n  it "adds" do\n    expect(add(2, 3)).to eq(5)\n  end\nend\n'
MINITEST = "class CalcTest < Minitest::Test\n  def test_add\n    assert_equal 5, add(2, 3)\n  end\nend\n"
PHPUNIT = (
    "<?php\nfinal class CalcTest extends TestCase\n{\n    /** @dataProvider x */\n    public function testAdd() {}\n}\n"
)
JUNIT = "import org.junit.jupiter.api.Test;\n\nclass CalcTest {\n    @Test\n    void adds() {}\n}\n"


@pytest.mark.parametrize(
    ("path", "content", "added"),
    [
        ("spec/calc_spec.rb", RSPEC, f'Calc do\n  it "{WORD}" do\n    raise "{WORD}"\n  end\n\n  it "adds" do\n'),
        ("test/calc_test.rb", MINITEST, f'Test\n  def test_{WORD}\n    flunk "{WORD}"\n  end\n\n  def test_add\n'),
        (
            "tests/CalcTest.php",
            PHPUNIT,
            f'{{\n    public function test{WORD}(): void\n    {{\n        self::fail("{WORD}");\n    }}\n\n    /**',
        ),
        (
            "src/test/java/CalcTest.java",
            JUNIT,
            f"CalcTest {{\n    @org.junit.jupiter.api.Test\n    public void test{WORD}() {{\n",
        ),
        ("CalcTest.java", JUNIT.replace("jupiter.api.", ""), "    @org.junit.Test\n    public void test"),
    ],
)
def test_one_more_test_at_the_begin(path, content, added):
    text = altered_text(path, content)
    assert added in text
    assert text.replace(text[text.index(added) :], "") == content[: text.index(added)]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("spec/calc_spec.rb", "module Calc\nend\n"),
        ("test/calc_test.rb", "class CalcTest < Base\n  def test_add\n  end\nend\n"),
        ("tests/CalcTest.php", "<?php\nabstract class CalcTest extends TestCase\n{\n}\n"),
        ("CalcTest.java", "abstract class CalcTest {\n    @org.junit.Test void x() {}\n}\n"),
        ("CalcTest.java", "class CalcTest {\n    void x() {}\n}\n"),
    ],
)
def test_left_alone(path, content):
    assert alter(path, content) is None
