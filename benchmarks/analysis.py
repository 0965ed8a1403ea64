"""The analysis of a codebase of 10,000 files: first, unchanged, and with one file changed; printed as JSON.

usage: python benchmarks/analysis.py FOLDER
CPU seconds of this process and of all that it started, and seconds on the clock. A program of its own, so that the
process that measures others stays small.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ralph.checks.proof.judge_files import is_test
from ralph.git.repository import Repository
from ralph.plan.analysis import Analysed, analyse
from ralph.plan.analysis_file import decode_analysis, encode_analysis
from ralph.plan.context import codebase_context
from ralph.syntax.grammars import parse
from ralph.testing import TempRepo, temp_repo
from ralph.workbench.bench import Workbench

FILES = 10_000
ROUNDS = 3
PARTS = 20
"""Functions and types in each file, which make it some 4 KB long."""
PYTHON = '''\
class Order{n}:
    """An order, with all that it needs."""

    def total(self, prices: dict[str, int]) -> int:
        return sum(prices[item] for item in self.items if item in prices)


def order_{n}(items: list[str]) -> Order{n}:
    return Order{n}([item.strip() for item in items])


'''
TYPESCRIPT = """\
export interface Order{n} {{ items: string[]; total(prices: Record<string, number>): number }}

export function order{n}(items: string[]): Order{n} {{
  const known = items.map((item) => item.trim()).filter(Boolean);
  return {{ items: known, total: (prices) => known.reduce((sum, item) => sum + (prices[item] ?? 0), 0) }};
}}

"""
GO = """\
// Order{n} is an order.
type Order{n} struct {{ Items []string }}

func New{n}(items []string) *Order{n} {{
	kept := make([]string, 0, len(items))
	for _, item := range items {{
		kept = append(kept, strings.TrimSpace(item))
	}}
	return &Order{n}{{Items: kept}}
}}

"""
RUST = """\
pub struct Order{n} {{ pub items: Vec<String> }}

impl Order{n} {{
    pub fn total(&self, prices: &HashMap<String, u64>) -> u64 {{
        self.items.iter().filter_map(|item| prices.get(item)).sum()
    }}
}}

"""
LANGUAGES = (
    ("py", "python", "", PYTHON),
    ("ts", "typescript", "", TYPESCRIPT),
    ("go", "go", 'package orders\n\nimport "strings"\n\n', GO),
    ("rs", "rust", "use std::collections::HashMap;\n\n", RUST),
)
Sample = dict[str, float]


def main(folder: Path) -> None:
    repo = temp_repo(folder)
    sources = dict(map(_source, range(FILES)))
    first = _commit(repo, sources)
    path = next(iter(sources))
    second = _commit(repo, {path: sources[path] + b"\n# one more line\n"})
    bench = Bench(repo, path)
    samples: dict[str, list[Sample]] = {}
    for _ in range(ROUNDS):
        measured = {
            "parse": _measured(lambda: _parse(sources)),
            "first": _measured(lambda: bench.analyse(first, b"")),
            "unchanged": _measured(lambda: bench.analyse(first, bench.kept)),
            "changed": _measured(lambda: bench.analyse(second, bench.kept)),
        }
        for name, sample in measured.items():
            samples.setdefault(name, []).append(sample)
    print(json.dumps(samples))


class Bench:
    """The codebase as the prompt of a chunk has it, near one file."""

    def __init__(self, repo: TempRepo, path: str) -> None:
        self._repo = repo
        self._path = path
        self.kept = b""
        """What the first analysis left for the next time."""

    def analyse(self, commit: str, known: bytes) -> None:
        found = asyncio.run(self._analysed(commit, known))
        codebase_context(found.analysis, [self._path])
        if not known:
            self.kept = encode_analysis(found.analysis)

    async def _analysed(self, commit: str, known: bytes) -> Analysed:
        repository = Repository(Workbench(self._repo.path, self._repo.env, "bench"))
        return await analyse(repository, commit, decode_analysis(known), is_test=is_test)


def _parse(sources: dict[str, bytes]) -> None:
    """What nobody can do without: each file once through its parser, its text at hand."""
    grammars = {ending: grammar for ending, grammar, _, _ in LANGUAGES}
    for path, text in sources.items():
        parse(grammars[path.rpartition(".")[2]], text)


def _source(number: int) -> tuple[str, bytes]:
    ending, _, head, part = LANGUAGES[number % len(LANGUAGES)]
    text = head + "".join(part.format(n=f"{number}x{place}") for place in range(PARTS))
    return f"src/part{number % 97}/area{number % 11}/file{number}.{ending}", text.encode()


def _commit(repo: TempRepo, files: dict[str, bytes]) -> str:
    head = repo.git("rev-parse", "HEAD").strip()
    lines = [f"commit refs/heads/main\ncommitter A <a@b.c> 0 +0000\ndata 0\nfrom {head}\n".encode()]
    lines += [f"M 100644 inline {path}\ndata {len(text)}\n".encode() + text + b"\n" for path, text in files.items()]
    command = ["git", "fast-import", "--quiet", "--force"]
    subprocess.run(command, cwd=repo.path, env={**os.environ, **repo.env}, input=b"".join(lines), check=True)
    return repo.git("rev-parse", "HEAD").strip()


def _measured(work: Callable[[], object]) -> Sample:
    before, began = _cpu(), time.monotonic()
    work()
    return {"cpu": _cpu() - before, "clock": time.monotonic() - began}


def _cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
