"""The boxes of "Context Management": what a chunk is told, and what a task leaves for those that depend on it."""

import json

import pytest

from chunk_crew import SHIP, ChunkCrew
from task_crew import TaskCrew, promise

FIRST = """\
Noise of the terminal: 400 lines of npm output that nobody wants to read again.

## Summary
There is a login handler now. It answers with a token.

## Files created/modified
- whatever the agent claims

## How to verify it works
- Run `npm test`
"""
BASE = {
    "package.json": '{"packageManager": "pnpm@9", "scripts": {"test": "vitest"}, "dependencies": {"next": "14"}}',
    "src/user.ts": "export interface User { name: string }\n",
    "src/ui/Button.tsx": "export const Button = () => <button/>;\n",
    "node_modules/x/index.ts": "export interface Vendored {}\n",
}


def does(final, **files):
    return {"write": {"work.txt": "good\n", **files}, "final": final}


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    """A spec of three: one is done as a chunk, one is skipped, and the third depends on both."""
    crew = ChunkCrew(tmp_path_factory.mktemp("spec"))
    for path, text in BASE.items():
        crew.repo.write(path, text)
    crew.repo.commit_all("shop")
    crew.hire(
        [
            does(
                FIRST, **{"src/login.ts": "export const login = () => 1;\n", "src/login.test.ts": "it('logs in', f);\n"}
            ),
            does("I wrote the logout handler.", **{"src/logout.ts": "export const logout = () => 1;\n"}),
        ],
        quick=[SHIP],
        rules=["Use pnpm, never npm or yarn", "TypeScript strict mode"],
    )
    crew.task("T-1")
    crew.task("T-2")
    crew.task("T-3", dependencies=("T-2", "T-1"), relevant_files=["src/login.ts", "src/logout.ts"])
    done = crew.ralph("spec", "run", "s", "--skip", "T-2")
    assert done.code == 0, done.err
    return crew


@pytest.fixture
def prompt(crew):
    """What the agent of the last chunk was told."""
    return crew.prompts()[1]


def section(prompt, heading):
    return prompt.split(f"\n## {heading}\n", 1)[1].split("\n\n## ", 1)[0]


def test_chunks_receive_relevant_files_list(prompt):
    assert section(prompt, "Files to Check") == (
        "Before starting, review these files:\n- src/login.ts\n- src/logout.ts (does not exist yet)"
    )


def test_chunks_receive_global_rules(crew, prompt):
    assert section(prompt, "Global Rules") == "- Use pnpm, never npm or yarn\n- TypeScript strict mode"
    assert "## Global Rules\n- Use pnpm" in crew.prompts()[0]


def test_dependency_summaries_not_raw_output_passed_to_dependents(prompt):
    assert section(prompt, "Context from Previous Work") == (
        "### Make T-2\nThis task was skipped: nothing of it was done.\n\n"
        "### Make T-1\nThere is a login handler now. It answers with a token.\n\n"
        "Files created: src/login.test.ts, src/login.ts, work.txt\nExports available: login"
    )
    assert "400 lines of npm output" not in prompt
    assert "whatever the agent claims" not in prompt


def test_codebase_analysis_included_for_ongoing_projects(crew, prompt):
    told = section(prompt, "Codebase Context").splitlines()
    assert "Framework: Next.js" in told
    assert "Package Manager: pnpm" in told
    assert "Test Command: pnpm run test" in told
    assert "Key Types: User (src/user.ts)" in told
    # The work of the first chunk is a part of what the next one starts from.
    assert "Existing Components: src (login), Button (src/ui/Button.tsx)" in told
    kept = json.loads(crew.repo.read(".ralph/specs/s/codebase-analysis.json"))
    assert {"src/user.ts", "src/login.ts"} <= {file["path"] for file in kept["files"]}


def test_the_parts_of_a_prompt_stand_in_the_seeds_order(prompt):
    headings = [line for line in prompt.splitlines() if line.startswith(("# ", "## "))]
    assert headings == [
        "# Task: Make T-3",
        "## Context from Previous Work",
        "## Files to Check",
        "## Global Rules",
        "## Codebase Context",
        "## Your Task",
        "## Expected Output",
    ]


def test_a_summary_has_all_six_fields_and_is_the_body_of_the_commit(crew):
    left = crew.json("task", "show", "T-1")["summary"]
    assert left == {
        "summary": "There is a login handler now. It answers with a token.",
        "filesCreated": ["src/login.test.ts", "src/login.ts", "work.txt"],
        "filesModified": [],
        "exportsAdded": ["login"],
        "testsAdded": ["src/login.test.ts::logs in"],
        "verificationSteps": ["Run `npm test`"],
    }
    first = crew.git("log", "--reverse", "--format=%B", "main..ralph/s").split("\n\n")
    assert first[:2] == ["Make T-1", "There is a login handler now. It answers with a token."]


def test_the_analysis_is_no_part_of_any_commit(crew):
    assert "codebase-analysis.json" not in crew.git("ls-tree", "-r", "--name-only", "ralph/s")
    assert "codebase-analysis.json" not in crew.git("ls-files", "--others", "--exclude-standard", ".ralph/specs")


def test_a_pipeline_leaves_a_summary_too(tmp_path):
    crew = TaskCrew(tmp_path)
    made = {"work.txt": "good\n", "login.py": "def login(): ...\n"}
    crew.hire(coder=[promise("MADE", made, "The login handler is there.")], tester=[promise("TESTED", None, "")])
    crew.task()
    done = crew.run()
    assert done.code == 0, done.err
    left = crew.json("task", "show", "T-1")["summary"]
    assert (left["summary"], left["exportsAdded"]) == ("The login handler is there.", ["login"])
    assert "The login handler is there." in crew.git("log", "-1", "--format=%b", "ralph/s")
    assert [len(crew.prompts(role)) for role in ("coder", "tester")] == [1, 1]
