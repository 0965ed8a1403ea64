"""The examples in the help of the commands, and what the real parser makes of a line of shell that calls ralph."""

import re
import shlex

import click

from ralph.cli.group import cli

BLOCK = re.compile(r"\x08\n(.*?)(?:\n\s*\n|\Z)", re.DOTALL)


def commands(group=cli, path=("ralph",)):
    """Every command and group with the words that call it, without names that mean the same command."""
    yield path, group
    context = click.Context(group)
    seen = set()
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if id(command) in seen:
            continue
        seen.add(id(command))
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def examples(command):
    """The lines of the help that call ralph; a line that ends with a backslash continues."""
    blocks = [found.replace("\\\n", " ") for found in BLOCK.findall(command.help or "")]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if calls(line)]


def calls(line):
    """The arguments of each ralph that a line of shell calls."""
    lexer = shlex.shlex(re.sub(r"\b\d(?=>)", "", line), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found, current = [], None
    for word in lexer:
        if set(word) <= set("();<>|&"):
            current = None
        elif current is not None:
            current.append(word)
        elif word == "ralph":
            found.append(current := [])
    return found


def parse(words):
    """The words that name the command which would run. A mistake raises `click.UsageError`."""
    context, rest = cli.make_context("ralph", list(words)), list(words)
    path = ["ralph"]
    while isinstance(context.command, click.Group) and (rest := [*context._protected_args, *context.args]):
        name, command, rest = context.command.resolve_command(context, rest)
        path.append(name)
        context = command.make_context(name, rest, parent=context)
    return tuple(path)
