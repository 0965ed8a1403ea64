"""The seed's own configuration file, word for word."""

CONFIG = """\
# .handoff/config.yaml (project-level, overrides global)

# Available tools
tools:
  executors:
    - id: opencode
      name: "OpenCode (GLM 4.7)"
      type: opencode
      endpoint: "http://localhost:4096"
    - id: claude-code
      name: "Claude Code"
      type: claude-code
      command: "claude"

  planners:
    - id: opus
      name: "Claude Opus"
      model: "claude-opus-4-5-20251101"
    - id: sonnet
      name: "Claude Sonnet"
      model: "claude-sonnet-4-5-20250929"

  reviewers:
    - id: sonnet-quick
      name: "Sonnet (Quick)"
      model: "claude-sonnet-4-5-20250929"
      checks: ["syntax", "types", "obvious_bugs"]
    - id: opus-thorough
      name: "Opus (Thorough)"
      model: "claude-opus-4-5-20251101"
      checks: ["security", "race_conditions", "memory_leaks", "error_handling", "accessibility"]

# Defaults for this project
defaults:
  executor: opencode
  planner: opus
  quickReviewer: sonnet-quick
  finalReviewer: opus-thorough
  maxIterations: 5

# Global rules (apply to ALL chunks in this project)
rules:
  - "Use pnpm, never npm or yarn"
  - "TypeScript strict mode"
  - "Follow existing patterns in codebase"
  - "No new dependencies without justification"
  - "All exports must have JSDoc comments"

# Verification steps (run after each chunk)
verification:
  enabled: true
  steps:
    - name: "Type Check"
      command: "pnpm tsc --noEmit"
      required: true
    - name: "Lint"
      command: "pnpm lint"
      required: false
    - name: "Tests"
      command: "pnpm test --passWithNoTests"
      required: false
"""
