"""The UCI Adult table, shipped with the package: 48,842 people of the 1994 census survey, whether each earned more than 50,000 dollars a year.

Becker and Kohavi (1996), UCI Machine Learning Repository, doi 10.24432/C5XW20, CC BY 4.0; see ATTRIBUTION.md for the changes.
"""

from discreet.data.adult.cms import adult_cms
from discreet.data.adult.table import adult_schema, load_adult

__all__ = ["adult_cms", "adult_schema", "load_adult"]
