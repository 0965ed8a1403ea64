"""Put the real agents' programs into a cache outside the repository: `make e2e` and CI call this once.

Prints the cache's directory, or `unreachable` where npm cannot reach its registry: then the tests with real agents
skip with a clear line. Without npm it prints nothing: then they skip, too, but fail where CI=true.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "@anthropic-ai/claude-code": "2.1.197",
    "@openai/codex": "0.166.0",
    "opencode-ai": "1.18.33",
    "@google/gemini-cli": "0.61.0",
    "@qwen-code/qwen-code": "0.15.10",
    "@github/copilot": "1.0.102",
    "@agentclientprotocol/claude-agent-acp": "0.49.0",
}
SECONDS = 600


def cache() -> Path:
    if chosen := os.environ.get("AGENTS_CACHE"):
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "ralph-agents"


def main() -> int:
    directory = cache()
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    stamp = directory / "installed.txt"
    if stamp.is_file() and stamp.read_text() == "\n".join(wanted):
        print(directory)  # noqa: T201 - the answer
        return 0
    npm = shutil.which("npm")
    if npm is None:
        sys.stderr.write("npm is not on PATH: the tests with real agents cannot run\n")
        return 0
    directory.mkdir(parents=True, exist_ok=True)
    sys.stderr.write(f"Installing {len(wanted)} agents into {directory} ...\n")
    argv = [npm, "install", "--no-fund", "--no-audit", "--prefix", str(directory), *wanted]
    try:
        subprocess.run(argv, check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)
    except (subprocess.SubprocessError, OSError) as error:
        sys.stderr.write(f"npm could not install the agents: {error}\n")
        print("unreachable")  # noqa: T201 - the answer
        return 0
    stamp.write_text("\n".join(wanted))
    print(directory)  # noqa: T201 - the answer
    return 0


if __name__ == "__main__":
    sys.exit(main())
