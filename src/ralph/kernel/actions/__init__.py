"""The actions that a recipe may ask for, by family. Each action names the type of its result and its texts for
screens.
"""
