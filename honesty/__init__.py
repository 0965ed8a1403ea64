"""The test bed that measures "never a false done": agents that cheat, agents that are honest, and the real ralph."""
