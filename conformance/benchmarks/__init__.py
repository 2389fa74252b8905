"""The suite beside what people would use instead, as ratios that are measured in one go on one machine."""
