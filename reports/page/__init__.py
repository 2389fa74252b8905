"""report.html: the page that a person decides from, and its parts."""
