"""From released integers to a description: post-processing, and the same for everyone who reads the file."""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.descriptions.asked import Asked, Column
from discreet.descriptions.fitted import Fitted, Total, below, fit_tables, rounded_total, sums_with_all, whole_numbers
from discreet.descriptions.intervals import Level
from discreet.descriptions.margins import whole_table, with_margins
from discreet.descriptions.report import Count, Description, NumberSummary, Part, date_words, number_words
from discreet.evaluation import Estimate
from discreet.mechanisms.counting import CountingMechanism, GaussianCounting, Summary, deviation_of
from discreet.mechanisms.cuts.choose import projected

_LEAST = 2.0
"""Deviations of its noise that a number of records needs, for anything to be known of them."""


class _Answers(NamedTuple):
    """What was released, in records."""

    query: Summary
    tables: list[Fitted]
    totals: list[Total]
    sums: Floats
    """(columns of sums, R, 2), over their weights: of numbers in [-1, 1] and of their squares."""
    deviations: Floats
    """(columns of sums, 2), of their noise in one group."""
    level: Level
    rows: int
    """The most that a person has, where rows count alike; else 1."""


def read_description(asked: Asked, mechanism: CountingMechanism, release: Release, records: int | None, *, level: float) -> Description:
    """What the released integers say; `records` is their number where that is public."""
    answers = _answers(asked, mechanism, release.value, records, level)
    groups = asked.query.groups
    whole = _shown_totals(answers.totals[:groups], records)
    names = asked.groups if asked.by is not None else ("",)
    parts = [_part(asked, answers, place, name, whole[place]) for place, name in enumerate(names)]
    if asked.by is not None:
        parts.append(_together(_part(asked, answers, groups, "", sum(whole)), parts))
    return Description(asked=asked, level=level, parts=tuple(parts), records=records, certificate=release.certificate, value=release.value)


def _answers(asked: Asked, mechanism: CountingMechanism, value: Floats, records: int | None, level: float) -> _Answers:
    query = asked.query
    rule = asked.persons
    rows = rule.rows if rule is not None and asked.by_rows else 1
    # Rows that count alike count 1 / M of a person each.
    parts = asked.queries.parts / rows
    answer, deviation = value / parts, deviation_of(mechanism) / parts
    tables, totals = fit_tables(query, answer, deviation=deviation, public=None if records is None else float(records))
    weights = np.array(query.sums, dtype=np.float64).reshape(-1, 2)
    sums = sums_with_all(query, answer) / weights[:, np.newaxis, :]
    gaussian = isinstance(mechanism, GaussianCounting)
    return _Answers(query, tables, totals, sums, deviation / weights, Level.of(level, gaussian=gaussian), rows)


def _shown_totals(totals: list[Total], public: int | None) -> list[int]:
    """How many records every group is said to have; all together as many as there are, where that is public."""
    if public is None:
        return [rounded_total(total.number) for total in totals]
    return whole_numbers(projected(np.array([total.number for total in totals]), float(public)), public)


def _part(asked: Asked, answers: _Answers, place: int, name: str, records: int) -> Part:
    total = answers.totals[place]
    alone = answers.level.around(total.number, total.variance, 0.0, (0.0, np.inf), shown=records)
    tables = dict(zip((column.name for column in asked.described), answers.tables, strict=False))
    numbers = {column.name: (column, index) for index, column in enumerate(asked.numbers)}
    categories = {
        column.name: _counts(tables[column.name], answers, place, column.labels, records) for column in asked.described if not column.numeric
    }
    described = {
        name: _number(asked, column, tables[name], answers, place, answers.sums[index, place], answers.deviations[index], records)
        for name, (column, index) in numbers.items()
    }
    of_pairs = zip(asked.pair_columns(), answers.tables[len(asked.described) :], strict=True)
    pairs = {
        (first.name, second.name): _pair(fitted, answers, place, (tables[first.name], tables[second.name]), (first, second), categories)
        for (first, second), fitted in of_pairs
    }
    counted = Count(label=name, count=records, low=alone.noise_low, high=alone.noise_high)
    return Part(name=name, records=counted, numbers=described, categories=categories, pairs=pairs)


def _counts(fitted: Fitted, answers: _Answers, place: int, labels: tuple[str, ...], records: int) -> tuple[Count, ...]:
    """Of every cell of a table of categories."""
    counts = whole_numbers(projected(fitted.counts[place], float(records)), records)
    return _with_shares(fitted, answers, place, np.eye(len(labels)), np.ones(len(labels)), labels, counts, records)


def _with_shares(
    fitted: Fitted, answers: _Answers, place: int, functions: Floats, whole: Floats, labels: tuple[str, ...], counts: list[int], records: int
) -> tuple[Count, ...]:
    """Of sums `functions` (k, m) of the cells, among the cells that `whole` (m,) adds up."""
    level, exact = answers.level, functions @ fitted.counts[place]
    of_counts = fitted.variances(place, functions)
    size = float(whole @ fitted.counts[place])
    known = size > _LEAST * float(np.sqrt(fitted.variances(place, whole[np.newaxis])[0])) and size >= 1.0
    shares = exact / size if known else np.zeros(len(exact))
    of_shares = fitted.variances(place, functions - shares[:, np.newaxis] * whole) / max(size, 1.0) ** 2
    found = []
    for label, count, one, variance, share, of_share in zip(labels, counts, exact, of_counts, shares, of_shares, strict=True):
        said = count / records if records else 0.0
        alone = level.around(float(one), float(variance), 0.0, (0.0, np.inf), shown=count)
        estimate = level.share(float(share), float(of_share), size / answers.rows, shown=said) if known else level.unknown(said, (0.0, 1.0))
        found.append(Count(label=label, count=count, low=alone.noise_low, high=alone.noise_high, share=estimate))
    return tuple(found)


def _number(
    asked: Asked, column: Column, fitted: Fitted, answers: _Answers, place: int, sums: Floats, deviations: Floats, records: int
) -> NumberSummary:
    """A column of numbers: moments from its sums, quantiles and histogram from its fine cells."""
    edges = np.array(asked.cells_of(column).edges)
    size, cells = fitted.solver.cells.cells, len(edges) - 1
    there = np.ones(size)
    there[cells:] = 0.0
    functions, moved = below(fitted.solver.cells, cells + 1)
    present, level = float(there @ fitted.counts[place]), answers.level
    of_present = float(fitted.variances(place, there[np.newaxis])[0])
    known = present > _LEAST * np.sqrt(of_present) and present >= 1.0
    number = max(present, 1.0)
    shares = np.clip(functions @ fitted.counts[place] / number, -1.0, 2.0)
    moved = moved - shares[:, np.newaxis] * fitted.solver.times(there[np.newaxis])
    of_shares = fitted.variances(place, functions - shares[:, np.newaxis] * there, moved) / number**2
    bounds, drawn = (column.lower, column.upper), number / answers.rows
    found = (
        level.quantile(share, edges, shares, of_shares, drawn) if known else level.unknown(0.5 * sum(bounds), bounds) for share in asked.quantiles
    )
    quantiles = tuple(_whole(one) if column.whole else one for one in found)
    mean, deviation = _moments(
        column, sums, deviations**2 * answers.totals[place].groups, level, (number, of_present), drawn, _fourth(column, fitted, place, edges)
    )
    if not known:
        mean, deviation = level.unknown(mean.value, bounds), level.unknown(deviation.value, (0.0, 0.5 * (column.upper - column.lower)))
    places = asked.bins_of(column)
    bins, missing = _histogram(column, fitted, answers, place, edges, places, there, records)
    return NumberSummary(mean=mean, deviation=deviation, quantiles=quantiles, bins=bins, edges=places, missing=missing)


def _whole(one: Estimate) -> Estimate:
    """Of a whole number: the whole numbers in the intervals, where there are any."""
    ends = [(math.ceil(low), math.floor(high)) for low, high in ((one.low, one.high), (one.noise_low, one.noise_high))]
    if any(low > high for low, high in ends):
        return one
    (low, high), (noise_low, noise_high) = ends
    value = min(noise_high, max(noise_low, round(one.value)))
    return Estimate(value=value, low=low, high=high, noise_low=noise_low, noise_high=noise_high, level=one.level)


def _fourth(column: Column, fitted: Fitted, place: int, edges: Floats) -> tuple[Floats, Floats]:
    """Middles of the fine cells, as numbers in [-1, 1], and the share of records in each."""
    counts = fitted.counts[place][: len(edges) - 1]
    kept = projected(counts, max(float(counts.sum()), 1.0))
    middles = (edges[:-1] + edges[1:] - column.lower - column.upper) / (column.upper - column.lower)
    return middles, kept / float(kept.sum())


def _moments(
    column: Column, sums: Floats, noise: Floats, level: Level, number: tuple[float, float], drawn: float, cells: tuple[Floats, Floats]
) -> tuple[Estimate, Estimate]:
    """Mean and standard deviation, from sums of numbers in [-1, 1] and of squares, with the variances `noise` of each.

    `number` is how many there are, with the variance of that; `drawn` of how many draws from the population.
    """
    size, of_number = number
    half, middle = 0.5 * (column.upper - column.lower), 0.5 * (column.upper + column.lower)
    mean = min(1.0, max(-1.0, float(sums[0]) / size))
    variance = float(sums[1]) / size - mean * mean
    of_mean = (float(noise[0]) + mean * mean * of_number) / size**2
    of_variance = (float(noise[1]) + 4.0 * mean * mean * float(noise[0]) + (mean * mean - variance) ** 2 * of_number) / size**2
    inside = min(1.0 - mean * mean, max(0.0, variance))
    middles, shares = cells
    fourth = max(float(shares @ (middles - mean) ** 4), inside * inside)
    # Where noise hides how far numbers are spread, as far as it may be is taken for how far they are.
    spread = min(1.0, max(inside, float(np.sqrt(of_variance))))
    found = level.around(middle + half * mean, half * half * of_mean, half * half * spread / drawn, (column.lower, column.upper))
    squared = level.around(inside, of_variance, (fourth - inside * inside) / drawn, (0.0, 1.0)).root()
    scaled = (half * end for end in (squared.value, squared.low, squared.high, squared.noise_low, squared.noise_high))
    value, low, high, noise_low, noise_high = scaled
    return found, Estimate(value=value, low=low, high=high, noise_low=noise_low, noise_high=noise_high, level=squared.level)


def _histogram(
    column: Column, fitted: Fitted, answers: _Answers, place: int, edges: Floats, places: tuple[float, ...], there: Floats, records: int
) -> tuple[tuple[Count, ...], Count | None]:
    """Bins of equal steps, and the missing values: integers that add up to the records."""
    size, cells, bins_there = fitted.solver.cells.cells, len(edges) - 1, len(places) - 1
    bin_of = np.clip(np.searchsorted(places, 0.5 * (edges[:-1] + edges[1:])) - 1, 0, bins_there - 1)
    functions = np.zeros((bins_there, size))
    functions[bin_of, np.arange(cells)] = 1.0
    labels = [_bin_words(column, start, end) for start, end in pairwise(places)]
    everything = functions if size == cells else np.vstack((functions, 1.0 - there))
    counts = whole_numbers(projected(everything @ fitted.counts[place], float(records)), records)
    missing = None
    if size > cells:
        (missing,) = _with_shares(fitted, answers, place, everything[bins_there:], np.ones(size), ("missing",), counts[bins_there:], records)
    bins = _with_shares(fitted, answers, place, functions, there, tuple(labels), counts[:bins_there], sum(counts[:bins_there]))
    return bins, missing


def _bin_words(column: Column, start: float, end: float) -> str:
    if column.kind == "date":
        return f"{date_words(start)} to {date_words(end)}"
    if column.one_each:
        first, last = math.ceil(start), math.floor(end)
        return f"{first}" if first == last else f"{first} to {last}"
    return f"{number_words(start, width=end - start)} to {number_words(end, width=end - start)}"


def _pair(
    fitted: Fitted,
    answers: _Answers,
    place: int,
    margins: tuple[Fitted, Fitted],
    columns: tuple[Column, Column],
    categories: dict[str, tuple[Count, ...]],
) -> tuple[tuple[Count, ...], ...]:
    """A table of two columns, whose margins are what is said of each."""
    first, second = columns
    a, b = len(first.labels), len(second.labels)
    rows, others = ([one.count for one in categories[column.name]] for column in columns)
    noisy = fitted.counts[place].reshape(a, b)
    counts = whole_table(noisy, rows, others)
    exact = with_margins(noisy, margins[0].counts[place], margins[1].counts[place])
    # Of noise in the cells what is left beside their margins; of the margins, their own.
    one = float(fitted.variances(place, np.eye(a * b)[:1])[0])
    of_rows, of_others = (margin.variances(place, np.eye(size)) for margin, size in zip(margins, (a, b), strict=True))
    variances = one * (1.0 - 1.0 / a) * (1.0 - 1.0 / b) + of_rows[:, np.newaxis] / b**2 + of_others / a**2
    level = answers.level
    table = []
    for i, label in enumerate(first.labels):
        ends = [level.around(float(exact[i, j]), float(variances[i, j]), 0.0, (0.0, np.inf), shown=int(counts[i, j])) for j in range(b)]
        words = (f"{label}, {other}" for other in second.labels)
        table.append(
            tuple(
                Count(label=word, count=int(counts[i, j]), low=end.noise_low, high=end.noise_high)
                for j, (word, end) in enumerate(zip(words, ends, strict=True))
            )
        )
    return tuple(table)


def _together(whole: Part, groups: list[Part]) -> Part:
    """The whole table, with counts that are the sums of those of its groups; intervals are its own."""

    def summed(one: Count, each: list[Count], records: int) -> Count:
        count = sum(other.count for other in each)
        share = one.share
        if share is not None:
            said = count / records if records else 0.0
            ends = {"low": min(share.low, said), "high": max(share.high, said)}
            alone = {"noise_low": min(share.noise_low, said), "noise_high": max(share.noise_high, said)}
            share = Estimate(value=said, level=share.level, **ends, **alone)
        return Count(label=one.label, count=count, low=min(one.low, count), high=max(one.high, count), share=share)

    records = whole.records.count
    categories = {
        name: tuple(summed(one, [group.categories[name][i] for group in groups], records) for i, one in enumerate(counts))
        for name, counts in whole.categories.items()
    }
    numbers = {}
    for name, one in whole.numbers.items():
        missing = None if one.missing is None else summed(one.missing, [m for group in groups if (m := group.numbers[name].missing)], records)
        present = records - (0 if missing is None else missing.count)
        bins = tuple(summed(each, [group.numbers[name].bins[i] for group in groups], present) for i, each in enumerate(one.bins))
        numbers[name] = NumberSummary(mean=one.mean, deviation=one.deviation, quantiles=one.quantiles, bins=bins, edges=one.edges, missing=missing)
    pairs = {
        pair: tuple(
            tuple(summed(one, [group.pairs[pair][i][j] for group in groups], records) for j, one in enumerate(row)) for i, row in enumerate(table)
        )
        for pair, table in whole.pairs.items()
    }
    return Part(name="", records=whole.records, numbers=numbers, categories=categories, pairs=pairs)
