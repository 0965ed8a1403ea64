import json
from pathlib import Path
from typing import Any

import pytest

from ralph.config.layers import Loaded, load
from ralph.model.errors import ConfigError


class Project:
    """A project directory and a home directory, both temporary."""

    def __init__(self, root: Path) -> None:
        self.root = root / "project"
        self.home = root / "home"
        (self.root / ".ralph").mkdir(parents=True)
        (self.home / ".ralph").mkdir(parents=True)

    def settings(self, data: Any) -> None:
        self.write("settings.json", json.dumps(data))

    def local(self, data: Any) -> None:
        self.write("settings.local.json", json.dumps(data))

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / ".ralph" / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def write_home(self, text: str) -> Path:
        path = self.home / ".ralph/config.yaml"
        path.write_text(text)
        return path

    def load(self, flags: Any = None, spec: Any = None, **variables: str) -> Loaded:
        return load(self.root, flags, {"HOME": str(self.home), **variables}, spec)

    def error(self, flags: Any = None, spec: Any = None, **variables: str) -> str:
        """The whole line that the user would read."""
        with pytest.raises(ConfigError) as caught:
            self.load(flags, spec, **variables)
        line = str(caught.value)
        assert "\n" not in line
        assert caught.value.exit_code == 2
        return line


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)
