"""One file for each language: which names a source file offers, and which tests it contains.

Only the top level of a file is read, and nothing uses recursion, because the text is untrusted.
"""
