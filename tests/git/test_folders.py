import subprocess
import sys

from ralph.git.folders import delete_set_aside, set_aside

DELETES = """
import ctypes, os, sys
from pathlib import Path
from ralph.git.folders import delete_set_aside
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
if len(sys.argv) == 2 and os.geteuid() == 0:
    if ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0):
        sys.exit("the right to write everywhere could not be given up")
    os.execv(sys.executable, [sys.executable, "-c", sys.orig_argv[2], sys.argv[1], "again"])
delete_set_aside(Path(sys.argv[1]))
"""
"""Root first gives up the right to write where the permissions say no."""


def names(folder):
    return [path.name for path in folder.iterdir()]


def test_read_only_folders_that_tools_leave_are_deleted(tmp_path):
    cache = tmp_path / ".gone-t/cache/deep"
    cache.mkdir(parents=True)
    (cache / "x").write_text("1")
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    (cache.parent / "link").symlink_to(outside)
    cache.chmod(0o500)
    cache.parent.chmod(0o000)
    subprocess.run([sys.executable, "-c", DELETES, tmp_path], check=True)
    assert names(tmp_path) == ["outside"]
    assert outside.stat().st_mode & 0o777 == 0o500


def test_what_is_set_aside_is_out_of_the_way_at_once_and_deleted_later(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t/x").write_text("1")
    set_aside(tmp_path / "t")
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".gone-t-")
    (tmp_path / "other").mkdir()
    delete_set_aside(tmp_path)
    assert names(tmp_path) == ["other"]


def test_what_is_gone_need_not_be_set_aside(tmp_path):
    set_aside(tmp_path / "t")
    assert names(tmp_path) == []
