"""Public tables as people have them: named columns of numbers between bounds, and of categories.

Files are looked for below the folder in the environment variable DISCREET_DATA; nothing is fetched. Bounds are the smallest and the largest value
of a column in the file, rounded outwards to two digits: what a person who knows the column would declare. Categories are those in the file. A
number that is missing counts as the lower bound, a category that is missing as one more.
"""

import csv
import gzip
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tables import mnist_4_against_9

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainTable:
    """`numbers` and `categories` by name, each (n,); `target` (n,) is a class from 0, or a number between `bounds` of it."""

    name: str
    numbers: dict[str, Numbers]
    categories: dict[str, npt.NDArray[np.str_]]
    target: Numbers
    official: int | None = None
    """The records from here on are the published test set."""
    target_bounds: tuple[float, float] | None = None
    """Of a target that is a number."""
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    classes: int = 2
    """Of a target that is a class."""

    def part(self, chosen: npt.NDArray[np.intp]) -> "PlainTable":
        """Some of the records; what is public stays."""
        return PlainTable(
            name=self.name,
            numbers={name: column[chosen] for name, column in self.numbers.items()},
            categories={name: column[chosen] for name, column in self.categories.items()},
            target=self.target[chosen],
            target_bounds=self.target_bounds,
            bounds=self.bounds,
            classes=self.classes,
        )


def plain_table(name: str) -> PlainTable:
    """One of `TABLES`. Raises KeyError for another name, FileNotFoundError where its file is not below DISCREET_DATA."""
    return TABLES[name]()


def splits(table: PlainTable, count: int) -> Sequence[tuple[PlainTable, PlainTable]]:
    """(train, test): the published split, if there is one, then `count` of 80 and 20 percent."""
    n = len(table.target)
    parts = [] if table.official is None else [np.split(np.arange(n), [table.official])]
    parts += [np.split(np.random.default_rng(1600 + seed).permutation(n), [n * 4 // 5]) for seed in range(count)]
    return [(table.part(train), table.part(test)) for train, test in parts]


def _folder() -> Path:
    if "DISCREET_DATA" not in os.environ:
        raise FileNotFoundError("these tables are files: set DISCREET_DATA to the folder that holds them.")
    return Path(os.environ["DISCREET_DATA"])


def _lines(path: str) -> list[list[str]]:
    with gzip.open(_folder() / path, "rt", encoding="utf-8") as file:
        return list(csv.reader(file))


def _made(
    name: str,
    columns: dict[str, Sequence[str]],
    categorical: Sequence[str],
    target: Numbers,
    *,
    official: int | None = None,
    target_bounds: tuple[float, float] | None = None,
) -> PlainTable:
    numbers, categories, bounds = {}, {}, {}
    for column, values in columns.items():
        if column in categorical:
            categories[column] = np.array([value.strip() or "missing" for value in values])
            continue
        parsed = np.array([float(value) if value.strip() else math.nan for value in values])
        bounds[column] = _rounded(float(np.nanmin(parsed)), float(np.nanmax(parsed)))
        numbers[column] = np.where(np.isnan(parsed), bounds[column][0], parsed)
    return PlainTable(name=name, numbers=numbers, categories=categories, target=target, official=official, target_bounds=target_bounds, bounds=bounds)


def _rounded(low: float, high: float) -> tuple[float, float]:
    if low == high:
        return low, low + 1.0
    unit = 10.0 ** (math.floor(math.log10(max(abs(low), abs(high), 1e-9))) - 1)
    return math.floor(low / unit) * unit, max(math.ceil(high / unit), math.floor(low / unit) + 1) * unit


_ADULT = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex",
    "capital-gain", "capital-loss", "hours-per-week", "native-country",
)  # fmt: skip


_ADULT_FIELDS = len(_ADULT) + 1


def adult() -> PlainTable:
    """Adult: 48,842 x 14, missing values as a category, the published test set last."""
    parts = []
    for part in ("adult.data", "adult.test"):
        text = (_folder() / "adult" / part).read_text(encoding="ascii")
        parts.append([line.rstrip(".").split(", ") for line in text.splitlines() if line.count(",") == _ADULT_FIELDS - 1])
    rows = [row for part in parts for row in part]
    columns = {name: [row[index] for row in rows] for index, name in enumerate(_ADULT) if name != "fnlwgt"}
    labels = set(_ADULT) - {"age", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
    return _made("adult", columns, sorted(labels), np.array([float(row[14] == ">50K") for row in rows]), official=len(parts[0]))


def shoppers() -> PlainTable:
    """Online shoppers' intention: 12,330 x 17."""
    rows = _lines("tabular/online_shoppers_intention.csv.gz")
    names = ["Administrative", "Administrative_Duration", "Informational", "Informational_Duration", "ProductRelated", "ProductRelated_Duration"]
    names += ["BounceRates", "ExitRates", "PageValues", "SpecialDay"]
    labels = ["Month", "OperatingSystems", "Browser", "Region", "TrafficType", "VisitorType", "Weekend"]
    columns = {name: [row[index] for row in rows] for index, name in enumerate(names + labels)}
    return _made("shoppers", columns, labels, np.array([float(row[17] == "TRUE") for row in rows]))


def _with_header(name: str, path: str, target: str, positive: str, categorical: Callable[[str], bool]) -> PlainTable:
    header, *rows = _lines(path)
    columns = {column: [row[index] for row in rows] for index, column in enumerate(header) if column != target}
    found = np.array([float(row[header.index(target)] == positive) for row in rows])
    return _made(name, columns, [column for column in columns if categorical(column)], found)


def spambase() -> PlainTable:
    """Spambase: 4,601 x 57 numbers."""
    return _with_header("spambase", "tabular/spambase.csv.gz", "spam_or_not", "1", lambda _: False)


def phishing() -> PlainTable:
    """Phishing websites: 11,055 x 30 columns of two or three categories."""
    return _with_header("phishing", "tabular/phishing_websites.csv.gz", "result", "1", lambda _: True)


def diamonds() -> PlainTable:
    """Diamonds: 53,940 x 9, the price a number between 0 and 20,000."""
    header, *rows = _lines("tabular/diamonds.csv.gz")
    columns = {column: [row[index] for row in rows] for index, column in enumerate(header) if column != "price"}
    prices = np.array([float(row[header.index("price")]) for row in rows])
    return _made("diamonds", columns, ["cut", "color", "clarity"], prices, target_bounds=(0.0, 20_000.0))


def kdd(records: int = 70_000) -> PlainTable:
    """KDD Cup 99, the 10 % file: `records` x 41, a normal connection or an attack."""
    return _connections("kdd", lambda kind: float(kind == "normal"), records)


def _connections(name: str, code: Callable[[str], float], records: int) -> PlainTable:
    rows = _lines("kddcup99/kddcup.data_10_percent.gz")
    rows = [rows[index] for index in np.random.default_rng(1999).permutation(len(rows))[:records]]
    columns = {f"x{index}": [row[index] for row in rows] for index in range(41)}
    return _made(name, columns, ["x1", "x2", "x3"], np.array([code(row[41].rstrip(".")) for row in rows]))


_LOAN_NUMBERS = (
    "loan_amnt", "int_rate", "installment", "annual_inc", "dti", "delinq_2yrs", "inq_last_6mths", "open_acc", "pub_rec", "revol_bal",
    "revol_util", "total_acc",
)  # fmt: skip
_LOAN_LABELS = ("term", "grade", "sub_grade", "emp_length", "home_ownership", "verification_status", "purpose", "addr_state", "issue_year")


def _years(first: str, last: str) -> str:
    return str(int(last) - int(first[:4])) if first else ""


def lending() -> PlainTable:
    """Lending Club 2007 to 2011: 42,535 loans x 22 columns known when it was given; whether it was charged off."""
    header, *rows = _lines("lendingclub/loanstats_2007_2011.csv.gz")
    columns = {name: [row[header.index(name)] for row in rows] for name in _LOAN_NUMBERS + _LOAN_LABELS}
    columns["years_of_credit"] = [_years(row[header.index("earliest_cr_line")], row[header.index("issue_year")]) for row in rows]
    lost = np.array([float("Charged Off" in row[header.index("loan_status")]) for row in rows])
    return _made("lending", columns, _LOAN_LABELS, lost)


def mnist49() -> PlainTable:
    """MNIST, four against nine: 13,782 x 784 grey levels over the norm of the image."""
    rows, signs = mnist_4_against_9(_folder() / "mnist")
    numbers = {f"p{index}": rows[:, index] for index in range(rows.shape[1])}
    return PlainTable(name="mnist49", numbers=numbers, categories={}, target=(signs + 1.0) / 2.0, bounds=dict.fromkeys(numbers, (0.0, 1.0)))


TABLES: dict[str, Callable[[], PlainTable]] = {
    "adult": adult, "shoppers": shoppers, "spambase": spambase, "phishing": phishing, "diamonds": diamonds, "kdd": kdd, "lending": lending,
    "mnist49": mnist49,
}  # fmt: skip


def _of_number(name: str, table: PlainTable, column: str, bounds: tuple[float, float], without: Sequence[str] = ()) -> PlainTable:
    """The same records with another target: a column that is a number, between declared bounds; what would give it away is left out."""
    left = {column, *without}
    numbers = {key: values for key, values in table.numbers.items() if key not in left}
    return PlainTable(
        name=name,
        numbers=numbers,
        categories={key: values for key, values in table.categories.items() if key not in left},
        target=table.numbers[column],
        target_bounds=bounds,
        bounds={key: table.bounds[key] for key in numbers},
    )


REGRESSIONS: dict[str, Callable[[], PlainTable]] = {
    "diamonds": diamonds,
    "hours": lambda: _of_number("hours", adult(), "hours-per-week", (0.0, 100.0)),
    "rate": lambda: _of_number("rate", lending(), "int_rate", (0.0, 0.3), ("grade", "sub_grade", "installment")),
    "exits": lambda: _of_number("exits", shoppers(), "ExitRates", (0.0, 0.2)),
    "age": lambda: _of_number("age", adult(), "age", (17.0, 90.0)),
    "loan": lambda: _of_number("loan", lending(), "loan_amnt", (0.0, 35_000.0), ("installment",)),
    "hosts": lambda: _of_number("hosts", kdd(30_000), "x32", (0.0, 255.0)),
}
"""The first four were looked at when defaults of regressions were chosen; the others were not."""


def _of_class(name: str, table: PlainTable, column: str, without: Sequence[str] = ()) -> PlainTable:
    """The same records with another target: a column of categories."""
    left = {column, *without}
    levels, codes = np.unique(table.categories[column], return_inverse=True)
    categories = {key: values for key, values in table.categories.items() if key not in left}
    return replace(table, name=name, categories=categories, target=codes.astype(np.float64), target_bounds=None, official=None, classes=len(levels))


def _diamonds_of(name: str) -> PlainTable:
    """Diamonds: the class of the price, cut at 1,000, 2,500, 5,000 and 10,000, or the quality of the cut, where the price is known."""
    table = diamonds()
    if name == "prices":
        codes = np.searchsorted((1000.0, 2500.0, 5000.0, 10_000.0), table.target)
        return replace(table, name=name, target=codes.astype(np.float64), target_bounds=None, classes=5)
    priced = replace(table, numbers={**table.numbers, "price": table.target}, bounds={**table.bounds, "price": (0.0, 20_000.0)})
    return _of_class(name, priced, "cut")


_DENIED = ["back", "land", "neptune", "pod", "smurf", "teardrop"]
_PROBES = ["satan", "ipsweep", "nmap", "portsweep"]


def attacks(records: int = 70_000) -> PlainTable:
    """KDD Cup 99: a normal connection, denial of service, a probe, or anything else."""
    kinds = {"normal": 0.0, **dict.fromkeys(_DENIED, 1.0), **dict.fromkeys(_PROBES, 2.0)}
    return replace(_connections("attacks", lambda kind: kinds.get(kind, 3.0), records), classes=4)


CLASSES: dict[str, Callable[[], PlainTable]] = {
    "visitor": lambda: _of_class("visitor", shoppers(), "VisitorType"),
    "home": lambda: _of_class("home", lending(), "home_ownership"),
    "cut": lambda: _diamonds_of("cut"),
    "prices": lambda: _diamonds_of("prices"),
    "race": lambda: _of_class("race", adult(), "race"),
    "occupation": lambda: _of_class("occupation", adult(), "occupation"),
    "marital": lambda: _of_class("marital", adult(), "marital-status", ("relationship",)),
    "month": lambda: _of_class("month", shoppers(), "Month"),
    "attacks": attacks,
}
"""Three classes or more. The last three were not looked at when defaults were chosen."""
