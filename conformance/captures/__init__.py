"""Evidence that somebody else has collected: captures of browsers and proxies, and lines anyone may write.

What is read here becomes a ledger of the level `seen`, which is judged as that of any saved run; nothing is
sent. `recorded` reads the files, `addressed` finds the exchanges that are about entries of the document,
`guessing` drafts a profile where none is given, `secrets` says what must not be kept, `taking` writes.
"""
