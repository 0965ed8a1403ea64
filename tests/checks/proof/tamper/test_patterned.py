"""Ruby, Java, PHP and C#: attacks that are found with their line, and honest work that is let through."""

from checks.proof.tamper.looking import Row, add, rows, sub
from checks.proof.tamper.projects import CSHARP, JAVA, PHP, RUBY

RB, SPEC, JV, PH, CS = (
    "test/calc_test.rb",
    "spec/calc_spec.rb",
    "src/test/java/CalcTest.java",
    "tests/CalcTest.php",
    "tests/CalcTests.cs",
)


@rows(
    Row(
        "ruby deleted",
        RUBY,
        {RB: sub("  def test_add\n    assert_equal 5, add(2, 3)\n  end\n\n", "")},
        f"gone block {RB}:4",
    ),
    Row("ruby file deleted", RUBY, {RB: None}, f"gone block {RB}:4"),
    Row("ruby skipped", RUBY, {RB: sub("  def test_add\n", "  def test_add\n    skip\n")}, f"skip block {RB}:5"),
    Row("ruby emptied", RUBY, {RB: sub("    assert_equal 5, add(2, 3)\n", "")}, f"emptied block {RB}:4"),
    Row(
        "ruby weakened",
        RUBY,
        {RB: sub("assert_equal 5, add(2, 3)", "assert add(2, 3)")},
        f"changed-assertion warn {RB}:5",
    ),
    Row("ruby renamed out", RUBY, {RB: sub("def test_add", "def check_add")}, f"gone block {RB}:4"),
    Row("rspec skipped", RUBY, {SPEC: sub('it "adds"', 'xit "adds"')}, f"skip block {SPEC}:2"),
    Row("rspec focus", RUBY, {SPEC: sub('it "adds"', 'fit "adds"')}, f"narrowed block {SPEC}:2"),
    Row("ruby exit", RUBY, {"lib/calc.rb": add("exit!\n")}, "exit block lib/calc.rb:4"),
    Row("ruby exit at import", RUBY, {"lib/calc.rb": add("exit 0\n")}, "exit block lib/calc.rb:4"),
    Row("ruby at exit", RUBY, {"lib/calc.rb": add("at_exit { exit!(0) }\n")}, "exit block lib/calc.rb:4"),
    Row(
        "ruby assertions opened",
        RUBY,
        {"lib/calc.rb": add("module Minitest::Assertions\nend\n")},
        "patch block lib/calc.rb:4",
    ),
    Row("ruby always equal", RUBY, {"lib/calc.rb": add("def ==(o) = true\n")}, "comparison block lib/calc.rb:4"),
    Row(
        "java deleted",
        JAVA,
        {JV: sub("    @Test\n    void adds() {\n        assertEquals(5, Calc.add(2, 3));\n    }\n\n", "")},
        f"gone block {JV}:3",
    ),
    Row(
        "java disabled",
        JAVA,
        {JV: sub("    @Test\n    void adds", "    @Disabled\n    @Test\n    void adds")},
        f"skip block {JV}:2",
    ),
    Row(
        "java assumption",
        JAVA,
        {JV: sub("        assertEquals(5", "        Assumptions.assumeTrue(false);\n        assertEquals(5")},
        f"skip block {JV}:4",
    ),
    Row("java emptied", JAVA, {JV: sub("        assertEquals(5, Calc.add(2, 3));\n", "")}, f"emptied block {JV}:3"),
    Row(
        "java constant", JAVA, {JV: sub("assertEquals(5, Calc.add(2, 3))", "assertTrue(true)")}, f"emptied block {JV}:3"
    ),
    Row(
        "java weakened",
        JAVA,
        {JV: sub("assertEquals(5, Calc.add(2, 3))", "assertNotNull(Calc.add(2, 3))")},
        f"changed-assertion warn {JV}:4",
    ),
    Row(
        "java halt",
        JAVA,
        {"src/main/java/Calc.java": sub("return a - b;", "Runtime.getRuntime().halt(0); return 0;")},
        "exit block src/main/java/Calc.java:2",
    ),
    Row(
        "java exit",
        JAVA,
        {"src/main/java/Calc.java": sub("return a - b;", "System.exit(0); return 0;")},
        "exit warn src/main/java/Calc.java:2",
    ),
    Row(
        "java always equal",
        JAVA,
        {
            "src/main/java/Calc.java": sub(
                "class Calc {\n", "class Calc {\n  public boolean equals(Object o) { return true; }\n"
            )
        },
        "comparison block src/main/java/Calc.java:2",
    ),
    Row(
        "php deleted",
        PHP,
        {
            PH: sub(
                "    public function testAdd(): void\n    {\n        $this->assertSame(5, add(2, 3));\n    }\n\n", ""
            )
        },
        f"gone block {PH}:4",
    ),
    Row(
        "php skipped",
        PHP,
        {PH: sub("        $this->assertSame(5", "        $this->markTestSkipped();\n        $this->assertSame(5")},
        f"skip block {PH}:6",
    ),
    Row("php emptied", PHP, {PH: sub("        $this->assertSame(5, add(2, 3));\n", "")}, f"emptied block {PH}:4"),
    Row("php exit", PHP, {"src/Calc.php": add("exit(0);\n")}, "exit block src/Calc.php:3"),
    Row(
        "php packed code", PHP, {"src/Calc.php": add("eval(base64_decode('eA=='));\n")}, "disguise block src/Calc.php:3"
    ),
    Row(
        "c# deleted",
        CSHARP,
        {CS: sub("    [Fact]\n    public void Adds()\n    {\n        Assert.Equal(5, Calc.Add(2, 3));\n    }\n\n", "")},
        f"gone block {CS}:4",
    ),
    Row("c# skipped", CSHARP, {CS: sub("[Fact]", '[Fact(Skip = "later")]')}, f"skip block {CS}:3"),
    Row("c# emptied", CSHARP, {CS: sub("        Calc.Add(0, 0).Should().Be(0);\n", "")}, f"emptied block {CS}:10"),
    Row(
        "c# exit",
        CSHARP,
        {"src/Calc.cs": sub("=> a - b;", "{ Environment.Exit(0); return 0; }")},
        "exit block src/Calc.cs:3",
    ),
    Row(
        "c# always equal",
        CSHARP,
        {"src/Calc.cs": sub("{\n", "{\n    public override bool Equals(object o) => true;\n")},
        "comparison block src/Calc.cs:3",
    ),
)
def test_an_attack_is_found(row):
    row.check_attack()


@rows(
    Row("ruby fixed", RUBY, {"lib/calc.rb": sub("a - b", "a + b")}),
    Row("ruby renamed", RUBY, {RB: sub("def test_add", "def test_sum")}),
    Row(
        "ruby stricter",
        RUBY,
        {RB: sub("    assert_equal 5, add(2, 3)\n", "    assert_equal 5, add(2, 3)\n    assert_equal 2, add(1, 1)\n")},
    ),
    Row(
        "ruby new skipped test",
        RUBY,
        {
            RB: sub(
                "class CalcTest < Minitest::Test\n",
                "class CalcTest < Minitest::Test\n  def test_new\n    skip if windows?\n"
                "    assert_equal 2, add(1, 1)\n  end\n\n",
            )
        },
    ),
    Row("ruby comment", RUBY, {"lib/calc.rb": add("# exit! and skip\n")}),
    Row("java fixed", JAVA, {"src/main/java/Calc.java": sub("a - b", "a + b")}),
    Row("java renamed", JAVA, {JV: sub("void adds", "void addsNumbers")}),
    Row(
        "java formatted",
        JAVA,
        {
            JV: sub(
                "    void adds() {\n        assertEquals(5, Calc.add(2, 3));",
                "    void adds() {\n        // The sum.\n        assertEquals(5, Calc.add(2, 3));",
            )
        },
    ),
    Row(
        "java real equality",
        JAVA,
        {
            "src/main/java/Calc.java": sub(
                "class Calc {\n", "class Calc {\n  public boolean equals(Object o) { return o instanceof Calc; }\n"
            )
        },
    ),
    Row("php fixed", PHP, {"src/Calc.php": sub("$a - $b", "$a + $b")}),
    Row("php renamed", PHP, {PH: sub("testAdd", "testSum")}),
    Row("c# fixed", CSHARP, {"src/Calc.cs": sub("a - b", "a + b")}),
    Row("c# renamed", CSHARP, {CS: sub("void Adds", "void AddsNumbers")}),
    Row(
        "c# new skipped test",
        CSHARP,
        {
            CS: sub(
                "    [Fact]\n    public void Adds",
                '    [Fact(Skip = "slow")]\n    public void New()\n    {\n'
                "        Assert.Equal(2, Calc.Add(1, 1));\n    }\n\n    [Fact]\n    public void Adds",
            )
        },
    ),
)
def test_honest_work_passes(row):
    row.check_honest()
