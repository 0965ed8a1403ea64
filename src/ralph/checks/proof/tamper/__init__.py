"""Tamper evidence: what in the difference between two trees counts against a claim, with the exact line.

Only what the base does not have counts. Files that the task may change are the task's own. The rules:

| rule | level | what it means |
|---|---|---|
| gone | block | a test is deleted, or is now where no runner looks for it |
| skip | block | a test of the base is skipped, expected to fail, or only runs under a condition |
| emptied | block | a test, or a helper that tests call, no longer checks anything |
| hook | block | something new can change what the runner runs and reports |
| exit | block, warn | the process ends before its runner can report; warn where programs do that honestly |
| no-op | block, warn | a judge does nothing, lists instead of runs, or hides a failure |
| narrowed | block, warn | tests are left out (block), or settings ask for less (warn) |
| shadow | block | a file replaces a module, a makefile or a part of the runner |
| path-shim | block, warn | a program has the name of a tool (block), or the search path is changed (warn) |
| runner | block, warn | the product knows that it is tested |
| patch | block, warn | the runner, an assertion or a builtin is replaced |
| disguise | block | a name or code is written so that it cannot be found by reading |
| comparison | block, warn | equality is a constant (block), or does not look at what it compares (warn) |
| changed-assertion | warn | an assertion, the code around it, or what it compares with was changed |
| stack | warn | the product looks at who calls it |
| link | block, warn | a link took the place of a file; block where it leads a judge out of the tree |
| unreadable | block, warn | a file can no longer be parsed, is too large, or crashes the parser (block) |
| renamed | note | a test has another name or file and the same body, or still checks all that it did |
| new-skip | note | a test that the change adds is skipped |

`hook`, `skip` and `gone` are weighed by their effect where the tests that ran are known, and a blocking `runner` by a
trial in which the product cannot find out that it is tested.

How it works: `between_trees` reads the changed files and looks at names and modes (`file_rules`). A process of its own
(`apart`) reads the texts (`judging`): each language has a file with its rules, those with a grammar on `reader` and
`ralph.syntax`, others on `patterned`; commands and settings are in `commands`, `shell`, `makefile`, `workflow` and
`settings`. What a reader finds is a `sheet` of tests and hits; `pairing` finds each test of the base in the change,
`weighing` says what happened to it, `new_hits` which hits the base does not have.
"""

from ralph.checks.proof.tamper.between_trees import tampering
from ralph.checks.proof.tamper.explaining import explain, renamed_tests

__all__ = ["explain", "renamed_tests", "tampering"]
