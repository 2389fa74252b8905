"""What a run came to, told once: the blocks of the story, and how a terminal and Markdown print them."""
