"""What several tests share: servers, runs, samples."""
