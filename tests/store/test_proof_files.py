from ralph.store.proof_files import new_record, records_in


def names(folder):
    return [path.name for path in records_in(folder)]


def test_each_record_has_a_name_of_its_own_and_the_latest_is_the_last(tmp_path):
    for _ in range(11):
        new_record(tmp_path).write_bytes(b"")
    assert names(tmp_path)[:2] == ["proof.intoto.jsonl", "proof.2.intoto.jsonl"]
    assert names(tmp_path)[-2:] == ["proof.10.intoto.jsonl", "proof.11.intoto.jsonl"]


def test_one_that_was_deleted_gives_its_name_to_no_other(tmp_path):
    for _ in range(3):
        new_record(tmp_path).write_bytes(b"")
    (tmp_path / "proof.2.intoto.jsonl").unlink()
    assert new_record(tmp_path).name == "proof.4.intoto.jsonl"


def test_what_only_looks_like_one_is_none(tmp_path):
    for name in ("proof.intoto.jsonl.bak", "proof.0.intoto.jsonl", "proof.x.intoto.jsonl", "a-proof.intoto.jsonl"):
        (tmp_path / name).write_bytes(b"")
    assert names(tmp_path) == []
    assert names(tmp_path / "nowhere") == []
