"""The page on settings, written from the schema: `python -m ralph.config.docs [--check] docs/settings.md`."""

import argparse
import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

from msgspec import NODEFAULT, json, to_builtins
from msgspec import inspect as kinds

from ralph.config.durations import Duration, PositiveDuration, Timeout
from ralph.config.keys import alternatives, root, section
from ralph.config.specs import Role, default_roles
from ralph.config.variables import RESERVED

INTRO = """\
# Settings

<!-- Written by `make docs` from the schema. Edit the docstrings in src/ralph/config instead. -->

Every setting has a default; `ralph run` needs only the agent. `ralph config show --origin` prints all settings with
the layer that sets each, and `ralph config path` prints the files. `ralph config check` finds mistakes from the files
alone; every run refuses the same mistakes.

## Changing a setting

```
ralph config get defaults.executor             # the value that applies here; with a layer, the value in that layer
ralph config set defaults.executor codex       # in the project, unless a layer is named
ralph config set rules "Use pnpm, never npm or yarn" "TypeScript strict mode"
ralph config unset --user timeouts.agent
```

The layer is `--user`, `--project`, `--local` or `--spec SPEC`. ralph changes only the lines of that key and keeps the
comments, the order and the indentation. A list takes one value per entry, or one JSON list; objects are JSON. ralph
writes nothing if the settings would no longer load, and says if a stronger layer sets the same key. `--project`
changes the file that sets the key, else `settings.json` if it exists, else `config.yaml`. You can unset a key that
this version does not know.

## Layers

From the weakest to the strongest:

1. the defaults below
2. `~/.ralph/config.yaml`, for all projects of a user (`RALPH_HOME` moves `~/.ralph`)
3. `.ralph/config.yaml`, for a project
4. `.ralph/settings.json`, for a project
5. `.ralph/settings.local.json`, for one person's copy of a project
6. the overrides of a spec: `ralph spec config`, see [tasks](tasks.md#what-a-spec-sets-for-itself)
7. the environment
8. flags

A stronger layer contains only what it changes. Objects merge key by key; lists and single values replace the weaker
value. All files use the keys below, in YAML or in JSON. An unknown key is an error, and so is a file over 1 MiB.
In YAML only `true` and `false` are booleans (`off` and `no` are words); tags and merge keys are errors.

## Environment

`RALPH_` and the key in upper snake case, with `__` between a section and its keys: `RALPH_MAXIMUM_ITERATIONS=20`,
`RALPH_BUDGET__USD=5`, `RALPH_ROLES__CODER__MAX_ITERATIONS=8`. A list of text is separated by commas or written as JSON;
other lists and whole sections are JSON. `null` unsets a value that may be null. An empty variable counts as not set, an
unknown one is an error. These variables are not settings; ralph uses them itself:
{reserved}.

## Database

ralph stores runs, journals, specs and tasks in `~/.ralph/ralph.db`, an SQLite file.
`RALPH_DATABASE_URL` puts them in a Postgres database instead, for every command:
`RALPH_DATABASE_URL=postgresql://user:password@host/database`, after `pip install "ralph-engine[postgres]"` (without
it ralph exits with 2). ralph creates its tables at the first use, so the user needs that right. Other tables can be in
the same database, in another schema if names collide (`?options=-csearch_path%3Dralph`). Back up the database on the
server: ralph copies only the SQLite file before a migration. The server's `synchronous_commit` decides whether a commit
survives a power cut. A connection pooler must keep sessions, because ralph uses `LISTEN` to notice the writes of other
processes.

The address may contain a password, so ralph never puts it into a message or into the environment of an agent or a
check. A ralph that an agent starts finds the same database through `RALPH_STORE`, which ralph sets: the name of a file
in `RALPH_HOME` that only its user may read. This keeps the password out of logs and prompts, but does not protect it
from a hostile process of the same user. Set `RALPH_STORE` yourself only to keep the address out of your own shell:
write the address into a file. `RALPH_DATABASE_URL` takes precedence.

## Durations

A number means seconds. Text may carry units: `"90"`, `"30s"`, `"30m"`, `"2h"`, `"1d"`, `"1h30m"`.
"""

EXAMPLES = """\
## Examples

A `.ralph/settings.json` for `ralph run`:

```json
{
  "maximumIterations": 10,
  "completionResponse": "DONE",
  "outputTruncateChars": 5000,
  "streamAgentOutput": true,
  "includeIterationCountInPrompt": false,
  "agent": {
    "command": "claude",
    "flags": ["--model opus", "--no-auto-compact"]
  },
  "guardrails": [
    {
      "command": "make lint",
      "failAction": "APPEND",
      "hint": "Fix lint errors only. Do not change behavior."
    },
    {
      "command": "make test",
      "failAction": "APPEND"
    }
  ],
  "scm": {
    "command": "git",
    "tasks": ["commit", "push"]
  }
}
```

A `.ralph/config.yaml` for `ralph spec run`:

```yaml
tools:
  executors:
    - id: fast
      name: A quick local model
      type: command
      command: my-agent --prompt-file {prompt_file}
  reviewers:
    - id: quick
      model: claude-sonnet-4-5
      checks: [syntax, types, obvious_bugs]
defaults:
  executor: fast
  quickReviewer: quick
  maxIterations: 5
rules:
  - Follow the patterns of the code that is there
verification:
  steps:
    - name: Types
      command: make types
    - name: Lint
      command: make lint
      required: false
timeouts:
  agent: 45m
  idle: off
budget:
  usd: 20
```
"""


def page() -> str:
    tables = [_table(title, struct) for title, struct in sections("", root())]
    intro = INTRO.format(reserved=", ".join(f"`{name}`" for name in sorted(RESERVED)))
    return "\n".join([intro, *tables, EXAMPLES])


def sections(path: str, kind: kinds.Type) -> Iterator[tuple[str, kinds.StructType]]:
    """Each struct of the schema below `kind`, with the path of its keys: `guardrails[]`, `roles.<name>`."""
    for each in alternatives(kind):
        if isinstance(each, kinds.ListType):
            yield from sections(f"{path}[]", each.item_type)
        elif isinstance(each, kinds.DictType):
            yield from sections(f"{path}.<name>", each.value_type)
        elif isinstance(each, kinds.StructType):
            yield path, each
            for field in each.fields:
                yield from sections(f"{path}.{field.encode_name}".removeprefix("."), field.type)


def _table(title: str, struct: kinds.StructType) -> str:
    rows = [_row(field, documentation(struct.cls)[field.name]) for field in struct.fields]
    heading = f"## `{title}`" if title else "## All keys"
    lines = [heading, "", "| key | type | default | meaning |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines + _roles() if struct.cls is Role else lines)


def _roles() -> list[str]:
    intro = [
        "These are built in:",
        "",
        "| name | promise | maxIterations | verification |",
        "|---|---|---|---|",
    ]
    rows = (
        f"| `{name}` | `{role.promise}` | {role.max_iterations} | `{role.verification}` |"
        for name, role in default_roles().items()
    )
    return [*intro, *rows, ""]


def _row(field: kinds.Field, text: str) -> str:
    cells = (f"`{field.encode_name}`", _type(field.type), _default(field), text)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _type(kind: kinds.Type) -> str:
    match kind:
        case kinds.UnionType(types=types):
            return " or ".join(_type(each) for each in sorted(types, key=lambda each: isinstance(each, kinds.NoneType)))
        case kinds.LiteralType(values=values):
            return " or ".join(f"`{value}`" for value in values)
        case kinds.ListType(item_type=item):
            return "list of objects" if section(item) else f"list of {_type(item)}"
        case kinds.CustomType(cls=cls):
            return _DURATIONS[cls]
        case _:
            return _WORDS[type(kind)] + (" above 0" if getattr(kind, "gt", None) == 0 else "")


_DURATIONS: dict[type, str] = {
    Duration: "duration",
    PositiveDuration: "duration above 0",
    Timeout: "duration or `off`",
}
_WORDS: dict[type[kinds.Type], str] = {
    kinds.BoolType: "boolean",
    kinds.DictType: "object",
    kinds.FloatType: "number",
    kinds.IntType: "whole number",
    kinds.NoneType: "null",
    kinds.StrType: "text",
    kinds.StructType: "object",
}


def _default(field: kinds.Field) -> str:
    if field.required:
        return "required"
    value: Any = field.default if field.default is not NODEFAULT else field.default_factory()
    plain = to_builtins(float(value) if isinstance(value, float) else value)
    return "below" if isinstance(plain, dict) and plain else f"`{json.encode(plain).decode().removesuffix('.0')}`"


@cache
def documentation(struct: type) -> dict[str, str]:
    """The docstring under each field of the class."""
    body = ast.parse(dedent(inspect.getsource(struct))).body[0]
    statements = body.body if isinstance(body, ast.ClassDef) else []
    found: dict[str, str] = {}
    for field, below in pairwise(statements):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
            case _:
                pass
    return found


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the page on settings from the schema.")
    parser.add_argument("--check", action="store_true", help="only say whether the file is up to date")
    parser.add_argument("file", type=Path)
    given = parser.parse_args(argv)
    file: Path = given.file
    if not given.check:
        file.write_text(page(), encoding="utf-8")
        return 0
    if file.is_file() and file.read_text(encoding="utf-8") == page():
        return 0
    sys.stderr.write(f"{file} does not match the schema. Regenerate it: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
