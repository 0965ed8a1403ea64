"""Put jest, vitest, mocha and jasmine into a cache outside the repository, once for all tests of a machine."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

VERSIONS = {
    "new": {"jest": "30.5.2", "vitest": "4.1.12", "mocha": "12.0.3", "jasmine": "7.0.0", "jasmine-reporters": "2.5.2"},
    "old": {"jest": "29.7.0", "vitest": "3.2.7", "mocha": "10.8.2"},
}
SECONDS = 600


def need(program):
    """Skip a test whose program is missing; in CI that is a failure."""
    if shutil.which(program) is None:
        missing = f"{program} is not on PATH"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)


def node_modules(age):
    """The folder with the runners of one age. Without npm's registry the tests skip with a clear line."""
    need("npm")
    home = os.environ.get("XDG_CACHE_HOME")
    folder = (Path(home) if home else Path.home() / ".cache") / "ralph-runners" / age
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(folder, [f"{name}@{version}" for name, version in VERSIONS[age].items()])
    return folder / "node_modules"


def _install(folder, wanted):
    stamp = folder / "installed.txt"
    if stamp.is_file() and stamp.read_text() == "\n".join(wanted):
        return
    argv = ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), *wanted]
    try:
        subprocess.run(argv, check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"{', '.join(wanted)} cannot be installed: {error}")
    stamp.write_text("\n".join(wanted))
