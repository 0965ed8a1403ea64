"""Which variables an agent, and which a check, gets to see."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from ralph.agents.adapter import Adapter
from ralph.config.schema import EnvSettings

BASICS = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR"),
    *("TMPDIR", "TEMP", "TMP", "TZ", "PWD", "XDG_*", "RALPH_HOME", "RALPH_MESSAGE_BUS"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)
PROVIDER_KEYS = (
    *("*_API_KEY", "*_AUTH_TOKEN", "*_OAUTH_TOKEN", "*_ACCESS_TOKEN"),
    *("AWS_SECRET_*", "AWS_SESSION_TOKEN", "AWS_BEARER_*"),
)
SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS")
SHORTEST_SECRET = 8


def for_agent(adapter: Adapter, environ: Mapping[str, str], settings: EnvSettings) -> dict[str, str]:
    everything = settings.inherit == "all" or adapter.environment is None
    seen = {
        name: value
        for name, value in _own(environ).items()
        if everything or _matches(name, BASICS) or adapter.may_see(name) or name in settings.pass_
    }
    return {**adapter.variables, **seen}


def for_check(environ: Mapping[str, str]) -> dict[str, str]:
    """Everything but the keys that cost money."""
    return {name: value for name, value in _own(environ).items() if not _matches(name, PROVIDER_KEYS)}


def secrets(environ: Mapping[str, str]) -> list[str]:
    """Values that must not be written to any log, the longest first so that none is left half replaced."""
    found = {
        value
        for name, value in environ.items()
        if name.upper().rpartition("_")[2] in SECRET_WORDS and len(value) >= SHORTEST_SECRET
    }
    return sorted(found, key=len, reverse=True)


def _own(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name != "RALPH_DATABASE_URL"}


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
