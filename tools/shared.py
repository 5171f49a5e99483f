"""Faults in what calibrations and rechecks share, each with the quick test that sees it: `tools/mutate.py` plants these too.

A fault in one of the two roads is seen by the other; one in what both take for granted is not, and no certificate would tell. So everything of the
package that `discreet.verification` imports is in SHARED (tests/verification/test_shared.py refuses an import that is not), and where it computes,
a fault is planted in it. Losses and sets are many: each slope, curvature and radius has its fault.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "discreet"
_TESTS = "tests/verification/test_shared.py::test_"


class Fault(NamedTuple):
    """A text of a file, and what is planted in its place."""

    file: str
    """In the package."""
    before: str
    after: str
    test: str = ""
    """The test that sees it, where it is not one of those for the whole file."""


SHARED = {
    # What is computed.
    "discreet.accounting": {
        "closeness",
        # Classes of guarantees and what they are read from.
        *("ApproximateDP", "Json", "MutualInformation", "NoGuarantee", "PureDP", "Unit", "guarantee_from_dict"),
    },
    "discreet.losses": {"MarginLoss", "loss_named"},
    "discreet.losses.predictions": {"PredictionLoss", "prediction_loss_named"},
    "discreet.sets": {"Constraint", "Polytope", "constraint_named"},
    "discreet.queries.linear": {"public_matrix"},
    "discreet.core.normal": {"log_ndtr", "ndtr"},
    "discreet.core.least": {"least_between"},
    "discreet.core.rounding": {"raising"},
    # How a record is read, and what it should say in words.
    "discreet.statements": {"Words"},
    "discreet.words": {"spec_named", "words_of"},
    "discreet.statements.base": {
        *("COMPOSED", "filled", "mapping", "persons_of", "public_records", "scored_persons", "unknown_lines"),
        # What is stated and what is said of it, as values.
        *("Check", "RECHECKS", "Stated", "register_recheck"),
    },
    "discreet.words.categories": {"RESPONSE", "asked_columns", "kept_of", "laws_of"},
    "discreet.words.counting": {"MOST_COLUMNS", "WHOLE", "curvature_integers", "rows_made"},
    "discreet.words.learning": {"dimension_of", "target_units"},
    "discreet.words.margins": {"rounds_of"},
    "discreet.words.regression": {"prediction_problem"},
    "discreet.core.fields": {"Json", "count", "finite", "not_negative", "numbers", "positive", "text", "whole"},
    "discreet.core.neighbours": {"ADD_REMOVE", "Neighbours", "PARTS", "REPLACE_ONE"},
    # Names and plumbing: nothing that a guarantee depends on.
    "discreet.accounting.base": {"Statement"},
    "discreet.core.arrays": {"Floats"},
    "discreet.core.lazily": {"lazily", "registered"},
    "discreet.core.remembered": {"remembered"},
    "discreet.core.version": {"KNOWN_VERSIONS"},
    "discreet.noise.stated": {"SYSTEM_SOURCE"},
}
"""Module -> the names that rechecks take from it. A new one is a decision: it stands here, in docs/certificates.md, and has its fault below."""

_LEMMA, _ARITHMETIC, _MATRIX = (
    "the_lemma_about_integers_is_its_formula",
    "numbers_are_those_of_other_libraries",
    "a_public_matrix_has_the_law_that_is_stated",
)
_READ, _DECLARED, _VALUES = "records_are_read_as_they_are_written", "declared_lines_are_told_apart", "values_of_another_kind_are_refused"
_NAMED = "names_and_parameters_make_what_they_say"
_OF_FUNCTIONS = [
    ("accounting/gaussian.py", "integers / (8.0 * scale * scale) * _UP, (", "1e-9 * integers / (8.0 * scale * scale) * _UP, (", _LEMMA),
    ("accounting/gaussian.py", "(reach**2 + stages_drawn) / (8.0", "(stages_drawn) / (8.0", _LEMMA),
    ("core/normal.py", "np.where(np.asarray(z) < 0, lower,", "np.where(np.asarray(z) < 0, 0.999 * lower,", _ARITHMETIC),
    ("core/normal.py", "np.log(tail) - square,", "np.log(tail) - 0.999 * square,", _ARITHMETIC),
    ("core/least.py", "    return best, at_best", "    return best, 0.999 * at_best", _ARITHMETIC),
    ("core/rounding.py", "return 1.0 + _checked(operations)", "return 1.0 - _checked(operations)", _ARITHMETIC),
    ("queries/linear.py", "standard_normal((rows, width)) / math.sqrt(width)", "standard_normal((rows, width)) / width", _MATRIX),
    ("losses/__init__.py", 'MarginLoss), "loss", name, parameters)', 'MarginLoss), "loss", name, None)', _NAMED),
    ("losses/predictions/__init__.py", "name, parameters)", "name, None)", _NAMED),
    ("statements/base.py", 'Persons.from_dict(problem["persons"]) if', "Persons() if", _READ),
    ("statements/base.py", 'if "made_rows" in problem else persons_of(problem)', 'if "made_rows" in problem else Persons()', _READ),
    ("statements/base.py", "return found[0] if len(found) == 1 else None", "return found[0] if found else None", _DECLARED),
    ("statements/base.py", "if line not in always and not", "if line in always and not", _DECLARED),
    ("statements/base.py", "if not isinstance(value, dict):", "if not isinstance(value, dict | list):", _VALUES),
    ("statements/base.py", "if not isinstance(value, list) or not value:", "if not isinstance(value, list):", _VALUES),
    ("words/categories.py", "if not all(2 <= cells", "if not all(1 <= cells", _VALUES),
    ("words/categories.py", "all(UNIT < one < 1 << 53", "all(0 < one < 1 << 53", _VALUES),
    ("words/categories.py", "among(RESPONSE, UNARY)(law)", "law", _VALUES),
    ("words/counting.py", 'MadeRows.stated(problem["made_rows"]).rows', '1 + 0 * MadeRows.stated(problem["made_rows"]).rows', _READ),
    ("words/counting.py", "return factors * each * (each + 1) // 2", "return factors * each * each // 2", _READ),
    ("words/learning.py", 'return each * whole(problem.get("classes", 1)) *', "return each *", _READ),
    ("words/learning.py", "return tuple(map(positive, stated))", "return ()", _READ),
    ("words/margins.py", "return len(tables), len(candidates), most", "return len(tables), 1, most", _READ),
    (
        "words/regression.py",
        "return problems.PredictionRisk(loss=loss, domain=real_domain(problem),",
        "return problems.PredictionRisk(loss=type(loss)(), domain=real_domain(problem),",
        _READ,
    ),
    ("core/fields.py", "    if number <= 0:\n", "    if number < 0:\n", _VALUES),
    ("core/fields.py", "    if number < 0:\n", "    if number < -1:\n", _VALUES),
    ("core/fields.py", "int) or value < 1:", "int) or value < 0:", _VALUES),
    ("core/fields.py", "int) or value < 0:", "int) or value < -1:", _VALUES),
    ("core/fields.py", "int | float) or not is_finite(value):", "int | float):", _VALUES),
]
_DISTANCES = "tests/verification/test_drawn.py::test_both_derivations_of_one_distance_are_near_each_other"
_LOSSES, _RADII = "slopes_and_curvatures_are_derivatives", "radii_and_members_of_sets_are_those_of_their_points"
_METHODS = {
    "losses": ({"slope": "0.999 * ({})", "curvature": "0.999 * ({})"}, _LOSSES),
    "sets": (
        {
            "_radii": "tuple(0.999 * each for each in ({}))",
            "diameter": "0.999 * ({})",
            "_project": "0.999 * ({})",
            "_holds": "not ({})",
            "_vertex": "0.999 * ({})",
        },
        _RADII,
    ),
}
"""Folder -> methods with what is planted around every number that they return, and the test."""
_ABSTRACT = {"base.py", "own.py", "softmax.py"}


def shared_faults() -> Iterator[Fault]:
    """All of them."""
    for file, before, after, test in _OF_FUNCTIONS:
        yield Fault(file, before, after, _TESTS + test)
    for size in ("NORMAL_LIMIT * scale", "longest * (2.0"):  # of the errors of drawn noise, which rechecks derive themselves
        yield Fault("noise/stated.py", size, f"1e-9 * {size}", _DISTANCES)
    for folder, (methods, test) in _METHODS.items():
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            if path.name not in _ABSTRACT and path.parent.name != "mirror_maps":
                source = path.read_text(encoding="utf-8")
                for before, after in _wrapped(source, methods):
                    yield Fault(path.relative_to(PACKAGE).as_posix(), before, after, _TESTS + test)


def _wrapped(source: str, methods: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Every method of these names, and the same with something around what it returns."""
    for owner in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
        for method in (node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name in methods):
            before = ast.get_source_segment(source, method) or ""
            after = before
            for value in _returned(method):
                text = ast.get_source_segment(source, value) or ""
                after = after.replace(f"return {text}", f"return {methods[method.name].format(text)}")
            yield _from_class(source, owner, before, after)


def _returned(inside: ast.AST) -> Iterator[ast.expr]:
    """What a function returns; what functions in it do is theirs."""
    for node in ast.iter_child_nodes(inside):
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            yield from _returned(node)


def _from_class(source: str, owner: ast.ClassDef, before: str, after: str) -> tuple[str, str]:
    """A method's text where it is the only one, else the text of its class up to its end."""
    if source.count(before) == 1:
        return before, after
    whole = ast.get_source_segment(source, owner) or ""
    start = whole[: whole.index(before)]
    return start + before, start + after
