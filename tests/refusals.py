"""What every refusal must look like, whatever went wrong."""


def one_clear_line(ended, code, *words):
    """The right exit code, one line on standard error with the facts, no traceback, no other output."""
    assert ended.code == code, ended.err
    assert ended.err.count("\n") == 1, ended.err
    assert ended.err.endswith("\n")
    assert len(ended.err) < 1000
    assert ended.out == ""
    for word in words:
        assert word in ended.err
    assert "Traceback" not in ended.err
    assert "Error:" not in ended.err


def nothing_ran(loop):
    assert loop.agent.starts == []
    assert not loop.exists(".ralph/runs")
