"""The bed on which "never a false done" is measured: agents that cheat, agents that are honest, and the real ralph."""
