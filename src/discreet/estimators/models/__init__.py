"""The estimators: which loss, which set, which targets and which mechanisms each has."""
