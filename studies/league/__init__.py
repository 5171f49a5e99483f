"""All learning mechanisms on six tables, beside fits without privacy and other libraries."""
