import pytest

from chunk_crew import ChunkCrew


@pytest.fixture
def crew(tmp_path):
    return ChunkCrew(tmp_path)
