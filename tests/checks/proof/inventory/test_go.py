"""Go itself, and what it printed where it is not installed."""

import pytest

from checks.proof.inventory.javascript_runners import need
from ralph.checks.proof.inventory.go import go_report, go_variables
from ralph.checks.proof.inventory.output import Output

TESTS = """package thing

import ("fmt"; "testing")

func TestPasses(t *testing.T) {}
func TestFails(t *testing.T) { t.Fatal("no") }
func TestSkipped(t *testing.T) { t.Skip("no") }
func TestTable(t *testing.T) { for _, n := range []string{"one", "a b", "x/y"} { t.Run(n, func(t *testing.T) {}) } }
func TestPrints(t *testing.T) { fmt.Print("no line's end") }
func ExampleAdd() {
	fmt.Println(Add(1, 2))
	// Output: 3
}
"""
OUTCOMES = {
    "example.com/thing::TestPasses": "passed",
    "example.com/thing::TestFails": "failed",
    "example.com/thing::TestSkipped": "skipped",
    "example.com/thing::TestTable": "passed",
    "example.com/thing::TestTable/one": "passed",
    "example.com/thing::TestTable/a_b": "passed",
    "example.com/thing::TestTable/x/y": "passed",
    "example.com/thing::TestPrints": "passed",
    "example.com/thing::ExampleAdd": "passed",
    "example.com/thing/sub::TestSub": "passed",
}
FILES = {
    "go.mod": "module example.com/thing\n\ngo 1.19\n",
    "a.go": "package thing\n\nfunc Add(a, b int) int { return a + b }\n",
    "a_test.go": TESTS,
    "sub/s.go": "package sub\n",
    "sub/s_test.go": 'package sub\nimport "testing"\nfunc TestSub(t *testing.T) {}\n',
    "none/n.go": "package none\n",
}
# `go test ./...` of go 1.19.8 with GOFLAGS=-test.v.
RECORDED = b"""=== RUN   TestPasses
--- PASS: TestPasses (0.00s)
=== RUN   TestFails
    a_test.go:6: no
--- FAIL: TestFails (0.00s)
=== RUN   TestSkipped
    a_test.go:7: no
--- SKIP: TestSkipped (0.00s)
=== RUN   TestTable
=== RUN   TestTable/one
=== RUN   TestTable/a_b
=== RUN   TestTable/x/y
--- PASS: TestTable (0.00s)
    --- PASS: TestTable/one (0.00s)
    --- PASS: TestTable/a_b (0.00s)
    --- PASS: TestTable/x/y (0.00s)
=== RUN   TestPrints
no line's end--- PASS: TestPrints (0.00s)
=== RUN   ExampleAdd
--- PASS: ExampleAdd (0.00s)
FAIL
FAIL\texample.com/thing\t0.040s
?   \texample.com/thing/none\t[no test files]
=== RUN   TestSub
--- PASS: TestSub (0.00s)
PASS
ok  \texample.com/thing/sub\t0.003s
FAIL
"""


@pytest.fixture
def go(project, tmp_path_factory):
    need("go")
    # Compiling the standard library anew for every test takes ten seconds.
    cache = tmp_path_factory.getbasetemp().parent / "go-cache"
    project.env |= {"GOCACHE": str(cache), "GOTOOLCHAIN": "local"}
    return project.write(FILES)


def reported(text):
    return list(go_report(Output(text, text)))


def test_what_go_printed_is_read():
    [report] = reported(RECORDED)
    assert (report.runner, report.tests, report.ended) == ("go", OUTCOMES, True)


def test_a_run_that_broke_off_has_not_ended():
    [report] = reported(RECORDED[: RECORDED.index(b"--- PASS: TestPrints")])
    assert not report.ended


def test_a_test_that_died_failed():
    [report] = reported(b"=== RUN   TestA\npanic: no\n\ngoroutine 1 [running]:\nFAIL\texample.com/a\t0.01s\n")
    assert (report.tests, report.ended) == ({"example.com/a::TestA": "failed"}, True)


def test_what_is_told_twice_is_the_worse():
    """A test may print the line of another one."""
    text = (
        b"=== RUN   TestA\n--- PASS: TestB (0.00s)\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (0.00s)\n"
    )
    [report] = reported(text + b"--- PASS: TestB (0.00s)\nok  \ta\t0.1s\n")
    assert report.tests == {"a::TestA": "passed", "a::TestB": "failed"}


def test_other_output_is_not_gos():
    assert reported(b"ok  \tfine\t0.1s\n--- PASS: nothing (\n") == []


def test_the_users_flags_are_kept(tmp_path):
    assert go_variables({"GOFLAGS": "-mod=vendor"}) == {"GOFLAGS": "-mod=vendor -test.v"}
    kept = tmp_path / ".config/go/env"
    kept.parent.mkdir(parents=True)
    kept.write_text("GOPROXY=off\nGOFLAGS=-race\n")
    assert go_variables({"HOME": str(tmp_path)}) == {"GOFLAGS": "-race -test.v"}
    assert go_variables({"HOME": str(tmp_path), "GOENV": "off"}) == {"GOFLAGS": "-test.v"}
    assert go_variables({"GOENV": str(kept)}) == {"GOFLAGS": "-race -test.v"}
    assert go_variables({}) == {"GOFLAGS": "-test.v"}


@pytest.mark.e2e
@pytest.mark.parametrize("command", ["go test ./...", "go test $(go list ./...)", "go test -v -count=1 ./..."])
def test_every_way_to_start_it_reports_the_same(go, command):
    trial = go.try_out(command)
    assert (trial.exit_code, trial.tries) == (1, [frozenset()])
    assert (trial.inventory.tests, trial.inventory.runners) == (OUTCOMES, ("go",)), trial.log
    assert trial.inventory.ended
    assert go.try_out(command).inventory.tests == OUTCOMES


@pytest.mark.e2e
def test_a_command_that_asks_for_json_reports(go):
    """Older versions lose the outcome of a test that ends its output within a line, in a package that failed."""
    tests = go.try_out("go test -json ./...").inventory.tests
    assert tests | {"example.com/thing::TestPrints": "passed"} == OUTCOMES


@pytest.mark.e2e
def test_other_commands_of_go_stay_as_they_are(go):
    command = "go vet ./... && go list ./... && go build ./... && go env GOOS"
    trial = go.try_out(command)
    assert (trial.exit_code, trial.log) == go.plain(command)


@pytest.mark.e2e
def test_a_package_that_is_not_built_is_a_failed_collection(go):
    go.write({"sub/s.go": "package sub\nfunc broken( {}\n"})
    assert go.try_out("go test ./...").inventory.tests["#collect"] == "failed"


@pytest.mark.e2e
def test_a_main_that_runs_no_tests_reports_nothing(go):
    head = 'package sub\nimport ("os"; "testing")\n'
    main = "func TestMain(m *testing.M) { os.Exit(0) }\nfunc TestSub(t *testing.T) {}\n"
    trial = go.write({"sub/s_test.go": head + main}).try_out("go test ./sub")
    assert (trial.exit_code, trial.inventory.runners) == (0, ())


def test_an_old_go_is_run_again_without_the_flag(project):
    """The line is the one that go prints for a flag that none of its commands has."""
    words = "go: parsing $GOFLAGS: unknown flag -test.v"
    project.write({"go.sh": f"case \"$GOFLAGS\" in *-test.v*) echo '{words}'; exit 2;; esac"})
    trial = project.try_out("sh go.sh")
    assert (trial.exit_code, trial.tries) == (0, [frozenset(), {"go"}])
