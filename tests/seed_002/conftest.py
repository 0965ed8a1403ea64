import pytest

from task_crew import TaskCrew


@pytest.fixture
def crew(tmp_path):
    return TaskCrew(tmp_path)
