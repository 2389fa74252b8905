"""One run: what has to be so before it begins, what it holds as long as it lasts, and how it ends when it is interrupted."""
