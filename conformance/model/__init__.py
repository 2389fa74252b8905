"""What the document lets one expect of an appliance, by what was read of it last: pure, without a run."""
