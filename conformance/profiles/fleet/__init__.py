"""A profile of many appliances: where they are listed, samples and parts of them."""
