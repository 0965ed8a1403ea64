import os

import pytest

from ralph.checks.proof.inventory.junit_xml import NoReport, cases_of

# As ant's junit task and Maven's surefire write it.
ANT = """<?xml version="1.0" encoding="UTF-8" ?>
<testsuite errors="0" failures="1" name="x.ATest" skipped="1" tests="3" time="0.849">
  <properties><property name="java.io.tmpdir" value="/tmp"/></properties>
  <testcase classname="x.ATest" name="passes" time="0.06" />
  <testcase classname="x.ATest" name="fails" time="0.149">
    <failure message="expected:&lt;1&gt; but was:&lt;2&gt;" type="AssertionFailedError">at x.ATest.fails</failure>
  </testcase>
  <testcase classname="x.ATest" name="skipped" time="0.017"><skipped /></testcase>
  <system-out><![CDATA[]]></system-out>
</testsuite>
"""
OUTCOMES = {"x.ATest::passes": "passed", "x.ATest::fails": "failed", "x.ATest::skipped": "skipped"}
WRITE = """
import pathlib, sys
path = pathlib.Path(sys.argv[1])
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text({!r})
"""


def builds(project, *paths, text=ANT):
    """A build that writes reports."""
    project.write({"build.py": WRITE.format(text)})
    return project.try_out(" && ".join(f"python build.py {path}" for path in paths))


@pytest.mark.parametrize(
    "path", ["target/surefire-reports/TEST-x.xml", "app/build/test-results/test/x.xml", "junit.xml"]
)
def test_the_reports_of_a_build_are_read(project, path):
    inventory = builds(project, path).inventory
    assert (inventory.tests, inventory.runners, inventory.ended) == (OUTCOMES, ("junit",), True)


def test_reports_from_before_the_trial_do_not_count(project):
    project.write({"target/surefire-reports/TEST-x.xml": ANT})
    assert project.try_out("true").inventory.runners == ()


def test_a_report_that_was_copied_with_its_old_time_does_not_count(project):
    project.write({"old.xml": ANT})
    os.utime(project.path / "old.xml", (1, 1))
    assert project.try_out("cp -p old.xml junit.xml").inventory.runners == ()


def test_of_two_reports_of_one_test_the_worse_counts(project):
    better = ANT.replace("<failure", "<note").replace("</failure", "</note")
    project.write({"better.py": WRITE.format(better), "worse.py": WRITE.format(ANT)})
    inventory = project.try_out("python worse.py a.xml && python better.py b.xml").inventory
    assert inventory.tests == OUTCOMES


def test_reports_of_runners_that_reported_themselves_are_left_out(project):
    project.write({"test_a.py": "def test_a(): pass"})
    inventory = project.try_out("pytest -q --junitxml=report.xml").inventory
    assert (inventory.tests, inventory.runners) == ({"test_a.py::test_a": "passed"}, ("pytest",))


def test_a_runner_besides_keeps_its_reports(project):
    project.write({"test_a.py": "def test_a(): pass", "build.py": WRITE.format(ANT)})
    inventory = project.try_out("pytest -q && python build.py junit.xml").inventory
    assert inventory.tests == OUTCOMES | {"test_a.py::test_a": "passed"}
    assert inventory.runners == ("junit", "pytest")


@pytest.mark.parametrize("text", ["<project/>", "<testsuite>", "", "no", ANT[:300], "\x00"])
def test_what_is_no_whole_report_is_left_out(project, text):
    assert builds(project, "a.xml", text=text).inventory.runners == ()


def test_ids_do_not_hold_the_path_of_the_checkout(project):
    text = ANT.replace("x.ATest", f"{project.path}/tests/a.php")
    assert set(builds(project, "a.xml", text=text).inventory.tests) == {
        "tests/a.php::passes",
        "tests/a.php::fails",
        "tests/a.php::skipped",
    }


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        '<!DOCTYPE testsuite SYSTEM "file:///etc/passwd"><testsuite/>',
        "<testsuite>" * 100 + "</testsuite>" * 100,
        '<testsuite><testcase name="&b;"/></testsuite>',
    ],
)
def test_entities_and_depths_are_refused(text):
    with pytest.raises(NoReport):
        cases_of(text.encode())
