"""Evidence that somebody else has collected: captures of browsers and proxies, and lines anyone may write.

What is read here becomes a ledger of the level `seen`, which is judged as that of any saved run. Nothing is
sent but what a client says through the proxy in `passing_on`. `recorded` reads the files, `taking` takes what
is about entries of the document, without secrets, and guesses a profile where none is given.
"""
