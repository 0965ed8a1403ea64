"""The record of a proof: written when a task or a run is verified, shown, exported, and verified in another clone."""

import json
import platform
import subprocess

import pytest

from proven import CHECK, FILES, NOTES, PROOF, RIGHT, Proven
from ralph.testing import done, edits, run_ralph

pytestmark = pytest.mark.e2e
LISTED = ("--run-listed",)


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    """A task that is proven, published with its note."""
    proven = Proven(tmp_path_factory.mktemp("proven"))
    ended = proven.run()
    assert ended.code == 0, ended.err
    assert f"and as a note on {proven.commit[:8]}" in ended.err
    proven.publish(NOTES)
    return proven


def predicate(proven):
    [found] = [each["predicate"] for each in proven.statements if each["predicateType"] == PROOF]
    return found


def test_the_record_is_a_file_and_a_note_on_the_delivered_commit(proven):
    note = proven.here.git("notes", f"--ref={NOTES}", "show", proven.commit)
    assert note == proven.file.read_text()
    tree = proven.here.git("rev-parse", "ralph/s^{tree}").strip()
    assert all(
        each["subject"][0]["digest"] == {"gitCommit": proven.commit, "gitTree": tree} for each in proven.statements
    )
    assert proven.here.git("status", "--porcelain", "--", ".", ":!.ralph") == ""
    assert not list((proven.here.path / ".ralph").rglob("*lock"))


def test_it_leads_from_the_criterion_to_the_evidence_and_the_command(proven):
    told = predicate(proven)
    assert told["criteria"] == [{"criterion": "it is good", "checks": [CHECK]}]
    [check] = told["checks"]
    assert (check["check"]["command"], check["exitCode"]) == (CHECK, 0)
    assert check["tests"] == {"test_calc.py::test_add": "passed"}
    assert len(check["outputDigest"]) == 64
    assert [each["trial"] for each in check["trials"]] == ["commit", "base", "canary"]
    assert "pytest" in told["environment"]["programs"]


def test_it_tells_where_it_ran(tmp_path):
    proven = Proven(tmp_path)
    ended = proven.run("pytest -q && test -e tools/made", worktree={"init": "mkdir tools && echo 1 > tools/made"})
    assert ended.code == 0, ended.err
    told = predicate(proven)["environment"]
    assert told["programs"]["pytest"].startswith("pytest ")
    assert told["platform"].startswith(f"{platform.system()} {platform.machine()}")
    assert len(told["setup"]) == 64
    assert told["image"] == "none"
    other = Proven(tmp_path / "other")
    other.run("pytest -q && test -e tools/made", worktree={"init": "mkdir tools && echo 2 > tools/made"})
    assert predicate(other)["environment"]["setup"] != told["setup"]


def test_it_is_shown(proven):
    shown = run_ralph(proven.here, "proof", "show", "T-1").stdout
    assert shown.startswith(f"commit {proven.commit[:12]} (task T-1): proven done\n")
    assert "criterion 1: it is good\n    shown by pytest -q" in shown
    assert "with tests that must fail: fails, 3 tests, 3 failed" in shown
    run = predicate(proven)["run"]
    for name in (proven.commit, run):
        told = json.loads(run_ralph(proven.here, "proof", "show", name, "--json").stdout)
        assert told["proof"] == predicate(proven)


def test_it_is_exported_as_it_is(proven, tmp_path):
    assert run_ralph(proven.here, "proof", "export", "T-1").stdout == proven.file.read_text()
    assert run_ralph(proven.here, "proof", "export", "T-1", "-o", str(tmp_path / "out")).returncode == 0
    assert (tmp_path / "out").read_bytes() == proven.file.read_bytes()


def test_in_another_clone_it_is_fetched_and_verified(proven):
    proven.settings_there()
    refused = proven.ralph("proof", "verify")
    assert refused.returncode == 2
    assert f"  {CHECK}\n" in refused.stderr
    assert "nothing was run. If you trust them: --run-listed" in refused.stderr
    for name in ("T-1", proven.commit):
        ended = proven.ralph("proof", "verify", name, *LISTED)
        assert ended.returncode == 0, ended.stderr
        assert f"✓ the record of {proven.commit[:12]} is true" in ended.stderr


def test_what_the_verifiers_settings_have_needs_no_consent(proven):
    proven.settings_there(guardrails=[{"command": CHECK}])
    ended = proven.ralph("proof", "verify", "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["differences"] == []


def test_a_check_that_the_verifier_wants_must_be_in_the_record(proven):
    proven.settings_there(guardrails=[{"command": CHECK}, {"command": "make audit"}])
    ended = proven.ralph("proof", "verify")
    assert ended.returncode == 6
    assert 'the settings here want the check "make audit", and the record does not have it' in ended.stderr
    proven.settings_there(guardrails=[{"command": CHECK}, {"command": "make audit"}], proof={"require": [CHECK]})
    assert proven.ralph("proof", "verify").returncode == 0


def test_a_check_that_is_judged_in_another_way_does_not_fit(proven):
    proven.settings_there(guardrails=[{"command": CHECK, "baseline": "relative"}])
    ended = proven.ralph("proof", "verify")
    assert ended.returncode == 6
    assert "is not judged as the settings here want it" in ended.stderr


def test_a_record_of_another_commit_does_not_fit(proven):
    proven.settings_there()
    ended = proven.ralph("proof", "verify", "HEAD~1", "--file", str(proven.file), *LISTED)
    assert ended.returncode == 6
    assert f"the record is about {proven.commit[:12]}, not about" in ended.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("commit", "e" * 40),
        ("tree", "e" * 40),
        ('"passed":true', '"passed":false'),
        ('"exitCode":0', '"exitCode":3'),
        ('"test_calc.py::test_add":"passed"', '"test_calc.py::test_add":"failed"'),
        (f'"command":"{CHECK}"', '"command":"true"'),
        ("it is good", "it is fine"),
        ('"result":"PASSED"', '"result":"FAILED"'),
    ],
)
def test_a_record_with_another_byte_that_matters_does_not_fit(proven, old, new):
    proven.settings_there()
    words = {"commit": proven.commit, "tree": proven.statements[0]["subject"][0]["digest"]["gitTree"]}
    edited = proven.edited(words.get(old, old), new, count=1)
    ended = proven.ralph("proof", "verify", proven.commit, "--file", str(edited), *LISTED)
    assert ended.returncode == 6
    assert "trial" not in ended.stderr


def forged(proven, **changes):
    """A record that fits together, with other facts in its check."""
    from msgspec.structs import replace

    from ralph.checks.proof.record import lines_of, read_record

    record = read_record(proven.file.read_bytes().splitlines())
    [check] = record.predicate.checks
    other = replace(record, predicate=replace(record.predicate, checks=(replace(check, **changes),)))
    file = proven.root / "forged.jsonl"
    file.write_bytes(b"".join(line + b"\n" for line in lines_of(other)))
    return str(file)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"exit_code": 4}, "exit code 4 was recorded, and it is 0 now"),
        ({"tests": {}}, "test_calc.py::test_add was not there and is passed"),
        ({"tests": {"test_calc.py::test_add": "passed", "more": "passed"}}, "more was passed and is not there"),
    ],
)
def test_a_forged_outcome_is_not_seen_again(proven, changes, why):
    proven.settings_there()
    ended = proven.ralph("proof", "verify", proven.commit, "--file", forged(proven, **changes), *LISTED)
    assert ended.returncode == 6, ended.stderr
    assert why in ended.stderr


def test_a_forged_command_is_not_what_the_verifier_wants(proven):
    from ralph.model.verification import External

    proven.settings_there(guardrails=[{"command": CHECK}])
    file = forged(proven, check=External("true"), tests={})
    ended = proven.ralph("proof", "verify", proven.commit, "--file", file, *LISTED)
    assert ended.returncode == 6
    assert f'the settings here want the check "{CHECK}"' in ended.stderr


def test_a_check_that_fails_now_ends_with_9(proven, tmp_path):
    proven.settings_there()
    (tmp_path / "pytest").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "pytest").chmod(0o755)
    env = {"PATH": f"{tmp_path}:{proven.other.env['PATH']}"}
    ended = proven.ralph("proof", "verify", *LISTED, env=env)
    assert ended.returncode == 9, ended.stderr
    assert "could not be confirmed" in ended.stderr


def test_a_cheat_with_a_forged_record_is_found(proven):
    """Its commit passes its own tests, and its record says that it is proven."""
    from msgspec.structs import replace

    from ralph.checks.proof.record import lines_of, read_record

    proven.settings_there(guardrails=[{"command": CHECK}])
    there = proven.other
    there.git("checkout", "--quiet", "-B", "cheat", "HEAD~1")
    there.write("test_calc.py", FILES["test_calc.py"].replace("== 3", "== -1"))
    there.git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "--all", "--message", "cheat")
    commit, tree, base = there.git("rev-parse", "HEAD", "HEAD^{tree}", "HEAD~1").split()
    record = read_record(proven.file.read_bytes().splitlines())
    [check] = record.predicate.checks
    subject = replace(record.subject, commit=commit, tree=tree)
    told = replace(record.predicate, base=base, checks=(replace(check, trials=()),))
    file = proven.root / "cheat.jsonl"
    file.write_bytes(b"".join(line + b"\n" for line in lines_of(replace(record, subject=subject, predicate=told))))
    try:
        ended = proven.ralph("proof", "verify", "HEAD", "--file", str(file))
    finally:
        there.git("checkout", "--quiet", "ralph/s")
    assert ended.returncode == 6, ended.stderr
    assert "still fails with the base's own tests" in ended.stderr


def test_a_missing_note_says_what_to_do(tmp_path):
    proven = Proven(tmp_path)
    proven.publish_only_main()
    ended = proven.ralph("proof", "verify")
    assert ended.returncode == 2
    assert f"git push origin {NOTES}" in ended.stderr


def key(folder, name):
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
    subprocess.run(made, check=True)
    return f"{name}@example.invalid {(folder / f'{name}.pub').read_text()}"


def test_a_signed_record_is_accepted_from_its_signer_alone(tmp_path):
    proven = Proven(tmp_path / "p")
    mine, others = key(tmp_path, "mine"), key(tmp_path, "others")
    ended = proven.run(proof={"signingKey": str(tmp_path / "mine")})
    assert ended.code == 0, ended.err
    assert all(each["payloadType"] == "application/vnd.in-toto+json" for each in proven.statements)
    proven.publish(NOTES)
    allowed = tmp_path / "allowed"
    wanted = {"guardrails": [{"command": CHECK}], "proof": {"allowedSigners": str(allowed)}}
    proven.settings_there(**wanted)
    assert proven.ralph("proof", "verify").returncode == 2
    allowed.write_text(others)
    refused = proven.ralph("proof", "verify")
    assert refused.returncode == 6
    assert "is signed by nobody in" in refused.stderr
    allowed.write_text(mine)
    verified = proven.ralph("proof", "verify")
    assert verified.returncode == 0, verified.stderr
    assert "is true, signed by mine@example.invalid" in verified.stderr
    assert "signed" in proven.ralph("proof", "show").stdout


def test_an_unsigned_record_is_refused_where_signers_are_named(proven, tmp_path):
    (tmp_path / "allowed").write_text(key(tmp_path, "mine"))
    proven.settings_there(proof={"allowedSigners": str(tmp_path / "allowed")})
    ended = proven.ralph("proof", "verify", *LISTED)
    assert ended.returncode == 6
    assert "is not signed" in ended.stderr


def test_a_key_that_cannot_sign_is_told_and_the_work_is_proven_all_the_same(tmp_path):
    proven = Proven(tmp_path)
    ended = proven.run(proof={"signingKey": "no-such-key"})
    assert ended.code == 0
    assert "the record of the proof is not complete: " in ended.err


def test_a_run_that_commits_has_a_record_on_its_commit(git_loop):
    for name, text in FILES.items():
        git_loop.repo.write(name, text)
    git_loop.repo.commit_all("calc")
    start = git_loop.repo.git("rev-parse", "HEAD").strip()
    ended = git_loop(
        edits(RIGHT) | done(),
        {"final": "Fix add"},
        guardrails=[{"command": CHECK}],
        scm={"tasks": ["commit"]},
        maximumIterations=1,
    )
    assert ended.code == 0, ended.err
    head = git_loop.repo.git("rev-parse", "HEAD").strip()
    assert head != start
    told = json.loads(git_loop.ralph("proof", "show", "--json").out)
    assert (told["subject"]["commit"], told["proof"]["base"]) == (head, start)
    run = told["proof"]["run"]
    assert git_loop.exists(f".ralph/runs/{run}/proof.intoto.jsonl")
    assert git_loop.ralph("proof", "verify").code == 0


def test_a_run_without_a_commit_has_a_record_of_its_tree(git_loop):
    for name, text in FILES.items():
        git_loop.repo.write(name, text)
    git_loop.repo.commit_all("calc")
    ended = git_loop(edits(RIGHT) | done(), guardrails=[{"command": CHECK}], maximumIterations=1)
    assert ended.code == 0, ended.err
    run = git_loop.show()["id"]
    told = json.loads(git_loop.ralph("proof", "show", run, "--json").out)
    assert "commit" not in told["subject"]
    assert git_loop.ralph("proof", "show").code == 2
    git_loop.repo.commit_all("take it over")
    file = f".ralph/runs/{run}/proof.intoto.jsonl"
    assert git_loop.ralph("proof", "verify", "--file", file).code == 0
