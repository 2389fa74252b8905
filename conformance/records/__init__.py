"""The files that commands write and read, whoever made them: within what bounds they are read."""
