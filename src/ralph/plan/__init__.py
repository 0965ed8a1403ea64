"""What a task is told about its codebase, and what its work leaves for the tasks that depend on it."""
