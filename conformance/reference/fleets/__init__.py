"""The appliances of the reference, by what they do."""
