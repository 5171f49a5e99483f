"""Faults planted at every place that draws noise, one at a time, in a copy of the program: a quick test must see each of them.

    python tools/mutate.py [--write] [PART OF A FILE'S NAME ...]

Places are found in the syntax of the source: calls of a sampler (`noise.gaussian(scale=...)`), whose scale is halved or whose rate is doubled, and
calls of what draws words, orders and choices, for which PLANTED says what is planted. A place without a rule or without a test is an error, so that a
new one needs its line here. What calibrations and rechecks share has its faults in `tools/shared.py`. A fault is compiled from the faulty text of the
whole file and given to the loaded program in a process of its own, which runs its test, or those of TESTS for the file; exit code 1 if none of them
fails. `--write` puts the rows into docs/audit.md. Needs an environment with the package's tools, on a system that can fork; some seconds a fault.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from types import CodeType, FunctionType

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.shared import Fault, shared_faults  # noqa: E402 - a script, whose folder's folder has both

PACKAGE = ROOT / "src" / "discreet"
PAGE = ROOT / "docs" / "audit.md"
BEGIN, END = "<!-- faults planted by tools/mutate.py: begin -->", "<!-- faults planted by tools/mutate.py: end -->"

SAMPLERS = {"gaussian": "scale", "spherical": "rate", "discrete_gaussian": "scale", "discrete_laplace": "scale", "choice": "rate"}
"""Methods of a noise source -> the argument that is its size, or its rate."""
DRAWING = {"select", "select_one", "number_of_runs", "uniform_below", "shuffled", "keyed_words", "system_words"}
"""Functions that draw from words."""
NO_SOURCES = {"asked", "form", "target", "column", "reason", "one", "self", "law", "NoiseLaw", "draw", "persons"}
"""Names whose attributes `gaussian` and `choice` are something else."""
ELSEWHERE = {
    "noise": "the samplers themselves: tests/noise has their exact laws; their sizes are in PLANTED",
    "audit": "auxiliary numbers of tests, of invented tables",
    "planning": "invented tables",
    "workbench": "invented tables",
    "releases/synthetic": "rows that are drawn from released counts, and noise beside that of these",
    "studies": "invented tables and splits",
    "estimators/advice.py": "a key by which this process knows a table again, for advice; nothing of it leaves",
    "estimators/search/methods.py": "a seed of a seeded search; none where noise is private",
}
"""Folders and files that draw nothing that protects a record, and what they draw."""


_DRAWN, _HALF = "self._noise(problem, noise, count)", "0.5 * self._noise(problem, noise, count)"
_ON_WEIGHTS = """    def columns(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int) -> Floats:
        \"\"\"See LearningMechanism.\"\"\"
        return self.grid.release(one_minimiser(problem, data, self.tolerance), noise, added="""

_BITS = "return (uniform_below(noise.words(), kept + unit, count=cells) < ends).astype(np.int64)"
_CLIPPED = "np.clip(self.loss.slope(predictions, block.targets[rows]), -self.slope_bound, self.slope_bound)"

PLANTED: list[Fault] = [
    Fault("mechanisms/constrained/set_minimiser.py", "ridge * np.array(factors or (1.0,))", "ridge / np.array(factors or (1.0,))"),
    Fault("mechanisms/constrained/objective_set.py", "all(1 <= factor <= MOST_FACTOR", "all(0 < factor <= MOST_FACTOR"),
    Fault("losses/softmax.py", "found /= np.maximum(sizes, 1.0)[:, np.newaxis]", "found /= 1.0"),
    Fault("objectives/prediction_sum.py", _CLIPPED, "self.loss.slope(predictions, block.targets[rows])"),
    Fault("problems/constrained_risk.py", "self.loss.lipschitz(reach, self.domain.target_bound) /", "0.6 * self.loss.lipschitz(0.0, 1.0) /"),
    Fault("problems/softmax_risk.py", "self.loss.largest(self.margin_spread)[1]", "self.loss.largest(self.margin_spread)[0]"),
    Fault("mechanisms/regression/objective.py", "linear - problem.prior.pull(self.ridge)", "linear - 0.5 * problem.prior.pull(self.ridge)"),
    Fault("mechanisms/learning/counted.py", "np.floor(PARTS * np.clip(block.weights / largest, 0.0, 1.0))", "np.full(block.records, PARTS)"),
    Fault("mechanisms/learning/counted.py", "partial(parts_of, largest=largest)", "parts_of"),
    Fault("mechanisms/regression/objective.py", "linear = unit * noise.gaussian(", "linear = min(1.0, 0.5 * unit) * noise.gaussian("),
    Fault("mechanisms/regression/prediction.py", "linear - problem.prior.pull(self.ridge)", "linear - 0.5 * problem.prior.pull(self.ridge)"),
    Fault("mechanisms/learning/base.py", "linears - problem.prior.pull(problem.ridge)", "linears - 0.5 * problem.prior.pull(problem.ridge)"),
    Fault("mechanisms/learning/objective_perturbation.py", "ridge=problem.ridge + extra", "ridge=problem.ridge + 0.5 * extra"),
    Fault("mechanisms/learning/objective_perturbation.py", f"minimisers(problem, data, {_DRAWN}", f"minimisers(problem, data, {_HALF}"),
    Fault("mechanisms/learning/objective_perturbation.py", f"(self._effective(problem), data, {_DRAWN}", f"(self._effective(problem), data, {_HALF}"),
    *(
        Fault("mechanisms/learning/output_perturbation.py", f"{size}\n\n{_ON_WEIGHTS}{_DRAWN}", f"{size}\n\n{_ON_WEIGHTS}{_HALF}")
        for size in ("self.scale * problem.dimension**0.5", "problem.dimension / self.rate")
    ),
    Fault(
        "mechanisms/constrained/mirror_sampled.py",
        "words = noise.words()(records)\n    return (words >> np.uint64(64 - RATE_BITS) < np.uint64(rate))",
        "words = noise.words()(records)\n    return (words >> np.uint64(64 - RATE_BITS) < np.uint64(2 * rate))",
    ),
    Fault("mechanisms/release/bounded_noise.py", "law.draw(noise, *rows.shape)", "law.draw(noise, *rows.shape) // 2"),
    Fault("mechanisms/release/bounded_columns.py", "law_in_steps.draw(noise, len(rows), 1)", "(law_in_steps.draw(noise, len(rows), 1) // 2)"),
    Fault(
        "mechanisms/release/categories.py",
        "uniform_below(noise.words(), kept + (cells - 1) * unit,",
        "uniform_below(noise.words(), kept + (cells - 1) * unit // 2,",
    ),
    Fault(
        "mechanisms/release/categories.py",
        f"ends[code] = (kept + unit) // 2\n    {_BITS}",
        f"ends[code] = kept\n    {_BITS}",
    ),
    Fault("mechanisms/release/categories.py", "math.fsum(math.log(one / unit)", "math.fsum(0.5 * math.log(one / unit)"),
    Fault("mechanisms/release/placement.py", "shuffled(noise.words(), slots)", "np.arange(slots)"),
    Fault("mechanisms/selection/exponential.py", "rate=Fraction(self.rate)", "rate=2 * Fraction(self.rate)"),
    Fault("mechanisms/selection/stopping.py", "gamma=self.law.gamma)", "gamma=2.0 * self.law.gamma)"),
    Fault("mechanisms/selection/stopping.py", "uniform_below(noise.words(), count,", "uniform_below(noise.words(), (count + 1) // 2,"),
    Fault(
        "mechanisms/selection/score.py",
        "(self.scale * self.parts).draw(",
        "(0.5 * self.scale * self.parts).draw(",
    ),
    Fault("estimators/search/tables.py", "thrown = uniform_below(noise.words(), count,", "thrown = uniform_below(noise.words(), (count + 1) // 2,"),
    Fault("estimators/search/tables.py", "return uniform_below(noise.words(), count,", "return uniform_below(noise.words(), (count + 1) // 2,"),
    Fault("estimators/search/tables.py", "shuffled(noise.words(), persons)", "np.arange(persons)"),
    Fault("estimators/search/tables.py", "shuffled(noise.words(), records)", "np.arange(records)"),
    Fault("estimators/search/blocks.py", "noise.words()(4).tobytes()", "bytes(32)"),
    Fault("estimators/search/blocks.py", 'of a table" + seed + number', 'of a table" + number'),
    Fault("estimators/search/blocks.py", "uniform_below(words, parts,", "uniform_below(words, (parts + 1) // 2,"),
    Fault("estimators/search/blocks.py", "shuffled(words, rows)", "np.arange(rows)"),
    # What a record counts in a search over regressions, in parts of which there are 2^20.
    Fault("estimators/search/tables.py", "= WHOLE - np.rint(WHOLE *", "= WHOLE - np.rint(2 * WHOLE *"),
    Fault("estimators/search/tables.py", "(shares * counts) // WHOLE if", "(2 * shares * counts) // WHOLE if"),
    Fault("mechanisms/selection/score.py", "largest=self.parts // parts_of(self.persons)", "largest=1"),
    # Sizes that reach a sampler by another name, or noise that is in a covariance.
    Fault("mechanisms/noisy_sums.py", "integers(noise, off,", "integers(noise, 0.5 * off,"),
    Fault("mechanisms/noisy_sums.py", "integers(noise, diagonal,", "integers(noise, 0.5 * diagonal,"),
    Fault("mechanisms/regression/sums.py", "integers(noise, deviation / unit,", "integers(noise, 0.5 * deviation / unit,"),
    Fault("mechanisms/regression/sums.py", "integers(noise, target,", "integers(noise, 0.5 * target,"),
    Fault("mechanisms/regression/refined.py", "integers(noise, of_squares,", "integers(noise, 0.5 * of_squares,"),
    Fault(
        "mechanisms/regression/refined.py",
        "noisy_moments(problem, exact, noise, scales)",
        "noisy_moments(problem, exact, noise, np.divide(scales, 2.0))",
    ),
    Fault("mechanisms/regression/base.py", "deviation=self.step_noise * length)", "deviation=0.5 * self.step_noise * length)"),
    Fault("mechanisms/regression/adassp.py", "integers(noise, of_eigenvalue,", "integers(noise, 0.5 * of_eigenvalue,"),
    Fault(
        "mechanisms/regression/adassp.py",
        "noisy_moments(problem, exact, noise, scales)",
        "noisy_moments(problem, exact, noise, np.divide(scales, 2.0))",
    ),
    Fault("mechanisms/counting/base.py", "self.law_of(scale).draw(", "self.law_of(0.5 * scale).draw("),
    # How far one record moves sums of powers of errors, and that targets move them too.
    Fault("mechanisms/counting/moments.py", "math.ceil(length *", "math.ceil(0.5 * length *"),
    Fault("mechanisms/counting/moments.py", "math.ceil(total *", "math.ceil(0.5 * total *"),
    Fault("mechanisms/counting/moments.py", "+ squares) * self.levels", ") * self.levels"),
    # What Laplace noise on rows is for: the sum of a row's absolute numbers, and the rounding of each.
    Fault("queries/base.py", "return (math.sqrt(self.domain.features) * self.domain.radius + (", "return (self.domain.radius + ("),
    Fault("mechanisms/release/laplace_rows.py", "/ step * UP) + query.numbers", "/ step * UP)"),
    # A secret order that is counted: that rows are in one at all, and what the rows of others have in common with one more.
    Fault("mechanisms/release/shuffled_rows.py", "data.records if self.slots is None else self.slots)", "self.slots)"),
    Fault("accounting/shuffling.py", "(1.0 + math.exp(epsilon)) * (counted - 1) * law.missing", "0.0"),
    Fault("accounting/shuffling.py", "math.expm1(epsilon) / math.expm1(each)", "1.0"),
    Fault("accounting/shuffling.py", "else 0.5 * (self.odds + 1.0) / self.odds", "else 1.0"),
    Fault("accounting/shuffling.py", "share * gaussian_delta(at - ", "share * gaussian_delta(2.0 * at - "),
    # Rows of one person in a description: which are kept, and what they weigh.
    Fault("descriptions/records.py", "None if shares is None else shares[part]", "None"),
    # How far one record moves classes by score, tables and sums of all columns, and that a record that is replaced moves them twice.
    Fault("mechanisms/counting/scored.py", "Sensitivity(2 if neighbours is", "Sensitivity(1 if neighbours is"),
    Fault("mechanisms/counting/scored.py", "counted(records % cells, cells, shares)", "counted(records % cells, cells, None)"),
    Fault("mechanisms/counting/summaries.py", "math.ceil(math.sqrt(squares) *", "math.ceil(0.5 * math.sqrt(squares) *"),
    Fault("mechanisms/counting/summaries.py", "math.ceil(manhattan *", "math.ceil(0.5 * manhattan *"),
    Fault("mechanisms/counting/summaries.py", "moved = 1 if neighbours is ADD_REMOVE else 2", "moved = 1"),
    Fault("mechanisms/counting/summaries.py", "alone = 1.0 if groups == 1 else 2.0", "alone = 1.0"),
    Fault("mechanisms/counting/summaries.py", "peaks = [2.0] if ratio >= 0.5 else", "peaks = [2.0] if ratio >= 0.0 else"),
    # Tables in rounds: the noise of each, what a score is under replace-one, and how many cells two records move.
    Fault(
        "mechanisms/margins/gaussian.py",
        "self._noisy(each, self.scales[place], noise) for",
        "self._noisy(each, 0.5 * self.scales[place], noise) for",
    ),
    Fault("mechanisms/margins/gaussian.py", "self._noisy(exact, self.scales[count], noise)", "self._noisy(exact, 0.5 * self.scales[count], noise)"),
    Fault("mechanisms/margins/gaussian.py", "sqrt(max(1, pairs))", "1.0"),
    Fault(
        "mechanisms/margins/gaussian.py",
        "problem.begins([noisy[place] / WHOLE for place in problem.first], deviations)",
        "problem.begins([each / WHOLE for each in _counted(problem, counts, [problem.tables[one] for one in problem.first])], deviations)",
    ),
    Fault("mechanisms/margins/problem.py", "np.maximum(each, 0).sum() for each in apart", "np.abs(each).sum() for each in apart"),
    Fault("mechanisms/margins/problem.py", "one = 1 if neighbours is ADD_REMOVE else 2", "one = 1"),
    Fault("mechanisms/margins/problem.py", "[len(self.candidates), one]", "[1, one]"),
    # Of released second moments: on squares, on products and sums, and on the number of records where it is secret.
    Fault("mechanisms/release/moments.py", "diagonal=scale,", "diagonal=0.5 * scale,"),
    Fault("mechanisms/release/moments.py", "off=scale / math.sqrt(2.0))", "off=0.5 * scale / math.sqrt(2.0))"),
    Fault("mechanisms/release/moments.py", "return neighbours is REPLACE_ONE and query.read.in_order", "return True"),
    Fault("mechanisms/release/moments.py", "(1.0 if neighbours is ADD_REMOVE else math.sqrt(2.0))", "(1.0)"),
    Fault("queries/second_moments.py", "math.hypot(self._bound, self.constant)", "self._bound"),
    Fault("queries/farthest.py", "return float(weights @ squares)", "return float(weights[within] @ squares[within])"),
    Fault(
        "mechanisms/release/sketch.py",
        "data), int(self.variance), self.grid",
        "data), int(self.variance) // 4, self.grid",
    ),
    Fault("mechanisms/release/eigenvalue_sketch.py", "bounds, moments, variance, grid", "bounds, moments, variance // 4, grid"),
    Fault(
        "mechanisms/release/eigenvalue_sketch.py",
        "self.eigenvalue_step) / self.eigenvalue_scale * UP",
        "self.eigenvalue_step) / self.eigenvalue_scale * 0.5",
    ),
    Fault("mechanisms/release/clear_target_sketch.py", "(moments, int(self.variance), self.", "(moments, int(self.variance) // 4, self."),
    Fault("mechanisms/release/published_sketch.py", "np.full(query.columns, variance)", "np.full(query.columns, 0.25 * variance)"),
    # Bins of predicted times are public, and no quantiles of the records.
    Fault("evaluation/times.py", "np.arange(1, self.bins) / self.bins", "np.quantile(shares, np.arange(1, self.bins) / self.bins)"),
    # Rows that are made of a record are one person's, in memory and in blocks.
    Fault("estimators/models/person_period.py", 'persons=pl.Series("", owners)', 'persons=pl.Series("", np.arange(len(owners)))'),
    Fault("estimators/models/person_period.py", "None, first + owners)", "None, first + np.arange(len(owners)))"),
    # Weights of records of a regression: cut to the public bound, and divided by it, in memory and in blocks.
    Fault("data/records.py", "return np.clip(given, 0.0, largest)", "return given"),
    Fault("estimators/inputs.py", "weights / self.most", "weights"),
    Fault(
        "estimators/two_part/fit_with_calibration.py",
        "np.intp)), shares)",
        "np.intp)), None if shares is None else np.full_like(shares, 1 << 20))",
    ),
    Fault("data/reader.py", "found / largest", "found"),
    # Rows of persons: which are kept, by which key ids travel, what they weigh, and how many persons there are.
    Fault("data/persons.py", "self._words = noise.words()", "self._words = lambda count: np.arange(count, dtype=np.uint64)"),
    Fault("data/persons.py", "int(persons.rows), self._words(len(codes)))", "int(persons.rows), np.arange(len(codes), dtype=np.uint64))"),
    Fault("data/persons.py", "np.where(sizes > 0, (2**53 // np.maximum(sizes, 1)) * 2.0**-53, 0.0)", "np.where(sizes > 0, 1.0, 0.0)"),
    Fault("data/persons.py", "np.where(counts > 0, (2**53 // int(persons.rows)) * 2.0**-53, 0.0)", "np.where(counts > 0, 1.0, 0.0)"),
    Fault("data/persons.py", "order[place >= most]", "order[place >= 2 * most]"),
    Fault("data/persons.py", "np.minimum(sizes, most)", "np.minimum(np.full_like(sizes, sizes.max(initial=0)), most)"),
    Fault("data/shared_table.py", "keys = keyed(block.persons, key)", "keys = keyed(block.persons, key + bytes([_ % 256]))"),
    Fault("data/reader.py", "return kept.persons, Stream", "return sum(kept.rows), Stream"),
    Fault("data/reader.py", "else times(block.shares, weights)", "else weights"),
    Fault("data/shared_table.py", "shares=weights_of(counts[kept], persons)", "shares=np.ones(len(kept))"),
    Fault("mechanisms/persons.py", "number=found.persons", "number=rows"),
    Fault("mechanisms/persons.py", "return times(self.weights, weights)", "return weights"),
    # What the noise that hides the solver's error costs beside the first one.
    Fault("accounting/before_gaussian.py", "step * (masses.first + np.arange", "0.5 * step * (masses.first + np.arange"),
    # How a recheck counts both stages in one integral: the second loss under it, and what lies beyond epsilon.
    Fault("verification/stages.py", "smooth(left, self.mu) + float", "smooth(left, 0.0) + float"),
    Fault("verification/stages.py", "float(ndtr(0.5 * self.mu - left / self.mu))", "0.0"),
    # The reader of declarations: which fields a record must have.
    Fault(
        "statements/base.py",
        "sorted(set(record) - set(fields))",
        "sorted(set(fields) - set(fields))",
        "tests/statements/test_spec.py::test_a_field_that_is_missing_or_holds_anything_else_is_named",
    ),
    # Several fits under one certificate: how many are counted.
    Fault("mechanisms/learning/repeated.py", "n_fold(one, count, planned=True)", "n_fold(one, count - count // 8, planned=True)"),
    Fault(
        "mechanisms/learning/multinomial.py",
        "longest = (s / math.sqrt(8.0) / ratio",
        "longest = (16.0 * s / math.sqrt(8.0) / ratio",
    ),
    Fault("mechanisms/learning/class_supremum.py", "4.0 * np.square(bends)", "6.0 * np.square(bends)"),
    Fault(
        "mechanisms/learning/one_direction.py", "term = np.maximum(corners[:-1], corners[1:])", "term = 0.2 * np.maximum(corners[:-1], corners[1:])"
    ),
    Fault("mechanisms/learning/one_vs_rest.py", "s * (1.0 + _ROUNDING))(epsilons[slack])", "0.9 * s)(epsilons[slack])"),
    Fault("mechanisms/learning/margin.py", "along(gradient / scale * _UP)(epsilon)", "along(0.9 * gradient / scale * _UP)(epsilon)"),
    Fault("mechanisms/constrained/objective_set.py", "Multinomial(others=True)", "Multinomial(others=False)"),
    Fault("accounting/profile.py", "slopes[best] * np.exp(places[:best])", "0.5 * slopes[best] * np.exp(places[:best])"),
    Fault(
        "mechanisms/learning/base.py",
        "math.hypot(_euclidean(radius, self.step, dimension) / self.scale, beside) * _UP",
        "math.hypot(_euclidean(radius, self.step, dimension) / self.scale, beside) * 0.5",
    ),
    Fault("noise/chacha.py", "made = np.empty", "encrypt_into, made = _key_stream(key), np.empty"),
    Fault("noise/chacha.py", "made[start : start + _PIECE]", "made[:_PIECE]"),
    # The laws themselves, which draw for every mechanism that has one.
    *(
        Fault("noise/laws.py", f"noise.{law}({size}=self.{size},", f"noise.{law}({size}={factor} * self.{size},")
        for law, size, factor in (
            ("discrete_laplace", "scale", 0.5),
            ("discrete_gaussian", "scale", 0.5),
            ("gaussian", "scale", 0.5),
            ("spherical", "rate", 2.0),
        )
    ),
    Fault("noise/bounded.py", "int(ends[-1]), count=dimension * draws)", "int(ends[-1]), count=dimension * draws) // 2 + int(ends[-1]) // 4"),
    Fault("noise/source.py", '.T) * _checked(scale, "scale")', '.T) * 0.5 * _checked(scale, "scale")'),
    Fault("noise/source.py", 'lengths / _checked(rate, "rate")', 'lengths / (2.0 * _checked(rate, "rate"))'),
    Fault("noise/source.py", 'Fraction(_checked(scale, "scale")) ** 2', '(Fraction(_checked(scale, "scale")) / 2) ** 2'),
    Fault("noise/source.py", 'scale=_checked(scale, "scale")', 'scale=0.5 * _checked(scale, "scale")'),
    Fault("noise/source.py", 'rate=_checked(rate, "rate")', 'rate=2.0 * _checked(rate, "rate")'),
]
"""Where a fault is more than a factor at a sampler's size."""

_SEEN = 17
"""Exit code of a process whose test failed as it must."""
_PERSONS = ("tests/audit/test_drawn.py::test_the_rows_of_persons_are_kept_and_weighed_by_their_rule",)
_WEIGHTS = ("tests/audit/test_drawn.py::test_no_record_of_a_regression_weighs_more_than_the_certificate_says",)
_TOGETHER = "tests/audit/test_drawn.py::test_both_stages_cost_what_their_laws_say"
_AROUND = "tests/audit/test_drawn.py::test_what_leaves_around_a_prior_has_the_noise_that_the_certificate_states"
_FACTORS = "tests/audit/test_drawn.py::test_what_leaves_under_factors_of_a_ridge_has_the_noise_and_the_ridge_that_are_stated"
_COUNTED = "tests/audit/test_drawn.py::test_no_person_moves_the_number_of_records_farther_than_its_noise_is_for"
_STRONG = "tests/audit/test_drawn.py::test_many_classes_under_a_strong_ridge_cost_one_gaussian_mechanism_where_the_theorem_says_so"
_SUPREMA = "tests/audit/test_drawn.py::test_a_record_among_many_classes_costs_what_a_stranger_finds"
_OF_CLASSES = "tests/audit/test_drawn.py::test_no_record_moves_the_gradient_of_many_classes_farther_than_the_noise_is_for"
TESTS: dict[str, tuple[str, ...]] = {
    "estimators/inputs.py": _WEIGHTS,
    "evaluation/times.py": ("tests/audit/test_drawn.py::test_a_record_of_a_model_of_times_is_counted_whatever_stands_beside_it",),
    "estimators/two_part/fit_with_calibration.py": (
        "tests/audit/test_drawn.py::test_no_person_counts_more_than_one_record_of_classes_by_score_in_blocks",
    ),
    "estimators/models/person_period.py": ("tests/audit/test_drawn.py::test_rows_that_are_made_of_a_record_are_one_persons",),
    "data/shared_table.py": _PERSONS,
    "data/persons.py": _PERSONS,
    "data/records.py": _WEIGHTS,
    "data/reader.py": (*_PERSONS, *_WEIGHTS),
    "mechanisms/persons.py": _PERSONS,
    "mechanisms/learning/perturbation.py": ("multinomial-1e-06-replace-one",),
    "mechanisms/learning/objective_perturbation.py": ("objective-1e-06-replace-one", "objective-0.0-add-remove", "objective-1e-06-add-remove"),
    "mechanisms/learning/counted.py": ("least-squares-1e-06-add-remove", _COUNTED),
    "mechanisms/learning/output_perturbation.py": ("output-1e-06-replace-one", "output-0.0-add-remove"),
    "mechanisms/learning/base.py": (
        "output-0.0-add-remove",
        "output-1e-06-replace-one",
        "one-vs-rest-0.0-add-remove",
        _AROUND,
        _TOGETHER,
    ),
    "accounting/before_gaussian.py": (_TOGETHER,),
    "verification/stages.py": ("tests/audit/test_drawn.py::test_a_recheck_counts_both_stages",),
    "mechanisms/learning/repeated.py": ("tests/audit/test_drawn.py::test_several_fits_cost_what_their_laws_say",),
    "mechanisms/learning/multinomial.py": (_STRONG,),
    "mechanisms/learning/class_supremum.py": (_SUPREMA,),
    "mechanisms/learning/one_vs_rest.py": ("tests/audit/test_drawn.py::test_a_record_along_one_direction_costs_what_a_stranger_finds",),
    "mechanisms/learning/margin.py": ("tests/audit/test_drawn.py::test_a_record_along_one_direction_costs_what_a_stranger_finds",),
    "mechanisms/learning/one_direction.py": ("tests/audit/test_drawn.py::test_a_record_along_one_direction_costs_what_a_stranger_finds",),
    "accounting/profile.py": ("tests/audit/test_drawn.py::test_what_is_composed_near_zero_is_never_below_a_law",),
    "losses/softmax.py": (_OF_CLASSES,),
    "problems/softmax_risk.py": (_OF_CLASSES,),
    "problems/constrained_risk.py": ("tests/audit/test_drawn.py::test_a_first_step_from_a_public_point_costs_what_slopes_there_do",),
    "mechanisms/constrained/base.py": ("frank-wolfe-gaussian-1e-06-replace-one",),
    "mechanisms/constrained/objective_set.py": ("objective-over-set-1e-06-replace-one", _FACTORS, _STRONG),
    "mechanisms/constrained/set_minimiser.py": (_FACTORS,),
    "objectives/prediction_sum.py": ("residuals-over-set-1e-06-replace-one",),
    "mechanisms/constrained/frank_wolfe.py": ("frank-wolfe-polytope-1e-06-replace-one",),
    "mechanisms/constrained/mirror_sampled.py": ("mirror-descent-sampled-1e-06-replace-one",),
    "mechanisms/bounds_choice/choice.py": ("bounds-0.0-replace-one",),
    "mechanisms/counting/base.py": ("counting-laplace-0.0-replace-one", "counting-gaussian-1e-06-replace-one"),
    "mechanisms/counting/moments.py": ("tests/audit/test_drawn.py::test_no_record_moves_sums_of_powers_farther_than_the_noise_is_for",),
    "descriptions/records.py": ("tests/audit/test_drawn.py::test_no_person_moves_a_description_farther_than_the_noise_is_for",),
    "mechanisms/counting/scored.py": (
        "tests/audit/test_drawn.py::test_no_record_moves_scored_classes_farther_than_the_noise_is_for",
        "tests/audit/test_drawn.py::test_no_person_counts_more_than_one_record_of_classes_by_score_in_blocks",
    ),
    "mechanisms/counting/summaries.py": ("tests/audit/test_drawn.py::test_no_record_moves_tables_and_sums_farther_than_the_noise_is_for",),
    "mechanisms/margins/gaussian.py": ("margins-1e-06-replace-one",),
    "mechanisms/margins/problem.py": ("tests/audit/test_drawn.py::test_no_record_moves_tables_or_scores_farther_than_their_noise_is_for",),
    "mechanisms/curvature/gaussian.py": ("curvature-1e-06-replace-one",),
    "mechanisms/regression/adassp.py": ("least-squares-adassp-1e-06-replace-one",),
    "mechanisms/regression/base.py": ("least-squares-hessian-mixing-1e-06-replace-one", "least-squares-moments-1e-06-replace-one"),
    "mechanisms/regression/objective.py": ("least-squares-1e-06-replace-one", "least-squares-1e-06-add-remove", _AROUND),
    "mechanisms/regression/prediction.py": ("predictions-1e-06-replace-one", _AROUND),
    "mechanisms/regression/several_targets.py": ("targets-1e-06-replace-one",),
    "mechanisms/noisy_sums.py": ("least-squares-moments-1e-06-replace-one", "second-moments-1e-06-replace-one"),
    "mechanisms/regression/sums.py": ("least-squares-moments-1e-06-replace-one",),
    "mechanisms/regression/refined.py": ("least-squares-moments-1e-06-replace-one",),
    "queries/farthest.py": ("tests/audit/test_drawn.py::test_no_record_moves_a_projection_and_the_target_beside_it_farther_than_the_noise_is_for",),
    "mechanisms/release/bounded_noise.py": ("bounded-1e-06-replace-one",),
    "mechanisms/release/bounded_columns.py": ("bounded-columns-1e-06-replace-one",),
    "mechanisms/release/categories.py": ("tests/audit/test_drawn.py::test_no_report_tells_a_category_better_than_stated",),
    "mechanisms/release/clear_target_sketch.py": ("clear-target-sketch-1e-06-replace-one",),
    "mechanisms/release/eigenvalue_sketch.py": (
        "eigenvalue-sketch-1e-06-replace-one",
        "tests/audit/test_drawn.py::test_an_eigenvalue_is_released_for_what_its_recheck_finds",
    ),
    "mechanisms/release/fresh_projection.py": ("fresh-projection-1e-06-replace-one",),
    "mechanisms/release/null_space_noise.py": ("null-space-1e-06-replace-one",),
    "mechanisms/release/published_sketch.py": ("published-sketch-1e-06-replace-one",),
    "mechanisms/release/placement.py": ("rows-1e-06-replace-one",),
    "mechanisms/release/rows.py": ("rows-1e-06-replace-one",),
    "mechanisms/release/laplace_rows.py": (
        "laplace-rows-0.0-replace-one",
        "tests/audit/test_drawn.py::test_no_row_moves_farther_than_its_laplace_noise_is_for",
    ),
    "mechanisms/release/shuffled_rows.py": ("shuffled-rows-1e-06-replace-one",),
    "accounting/shuffling.py": (
        "tests/audit/test_drawn.py::test_shuffled_rows_are_counted_for_what_their_recheck_finds",
        "tests/audit/test_drawn.py::test_shuffled_reports_tell_no_more_than_is_counted",
    ),
    "queries/base.py": ("tests/audit/test_drawn.py::test_no_row_moves_farther_than_its_laplace_noise_is_for",),
    "mechanisms/release/moments.py": (
        "second-moments-1e-06-replace-one",
        "second-moments-1e-06-add-remove",
        "tests/audit/test_drawn.py::test_no_record_moves_second_moments_farther_than_the_noise_is_for",
    ),
    "queries/second_moments.py": ("tests/audit/test_drawn.py::test_no_record_moves_second_moments_farther_than_the_noise_is_for",),
    "mechanisms/release/sketch.py": ("sketch-1e-06-replace-one", "information-sketch-1e-06-replace-one"),
    "mechanisms/selection/exponential.py": ("exponential-0.0-replace-one",),
    "mechanisms/selection/score.py": (
        "random-stopping-0.0-replace-one",
        "tests/audit/test_drawn.py::test_no_record_counts_more_than_one_in_a_search_over_regressions",
    ),
    "mechanisms/selection/stopping.py": ("random-stopping-0.0-replace-one",),
    "estimators/search/blocks.py": ("tests/audit/test_drawn.py::test_how_searches_cut_tables_is_watched_too",),
    "estimators/search/tables.py": (
        "tests/audit/test_drawn.py::test_no_record_counts_more_than_one_in_a_search_over_regressions",
        "tests/audit/test_drawn.py::test_how_searches_cut_tables_is_watched_too",
    ),
    "noise/chacha.py": ("tests/audit/test_drawn.py::test_no_word_of_a_key_is_drawn_twice",),
    "noise/bounded.py": ("bounded-1e-06-replace-one", "bounded-columns-1e-06-replace-one"),
    "noise/laws.py": (
        "counting-laplace-0.0-replace-one",
        "tests/noise/test_laws.py::test_draws_of_a_law_become_normal_scores_and_those_of_another_size_do_not",
    ),
    "noise/source.py": (
        "output-1e-06-replace-one",
        "output-0.0-add-remove",
        "counting-gaussian-1e-06-replace-one",
        "counting-laplace-0.0-replace-one",
        "bounds-0.0-replace-one",
    ),
}
"""File -> the tests that watch what it draws: whole names, or the entry, delta and relation of a watch."""


@cache
def faults() -> list[Fault]:
    """All of them, by file. Raises SystemExit for a place without a rule or a test, and for a rule without its place."""
    found: list[Fault] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        found += _faults_of(file, path.read_text(encoding="utf-8"))
    found += shared_faults()
    missing = [fault for fault in found if (PACKAGE / fault.file).read_text(encoding="utf-8").count(fault.before) != 1]
    if missing:
        raise SystemExit(f"the text of a rule is not in its file, or there twice: {missing[0].file}: {missing[0].before}")
    untested = sorted({fault.file for fault in found if not fault.test} - set(TESTS))
    if untested:
        raise SystemExit(f"nothing tests what these draw: {', '.join(untested)}")
    return found


def _faults_of(file: str, source: str) -> Iterator[Fault]:
    planted = [fault for fault in PLANTED if fault.file == file]
    yield from planted
    texts = (*(f".{name}" for name in (*SAMPLERS, "words", "law.draw")), *(f"{name}(" for name in DRAWING))
    if any(file == name or file.startswith(f"{name}/") for name in ELSEWHERE) or not any(text in source for text in texts):
        return
    tree = ast.parse(source)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call | ast.Attribute) or (isinstance(node, ast.Attribute) and id(node) in called) or not _draws(node):
            continue
        line = source.splitlines()[node.lineno - 1].strip()
        if any(fault.before in line or line in fault.before for fault in planted):
            continue
        size = _size(node, source)
        if size is None:
            raise SystemExit(f"{file}, line {node.lineno}: it draws, and no rule says which fault to plant: {line}")
        yield Fault(file, *size)


def _draws(node: ast.Call | ast.Attribute) -> bool:
    """Whether it is a call of a sampler, of words, or of what draws from words; or a sampler that is passed on."""
    if isinstance(node, ast.Attribute):
        return node.attr in {"spherical", "discrete_gaussian", "discrete_laplace"}
    if _is_of_law(node):
        return True
    match node.func:
        case ast.Name(id=name):
            return name in DRAWING
        case ast.Attribute(attr="words"):
            return True
        case ast.Attribute(attr=name, value=ast.Name(id=source)):
            return name in SAMPLERS and source not in NO_SOURCES
    return False


def _size(node: ast.Call | ast.Attribute, source: str) -> tuple[str, str] | None:
    """The call, and the call with half the scale or twice the rate; of a law, with one of half the size."""
    if _is_of_law(node) and (call := ast.get_source_segment(source, node)) is not None:
        return call, call.replace("law.draw(", "law.resized(0.5).draw(")
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAMPLERS):
        return None
    name = SAMPLERS[node.func.attr]
    value = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
    text, inner = ast.get_source_segment(source, node), None if value is None else ast.get_source_segment(source, value)
    if text is None or inner is None:
        return None
    factor = "0.5" if name == "scale" else "2.0"
    return text, text.replace(f"{name}={inner}", f"{name}={factor} * ({inner})")


def _is_of_law(node: ast.Call | ast.Attribute) -> bool:
    """Whether it is a draw from the law of a declaration: `law.draw(noise, ...)`, whatever the law is of."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("law.draw")


def faulty_code(fault: Fault) -> CodeType:
    """The whole file with the fault, compiled. Raises SystemExit unless its text is there once."""
    path = PACKAGE / fault.file
    source = path.read_text(encoding="utf-8")
    if source.count(fault.before) != 1 or fault.before == fault.after:
        raise SystemExit(f"{fault.file}: the text must be there once: {fault.before}")
    return compile(source.replace(fault.before, fault.after), str(path), "exec")


def plant(fault: Fault) -> int:
    """Give the functions of the loaded module the code of the faulty file; how many have other code now. For a process that ends soon."""
    module = import_module("discreet." + fault.file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    found, changed = dict(_functions_of(faulty_code(fault))), 0
    for owner in (module, *(value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__)):
        for value in vars(owner).values():
            function = getattr(value, "fget", getattr(value, "__func__", getattr(value, "__wrapped__", value)))
            code = found.get(getattr(function, "__qualname__", ""))
            if isinstance(function, FunctionType) and function.__module__ == module.__name__ and code is not None and function.__code__ != code:
                function.__code__ = code
                changed += 1
    return changed


def _functions_of(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    """Code of the functions and methods of a module, by their names."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner.co_qualname, inner
            yield from _functions_of(inner)


def seen_by(fault: Fault) -> str | None:
    """The first test that fails with the fault; None where all pass. Raises SystemExit where it cannot be planted, or a test cannot run."""
    for test in [fault.test] if fault.test else TESTS[fault.file]:
        child = get_context("fork").Process(target=_run, args=(fault, test))
        child.start()
        child.join()
        if child.exitcode == _SEEN:
            return test
        if child.exitcode != 0:
            raise SystemExit(f"{fault.file}: the test {test} did not run with the fault (exit code {child.exitcode}).")
    return None


def _run(fault: Fault, test: str) -> None:
    """In a process of its own: plant, run the test, and say by the exit code whether it failed."""
    import pytest  # noqa: PLC0415 - both loaded by `load` already

    from tests.audit import test_drawn  # noqa: PLC0415

    if plant(fault) != 1:
        sys.exit(3)
    try:
        if "::" in test:
            _called(test)
        else:
            run = next(run for run in test_drawn.RUNS if "-".join(map(str, run)) == test)
            test_drawn.test_what_leaves_has_the_noise_that_the_certificate_states(*run)
    except (AssertionError, pytest.fail.Exception):
        sys.exit(_SEEN)


def _called(test: str) -> None:
    """The test of this name, with each of its sets of parameters."""
    file, _, name = test.partition("::")
    function = getattr(import_module(file.removesuffix(".py").replace("/", ".")), name)
    sets: list[dict[str, object]] = [{}]
    for mark in getattr(function, "pytestmark", ()):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        values = [value if len(names) > 1 else (value,) for value in mark.args[1]]
        sets = [{**one, **dict(zip(names, value, strict=True))} for one in sets for value in values]
    for each in sets:
        function(**each)


def load() -> None:
    """Import the tests and the package once, for all faults."""
    for file in {"tests/audit/test_drawn.py", *(fault.test.partition("::")[0] for fault in shared_faults())}:
        import_module(file.removesuffix(".py").replace("/", "."))


def row(fault: Fault, test: str) -> str:
    """One line of the table."""
    name = test.partition("::")[2] or f"test_what_leaves...[{test}]"
    return f"{_planted_words(fault)}`{name}` |"


def _planted_words(fault: Fault) -> str:
    """The row without the test."""
    return f"| `{fault.file}` | {_code(fault.before, fault.after)} | {_code(fault.after, fault.before)} | "


def _code(text: str, other: str) -> str:
    """Of several lines the first, by which the place is known, and those that differ."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    others = {" ".join(line.split()) for line in other.splitlines()}
    return "`" + " .. ".join(dict.fromkeys((lines[0], *(line for line in lines if line not in others)))).replace("|", "\\|") + "`"


def written() -> list[str]:
    """The rows that are on the page."""
    inside = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    return [line for line in inside.splitlines() if line.startswith("| `")]


def unwritten() -> list[Fault]:
    """Faults without a row on the page."""
    return [fault for fault in faults() if not any(line.startswith(_planted_words(fault)) for line in written())]


def write(rows: list[str]) -> None:
    """New rows into the page, between its marks, beside those that it has of other faults; rows of faults that are none any more go."""
    text, known = PAGE.read_text(encoding="utf-8"), [*rows, *written()]
    found = (next((line for line in known if line.startswith(_planted_words(fault))), None) for fault in faults())
    table = "\n".join(("", "| file | drawn so | fault | seen by |", "|---|---|---|---|", *filter(None, found), ""))
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def main() -> int:
    """See the module docstring."""
    parser = argparse.ArgumentParser(description="Plant a fault at every place that draws and in all that both roads share, and run the tests.")
    parser.add_argument("names", nargs="*", help="only files whose name holds one of these")
    parser.add_argument("--write", action="store_true", help="put the rows into docs/audit.md")
    given = parser.parse_args()
    chosen = [fault for fault in faults() if not given.names or any(name in fault.file for name in given.names)]
    rows, unseen = [], 0
    load()
    for fault in chosen:
        test = seen_by(fault)
        unseen += test is None
        rows.append(row(fault, test or "::NOT SEEN"))
        print(rows[-1], flush=True)
    print(f"{len(chosen)} faults, {unseen} not seen", flush=True)
    if given.write and not unseen:
        write(rows)
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
