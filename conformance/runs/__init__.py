"""One run: its session, its verdicts, its targets and locks; and what is made of saved runs."""
