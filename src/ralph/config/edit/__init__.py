"""Changing one key in the text of a settings file. Everything else stays the same, byte for byte."""
