"""What certificates say of where noise comes from."""

SYSTEM_SOURCE = "ChaCha20, a fresh 256-bit key from the operating system for every draw"
"""Of noise from the operating system."""
SEEDED_SOURCE = "ChaCha20 from a seed chosen by the caller: reproducible, therefore not private"
"""Of noise from a seed."""
