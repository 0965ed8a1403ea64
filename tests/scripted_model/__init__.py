"""Real agents on a scripted model: README.md says how."""

from scripted_model.base import ModelRequest
from scripted_model.real_agents import RealAgent, find_cli, real_agent
from scripted_model.server import ModelServer

__all__ = ["ModelRequest", "ModelServer", "RealAgent", "find_cli", "real_agent"]
