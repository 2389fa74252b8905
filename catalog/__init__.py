"""What the document says, as data: see `catalog.loader`, `catalog.maker` and `catalog.exports`."""
