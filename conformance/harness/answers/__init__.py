"""What an answer says: JSON, its outcome class, and where its value stands."""
