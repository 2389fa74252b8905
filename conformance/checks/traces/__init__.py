"""What writes did: the exchanges of a procedure as attempts, what each attempt says, how long to watch."""
