"""One release of second moments beside sketches: how far each analysis is from the same one of the records, noise alone.

    python benchmarks/moments.py [--records 50000] [--runs 10]

Rows of 10 columns and a target, invented, within +-1; epsilon 1, delta 1e-6, both relations. Coefficients: Euclidean distance to least squares of the
records, over its length. Must come out: moments at most a fifth of the sketch of 500 rows, and below that of 100,000.
"""

import argparse
import tempfile

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression

from discreet import SystemNoise
from discreet.consumers import MomentsDiscriminant, MomentsNaiveBayes, MomentsPCA, MomentsRidge, ReleasedMoments, SketchRidge
from discreet.data import Domain
from discreet.releases import publish

FEATURES = 10
DOMAIN = Domain(features=FEATURES, entry_bound=1.0, target_bound=1.0)


def table(draw: np.random.Generator, records: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, the first column of which is -1 or 1, a number to predict, and labels of -1 and +1."""
    X = draw.uniform(-1, 1, (records, FEATURES))
    X[:, 0] = np.sign(X[:, 0])
    weights = draw.normal(size=FEATURES)
    y = np.clip(X @ weights / (1.2 * np.abs(weights).sum()) + 0.1 * draw.normal(size=records), -1, 1)
    return X, y, np.where(y + 0.1 * draw.normal(size=records) > 0, 1.0, -1.0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=10)
    asked = parser.parse_args()
    X, y, labels = table(np.random.default_rng(1), asked.records)
    centred = LinearRegression().fit(X, y).coef_
    plain = LinearRegression(fit_intercept=False).fit(X, y).coef_
    components, correlations = PCA().fit(X), np.corrcoef(np.column_stack((X, y)).T)
    discriminant = LinearDiscriminantAnalysis().fit(X, labels)
    with tempfile.TemporaryDirectory() as folder:
        for relation in ("add-remove", "replace-one"):
            common = {"domain": DOMAIN, "epsilon": 1.0, "delta": 1e-6, "neighbours": relation, "overwrite": True}
            found: dict[str, list[float]] = {}
            for _ in range(asked.runs):
                for rows in (500, 100_000):
                    made = publish(X, f"{folder}/sketch", SystemNoise(), method="sketch", rows=rows, y=y, **common)
                    off = SketchRidge().fit_release(made).coef_ - plain
                    found.setdefault(f"coefficients, sketch of {rows:,} rows", []).append(float(np.linalg.norm(off) / np.linalg.norm(plain)))
                moments = ReleasedMoments.of_release(publish(X, f"{folder}/moments", SystemNoise(), method="moments", y=y, **common))
                off = MomentsRidge().fit_release(moments).coef_ - centred
                found.setdefault("coefficients, moments", []).append(float(np.linalg.norm(off) / np.linalg.norm(centred)))
                first = MomentsPCA(n_components=1).fit_release(moments).components_[0]
                found.setdefault("first component, angle in degrees", []).append(
                    float(np.degrees(np.arccos(min(1.0, abs(first @ components.components_[0])))))
                )
                found.setdefault("correlations, root mean square", []).append(float(np.sqrt(np.mean((moments.correlations() - correlations) ** 2))))
                classes = ReleasedMoments.of_release(publish(X, f"{folder}/classes", SystemNoise(), method="moments", y=labels, **common))
                for kind in (MomentsDiscriminant, MomentsNaiveBayes):
                    score = np.mean(kind().fit_release(classes).predict(X) == labels)
                    found.setdefault(f"share of errors, {kind.__name__}", []).append(float(1 - score))
            print(f"{relation}, {asked.records:,} records, {asked.runs} runs")
            for name, values in found.items():
                print(f"  {name:<45}{np.mean(values):.4f} (largest {max(values):.4f})")
            print(f"  {'share of errors, discriminant of the records':<45}{1 - discriminant.score(X, labels):.4f}")


if __name__ == "__main__":
    main()
