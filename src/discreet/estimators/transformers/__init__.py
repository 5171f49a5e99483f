"""Steps of a Pipeline that learn nothing from records."""
