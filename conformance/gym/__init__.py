"""Which conforming servers does a client not survive? Each is the reference with one oddity."""
