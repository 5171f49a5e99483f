"""Files that strangers read: written whole or not at all, and read so strictly that two readers cannot understand two things."""
