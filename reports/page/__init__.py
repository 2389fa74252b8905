"""report.html: the page that a person decides from, and the pieces it is put together of."""
