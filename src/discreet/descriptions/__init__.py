"""What a table looks like, privately: counts, means, quantiles, histograms and tables of its columns, by groups, for one budget."""

from discreet.descriptions.asked import Asked, Column
from discreet.descriptions.describe import Prepared, describe, prepare_description
from discreet.descriptions.report import Count, Description, NumberSummary, Part
from discreet.descriptions.stored import read_description

__all__ = ["Asked", "Column", "Count", "Description", "NumberSummary", "Part", "Prepared", "describe", "prepare_description", "read_description"]
