"""A complete task with criteria for all four roles and all four methods, as a file."""

from ralph.model.tasks import Criterion, TaskCompletionSpec


def judged_by_a_model(*texts, roles=None):
    """A completion whose acceptance criteria are plain texts."""
    return TaskCompletionSpec("It is so.", tuple(Criterion("judge", text) for text in texts), roles or {})


COMPLETE = """\
task:
  id: TASK-001
  spec_id: auth-feature
  title: "Implement JWT authentication"
  description: |
    Add JWT-based authentication to all API endpoints.
    Include login, logout, and token refresh functionality.
  priority: 1
  dependencies: []

  completion:
    outcome: "All API endpoints require valid JWT tokens for access"

    acceptance_criteria:
      - "JWT middleware validates tokens on all protected routes"
      - "Login endpoint accepts email/password and returns JWT"
      - "Refresh endpoint extends token lifetime"
      - "Logout endpoint invalidates tokens"
      - "Invalid/expired tokens return 401 Unauthorized"
      - "Token contains user ID and roles"
      - "Passwords are hashed with bcrypt"

    coder:
      promise: "AUTH_IMPLEMENTED"
      description: "JWT authentication fully implemented and committed"
      verification_method: external
      verification_config:
        command: |
          test -f src/auth/middleware.py &&
          test -f src/auth/jwt.py &&
          test -f src/auth/routes.py &&
          grep -q "jwt.verify" src/auth/middleware.py
        success_exit_code: 0
      max_iterations: 15

    reviewer:
      promise: "AUTH_REVIEWED"
      description: "Code review passed - secure and follows best practices"
      verification_method: semantic
      verification_config:
        check_for:
          - "no hardcoded secrets or keys"
          - "proper error handling for auth failures"
          - "input validation on credentials"
          - "secure password hashing"
          - "token expiration handling"
        negative_patterns:
          - "TODO"
          - "FIXME"
          - "hardcoded"
          - "password ="
      max_iterations: 5

    tester:
      promise: "AUTH_TESTS_PASS"
      description: "All auth tests pass with >80% coverage"
      verification_method: external
      verification_config:
        command: "pytest tests/test_auth.py -v --cov=src/auth --cov-fail-under=80"
        success_exit_code: 0
        output_not_contains: "FAILED"
      max_iterations: 10

    qa:
      promise: "AUTH_QA_COMPLETE"
      description: "Full QA validation - all acceptance criteria verified"
      verification_method: multi_stage
      verification_config:
        require_all: true
        stages:
          - name: "all_tests_pass"
            method: external
            config:
              command: "pytest tests/ -v"
              success_exit_code: 0
            required: true

          - name: "no_security_issues"
            method: external
            config:
              command: "bandit -r src/auth/"
              success_exit_code: 0
            required: true

          - name: "acceptance_verified"
            method: semantic
            config:
              check_for:
                - "JWT middleware validates tokens"
                - "Login returns JWT"
                - "401 for invalid tokens"
            required: true
      max_iterations: 5
"""
