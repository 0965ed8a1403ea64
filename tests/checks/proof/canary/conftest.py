import os
import shutil

import pytest


def program(name, package):
    """Its path; without it a test is skipped, but fails where CI=true, since CI has all of them."""
    found = shutil.which(name)
    if found is None:
        missing = f"no {name} on this machine: apt-get install {package}"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    return found


@pytest.fixture
def node():
    return program("node", "nodejs")


@pytest.fixture
def make():
    return program("make", "make")
