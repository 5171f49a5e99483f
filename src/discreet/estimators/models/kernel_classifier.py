"""Private kernel machines of two or more classes: a linear classifier on random features of a kernel.

    f(x) = <w, v(x)>,   v(x) = sqrt(2 / D) (cos <w_j, x>, sin <w_j, x>)_{j <= D / 2},   <v(x), v(x')> ~ k(x, x')

Chaudhuri, Monteleoni and Sarwate (2011), Algorithm 3, with paired features in place of sqrt(2 / D) cos(<w_j, x> + psi_j): those have rows of norm
up to sqrt 2, for which the printed guarantee (theorem 5) is false; paired ones have norm 1. The frequencies w_j are public and drawn without looking
at a record. A fixed map of rows takes neighbouring tables to neighbouring tables, so for every draw of the frequencies the guarantee is that of the
linear mechanism (proof notes in discreet/mechanisms/learning) for rows of norm 1.

Cost: the angles of a fit take O(n d D), once where the features fit into 256 MiB and once a pass where not, as in every pass over a table in
blocks; otherwise that of a linear classifier of D features: O(n D) a pass, O(n D^2 + D^3) for each of two or three Hessians (D <= 3000; conjugate
gradients above). Beyond 256 MiB, memory does not grow with n D.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Annotated, Any, ClassVar

import numpy as np
from sklearn.base import clone

from discreet.accounting import Json
from discreet.certificates import Certificate, digest_of
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import number, whole
from discreet.data import BlockTable, Domain, TransformedTable
from discreet.estimators.models.linear_classifier import LinearClassifier
from discreet.estimators.prediction_rules import KernelForm
from discreet.estimators.summaries.explanation import Explanation
from discreet.kernels import Kernel, draw_frequencies, fresh_public_seed, kernel_named, kernel_names
from discreet.kernels.feature_map import FeatureMap
from discreet.kernels.matrix import FeatureMapMatrix, RecentFeatures
from discreet.matrices import Matrix, answers_per_record
from discreet.mechanisms.learning.worth import Outlook
from discreet.statements.base import KERNEL
from discreet.words import certified_words

_MOST_FEATURES = 1 << 24
_FITTED = ("classes_", "weights_", "coef_", "intercept_", "certificate_")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Features:
    """From the rows of a block to their features: public numbers only, so that it may travel to where the rows are."""

    feature_map: FeatureMap
    recent: RecentFeatures = field(default_factory=RecentFeatures)

    def __call__(self, rows: Matrix) -> Matrix:
        """Raises InvalidInput for rows that are not finite."""
        with np.errstate(over="ignore", invalid="ignore"):  # a norm overflows before an entry does
            norms = rows.row_norms()
        if not np.all(np.isfinite(norms)) and not _finite(rows):
            raise InvalidInput(
                "rows must be finite: they contain NaN or inf. Decide how to treat missing values first (a schema can do that, column by column)."
            )
        return FeatureMapMatrix(rows, self.feature_map, held_bytes=0, recent=self.recent)


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class KernelClassifier(LinearClassifier):
    """Kernel support vector machine under differential privacy, with random features whose frequencies are drawn before the fit.

    Parameters
    ----------
    kernel : "gaussian", "laplacian", "matern" or "cauchy", or a kernel of discreet.kernels with its own parameters.
    gamma : scale of a kernel given by name, as in exp(-gamma |x - x'|^2). None is 1 / d, which suits features of size about 1 each; for rows of norm
        1, use about 1. Choose it from public knowledge, never from the variance of the records.
    n_features : D, the number of random features, even. More features approximate the kernel better but need more noise, which grows with D (pure)
        or with sqrt(D) (delta > 0).
    orthogonal : whether the frequencies have orthogonal directions (only for kernels of |x - x'|): a better approximation at the same D.
    feature_seed : public seed of the frequencies, an integer >= 0. None draws a fresh one, stored in `feature_seed_`.
    fit_intercept : False by default: a constant is nearly in the span of smooth kernels.
    epsilon, delta, neighbours, alpha, classes, loss, mechanism, calibration, multi_class, intercept_scale, class_weight, max_sample_weight,
    public_records, ledger, n_jobs, random_state, rows_per_person, person_weight : as in LinearSVC. There is no data_norm: the features have norm 1
        for any X.

    Attributes
    ----------
    coef_ : weights of the features, (1, D), or (K, D) for K > 2 classes.
    intercept_, weights_, classes_, certificate_, n_features_in_ : as in LinearSVC.
    frequencies_ : (D / 2, d), public: with `coef_`, all that `predict` needs.
    kernel_, feature_seed_ : the kernel and the seed of the frequencies.

    Examples
    --------
    >>> from discreet import KernelClassifier
    >>> model = KernelClassifier(epsilon=1.0, gamma=4.0, n_features=100, classes=[0, 1])
    >>> ring = [[0.0, 0.1], [0.9, 0.0], [-0.1, 0.0], [0.0, -0.9], [-0.9, 0.0], [0.1, 0.1], [0.0, 0.9], [0.0, 0.0]] * 1000
    >>> model.fit(ring, [0, 1, 0, 1, 1, 0, 1, 0] * 1000).predict([[0.0, 0.0], [-0.9, 0.0]])
    array([0, 1])
    """

    saved_as = "kernel-classifier"
    targets = ("two classes", "more classes")
    form = KernelForm

    kernel: Annotated[str | Kernel, "gaussian, laplacian, matern or cauchy."] = "gaussian"
    gamma: Annotated[float | None, "Scale of the kernel, as in exp(-gamma |x - x'|^2); one over the number of features if left out."] = None
    n_features: Annotated[int, "How many random features, an even number: more of them are nearer to the kernel, and have more noise."] = 200
    orthogonal: Annotated[bool, "Whether directions of frequencies are orthogonal: nearer to the kernel."] = True
    feature_seed: Annotated[int | None, "Public seed of the frequencies."] = 0
    fit_intercept: bool = False
    # No parameters here: features have norm 1 whatever X is.
    data_norm: ClassVar[float] = 1.0  # type: ignore[misc]
    device: ClassVar[None] = None  # type: ignore[misc]

    frequencies_: Floats = field(init=False)
    feature_seed_: int = field(init=False)
    kernel_: Kernel = field(init=False)

    def plan(
        self, *, features: int, records: int | None = None, classes: int | None = None, weighted: bool = False, told_apart: bool = False
    ) -> Certificate:
        """As in LinearSVC, for rows with d = `features`. Without `feature_seed`, a fit draws different frequencies. The estimator does not change."""
        drawn = clone(self)
        drawn._draw(whole(features, "features"))  # noqa: SLF001 - a copy of this one, which may be fitted
        width = 2 * len(drawn.frequencies_)
        return super(KernelClassifier, drawn).plan(features=width, records=records, classes=classes, weighted=weighted, told_apart=told_apart)

    def explain(self, *, features: int | None = None, records: int | None = None, classes: int | None = None) -> Explanation:
        """As in LinearSVC. `features` has no effect: the linear model sees D random features for any d."""
        if features is not None:
            whole(features, "features")
        return super().explain(features=self._feature_count(), records=records, classes=classes)

    def outlook(self, *, features: int, records: int | None = None, classes: int | None = None) -> Outlook | None:
        """As in LinearSVC, for its random features, however many columns there are."""
        whole(features, "features")
        return super().outlook(features=self._feature_count(), records=records, classes=classes)

    def random_features(self, X: Any) -> Floats:
        """The random features v(x) of the rows of X, (n, D), as the linear classifier sees them. Call it after fit or fit_many."""
        return self._of_rows(X, _written)

    def _rows(self, X: Any, *, reset: bool) -> Matrix:
        """The features, streamed; with `reset`, of new frequencies, to which older weights do not belong."""
        base = super()._rows(X, reset=reset)
        if reset:
            self._draw(base.shape[1])
        return FeatureMapMatrix(base, FeatureMap(frequencies=self.frequencies_))

    def _block_rows(self) -> Callable[[Matrix], Matrix]:
        return _Features(feature_map=FeatureMap(frequencies=self.frequencies_))

    def _blocks(self, table: BlockTable) -> BlockTable:
        self._draw(table.features)
        return TransformedTable(table, self._block_rows(), features=2 * len(self.frequencies_), jobs=self._jobs())

    def _draw(self, columns: int) -> None:
        for name in _FITTED:
            if name in vars(self):
                delattr(self, name)
        self.kernel_ = self._kernel(columns)
        self.feature_seed_ = self._seed()
        count = self._feature_count()
        if not isinstance(self.orthogonal, bool):
            raise InvalidInput(f"orthogonal must be True or False; {self.orthogonal!r} was given.")
        self.frequencies_ = draw_frequencies(self.kernel_, seed=self.feature_seed_, features=columns, count=count // 2, orthogonal=self.orthogonal)

    def _feature_count(self) -> int:
        count = self.n_features
        if isinstance(count, bool) or not isinstance(count, Integral) or not 2 <= count <= _MOST_FEATURES or count % 2:
            raise InvalidInput(
                f"n_features must be an even integer from 2 to {_MOST_FEATURES:,}, a cosine and a sine for each frequency; {count!r} was given."
            )
        return int(count)

    def _kernel(self, columns: int) -> Kernel:
        if isinstance(self.kernel, str):
            gamma = 1.0 / columns if self.gamma is None else self.gamma
            return kernel_named(self.kernel, {"gamma": number(gamma, "gamma")})
        if not isinstance(self.kernel, Kernel):
            raise InvalidInput(
                f"kernel must be one of {kernel_names()} or a kernel of discreet.kernels; an object of type {type(self.kernel).__name__} was given."
            )
        if self.gamma is not None:
            raise InvalidInput(f"gamma is for a kernel given by name; {self.kernel!r} has its own. Leave gamma out.")
        return self.kernel

    def _seed(self) -> int:
        seed = self.feature_seed
        if seed is None:
            return fresh_public_seed()
        if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
            raise InvalidInput(f"feature_seed must be an integer of at least 0 or None; {seed!r} was given. It is public.")
        return int(seed)

    def _prior(self, domain: Domain) -> None:  # noqa: ARG002 - none
        if self.prior is not None:
            raise InvalidInput("a prior needs coefficients of columns, and random features have none. Leave prior out.")

    def _stated(self, certificate: Certificate, declared: tuple[str, ...]) -> Certificate:
        """The certificate, with the map in the problem, its hypothesis, and what was declared."""
        record: dict[str, Json] = {
            "kernel": self.kernel_.name,
            "kernel_parameters": {**self.kernel_.parameters},
            "orthogonal": self.orthogonal and self.kernel_.rotation_invariant,
            "seed": self.feature_seed_,
            "frequencies": digest_of(self.frequencies_),
        }
        problem: dict[str, Json] = {**certificate.problem, "feature_map": record}
        words = certified_words(certificate.mechanism, certificate.parameters, problem)
        return replace(certificate, problem=problem, hypotheses=words.hypotheses, declared=(*declared, KERNEL))


def _finite(rows: Matrix) -> bool:
    return all(bool(np.all(np.isfinite(part))) for part in _entries(rows))


def _written(rows: Matrix) -> Floats:
    return np.concatenate([np.empty((0, rows.shape[1])), *_entries(rows)])


def _entries(rows: Matrix) -> Iterator[Floats]:
    return (block.entries(slice(None)) for _, block in rows.blocks())
