"""Test accuracy on MNIST, ten classes, rows of norm 1: one multinomial model, one-vs-rest with its budget composed tightly, and one-vs-rest by hand.

    python benchmarks/mnist_classes.py FOLDER                       60,000 images (half an hour on two cores)
    python benchmarks/mnist_classes.py FOLDER --records 10000       the first ones only (a few minutes)

FOLDER holds train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz. delta = 1e-5; every
setting is fitted once with defaults (alpha=None), so differences below 0.005 mean nothing. "By hand" fits ten models of two classes at (epsilon / 10,
delta / 10) each.
"""

import argparse
import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet import LogisticRegression
from discreet.core.arrays import Floats

DELTA = 1e-5
Labels = npt.NDArray[np.intp]


def read(folder: Path, part: str) -> tuple[Floats, Labels]:
    """Rows of norm 1, (n, 784), and digits, (n,)."""
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as images, gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as labels:
        rows = np.frombuffer(images.read(), dtype=np.uint8, offset=16).reshape(-1, 784).astype(np.float64)
        digits = np.frombuffer(labels.read(), dtype=np.uint8, offset=8).astype(np.intp)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), digits


def together(train: tuple[Floats, Labels], test: tuple[Floats, Labels], **settings: object) -> float:
    """Accuracy of one fit of all classes."""
    return float(LogisticRegression(classes=list(range(10)), **settings).fit(*train).score(*test))


def by_hand(train: tuple[Floats, Labels], test: tuple[Floats, Labels], **settings: object) -> float:
    """Accuracy of ten fits of two classes, each with a tenth of epsilon and of delta."""
    share = settings | {"epsilon": settings["epsilon"] / 10, "delta": settings["delta"] / 10}
    rows, digits = train
    decisions = [LogisticRegression(classes=[0, 1], **share).fit(rows, digits == digit).decision_function(test[0]) for digit in range(10)]
    return float(np.mean(np.argmax(decisions, axis=0) == test[1]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, default=60_000)
    arguments = parser.parse_args()
    rows, digits = read(arguments.folder, "train")
    train, test = (rows[: arguments.records], digits[: arguments.records]), read(arguments.folder, "t10k")
    print(f"{len(train[1])} images, 10,000 tests, load average {os.getloadavg()[0]:.1f}")

    def show(what: str, fit: Callable[..., float], **settings: object) -> None:
        begin = time.perf_counter()
        accuracy = fit(train, test, **settings)
        print(f"{what:48s} {accuracy:.4f}   {time.perf_counter() - begin:6.1f} s", flush=True)

    show("non-private, multinomial, alpha 1e-5", together, epsilon=np.inf, alpha=1e-5)
    for epsilon in (1.0, 0.5, 4.0):
        for relation in ("replace-one", "add-remove"):
            common = {"epsilon": epsilon, "delta": DELTA, "neighbours": relation}
            show(f"epsilon {epsilon}, {relation}, multinomial", together, **common)
            show(f"epsilon {epsilon}, {relation}, one-vs-rest", together, multi_class="one-vs-rest", **common)
            show(f"epsilon {epsilon}, {relation}, one-vs-rest by hand", by_hand, **common)


if __name__ == "__main__":
    main()
