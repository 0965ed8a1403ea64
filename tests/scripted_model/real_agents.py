"""The real programs with a scripted model behind them: no account, no network beyond loopback.

`real_agent("codex", server.url, home)` writes what Codex needs into a home directory made for the test, and says
with which environment and which settings ralph then drives it.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

CACHE_VARIABLE = "AGENTS_CACHE"
"""Names a directory in which npm has installed the programs. No name of ralph's own: those are settings."""
MODEL = "scripted-model"
KEY = "dummy"


class RealAgent(Struct, frozen=True):
    name: str
    command: str
    """The path of the program."""
    env: dict[str, str]
    """What it needs in its environment, besides PATH and HOME."""
    flags: list[str] = []
    files: dict[str, str] = {}
    """Its own settings, by their paths in the home directory."""

    @property
    def settings(self) -> dict[str, Any]:
        """What to put into `.ralph/settings.json`."""
        return {"agent": {"command": self.command, "flags": self.flags}, "env": {"pass": sorted(self.env)}}


def real_agent(name: str, url: str, home: Path) -> RealAgent:
    """The agent, ready to be started with this home directory; a FileNotFoundError if it is not installed."""
    command = find_cli(name)
    if command is None:
        raise FileNotFoundError(f"{name} is neither in the directory that {CACHE_VARIABLE} names nor on PATH")
    agent = AGENTS[name](command, url, home)
    # Several programs leave files in the directory for temporary files; here they go with the test.
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    for path, text in agent.files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")
    agent.env["TMPDIR"] = str(temporary)
    return agent


def find_cli(name: str) -> str | None:
    """The path of an agent's program: from the cache if it has it, else from PATH."""
    cache = os.environ.get(CACHE_VARIABLE)
    cached = shutil.which(name, path=str(Path(cache) / "node_modules" / ".bin")) if cache else None
    return cached or shutil.which(name)


def claude(command: str, url: str, _: Path) -> RealAgent:
    return RealAgent("claude", command, _anthropic(url), ["--dangerously-skip-permissions"])


def claude_agent_acp(command: str, url: str, _: Path) -> RealAgent:
    return RealAgent("claude-agent-acp", command, _anthropic(url))


def codex(command: str, url: str, home: Path) -> RealAgent:
    # Its home must not lie in the directory for temporary files: its sandbox fails there without a word.
    env = {"CODEX_HOME": str(home / ".codex"), "OPENAI_API_KEY": KEY}
    config = f"""\
model = "{MODEL}"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "Scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
"""
    return RealAgent("codex", command, env, ["--disable", "plugins"], {".codex/config.toml": config})


def opencode(command: str, url: str, _: Path) -> RealAgent:
    env = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {MODEL: {"name": "Scripted"}},
    }
    config = {"provider": {"scripted": provider}, "model": f"scripted/{MODEL}", "permission": {"*": "allow"}}
    return RealAgent("opencode", command, env, [], {".config/opencode/opencode.json": json.dumps(config)})


def gemini(command: str, url: str, _: Path) -> RealAgent:
    env = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url}
    config = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    flags = ["--yolo", "--skip-trust", "-m", MODEL]
    return RealAgent("gemini", command, env, flags, {".gemini/settings.json": json.dumps(config)})


def qwen(command: str, url: str, _: Path) -> RealAgent:
    env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": MODEL}
    config = {"general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False}}
    return RealAgent(
        "qwen", command, env, ["--auth-type", "openai", "--yolo"], {".qwen/settings.json": json.dumps(config)}
    )


def copilot(command: str, url: str, _: Path) -> RealAgent:
    env = {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": MODEL,
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }
    return RealAgent("copilot", command, env, ["--allow-all"])


def _anthropic(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # As root Claude Code skips permissions only where it is told that this is a sandbox.
        "IS_SANDBOX": "1",
    }


AGENTS: dict[str, Callable[[str, str, Path], RealAgent]] = {
    "claude": claude,
    "codex": codex,
    "opencode": opencode,
    "gemini": gemini,
    "qwen": qwen,
    "copilot": copilot,
    "claude-agent-acp": claude_agent_acp,
}
