"""Which variables an agent gets to see, and which a check does."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from ralph.agents.adapter import Adapter
from ralph.config.schema import EnvSettings

BASICS = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR"),
    *("TMPDIR", "TEMP", "TMP", "TZ", "PWD", "XDG_*", "RALPH_*", "TASK_FOLDER", "RUN_FOLDER"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)
SESSION_MARKS = (
    *("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR"),
    *("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"),
    *("GEMINI_CLI", "QWEN_CODE", "OPENCODE", "OPENCODE_PID", "COPILOT_CLI", "GOOSE_TERMINAL", "AMP_CURRENT_THREAD_ID"),
    *("CURSOR_AGENT", "CURSOR_TRACE_ID"),
)
"""Variables with which an agent marks what it starts. A child that sees them considers itself a nested session."""
NEVER = frozenset({"RALPH_DATABASE_URL", *SESSION_MARKS})


def for_agent(adapter: Adapter, environ: Mapping[str, str], settings: EnvSettings) -> dict[str, str]:
    everything = settings.inherit == "all" or adapter.environment is None
    seen = {
        name: value
        for name, value in _inherited(environ).items()
        if everything or _is_allowed(name, settings) or adapter.may_see(name)
    }
    return {**adapter.variables, **seen}


def for_check(environ: Mapping[str, str], settings: EnvSettings) -> dict[str, str]:
    """The variables that guardrails and checks see: everything, or what the allow-list names."""
    everything = settings.inherit == "all"
    return {name: value for name, value in _inherited(environ).items() if everything or _is_allowed(name, settings)}


def _is_allowed(name: str, settings: EnvSettings) -> bool:
    return _matches(name, BASICS) or name in settings.pass_


def _inherited(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name not in NEVER}


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
