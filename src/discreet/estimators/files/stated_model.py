"""What released weights and the certificate beside them say of a model, whatever its rows are made from: a schema, or arrays.

Losses, schemes and sets are those that the certificate's problem states; a kind of model has some of them and no others. Files are read strictly:
what is absent, too much or mistyped is refused, and nothing is guessed.
"""

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.accounting import Json
from discreet.certificates import Certificate, Check, Verification
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, InvalidType, brief, did_you_mean, quoted
from discreet.core.fields import numbers
from discreet.core.frameless import Frameless
from discreet.data.labels import Label
from discreet.estimators.model_kinds import MODELS, SAVED, Saved, every_kind, saved_as
from discreet.estimators.prediction_rules import (
    SCHEMES,
    BoundedForm,
    Form,
    MadeForm,
    chosen_codes,
    codes_above,
    form_of,
    log_probabilities,
    probabilities,
)
from discreet.losses import Logistic, MarginLoss, loss_named
from discreet.losses.predictions import PredictionLoss, prediction_loss_named
from discreet.losses.softmax import Softmax
from discreet.problems.made_rows import MadeRows

if TYPE_CHECKING:
    from discreet.estimators.door.private_estimator import PrivateModel


class StatedModel(metaclass=Frameless):
    """Base of models as values."""

    __slots__ = ()
    kind: str
    weights: Floats
    certificate: Certificate
    form: Form

    @property
    @abstractmethod
    def classes(self) -> tuple[Label, ...]:
        """Empty where the target is a number, or a time."""

    @property
    @abstractmethod
    def span(self) -> tuple[Any, Any] | None:
        """The range of targets, where the weights see them as numbers from -1 to 1; None where they see them as they are, and for classes.

        Of several targets two arrays, (m,).
        """

    @property
    def units(self) -> tuple[float, ...]:
        """Of several targets that are numbers; none of one, and of classes."""
        return self.form.units if isinstance(self.form, BoundedForm) and not self.classes else ()

    @abstractmethod
    def decision(self, rows: Any, /) -> Floats:
        """f(x) of every row, (n,), positive for the second class; (n, K) for K > 2 classes; of ordered ones, and of times, see `MadeForm`."""

    @abstractmethod
    def _agreement(self) -> Iterable[Check]:
        """Whether the parts belong together, in words."""

    def predict(self, rows: Any, /, *, threshold: float | None = None) -> npt.NDArray[Any]:
        """The likelier class of every row, (n,), the median one of ordered classes, or its number, or mean time, in the unit of the target.

        Of several targets numbers (n, m). With a `threshold`, of two classes the second where its probability is above it (`threshold_for`). Raises
        InvalidInput for one outside (0, 1), and for a model without probabilities or of other classes.
        """
        if self.classes or threshold is not None:
            codes = self.codes(rows) if threshold is None else codes_above(self.probabilities(rows), threshold)
            alike = len({type(label) for label in self.classes}) == 1
            chosen: npt.NDArray[Any] = np.array(self.classes, dtype=None if alike else object)[codes]
            return chosen
        decision = self.decision(rows)
        if self.made is not None:
            return self.made.mean_time(decision)
        answers = self._number_loss().answer(decision)
        lower, upper = self.span or (-1.0, 1.0)
        return np.asarray(answers if self.span is None else lower + 0.5 * (answers + 1.0) * (upper - lower))

    def codes(self, rows: Any, /) -> npt.NDArray[np.intp]:
        """The number of the answered class of every row, (n,)."""
        decision = self.decision(rows)
        return chosen_codes(decision) if self.made is None else self.made.chosen(decision)

    def probabilities(self, rows: Any, /) -> Floats:
        """Probabilities of the K classes, (n, K). Raises InvalidInput for a model without."""
        link = self._link()
        if self.made is not None:
            return self.made.chances(self.decision(rows))
        return probabilities(link, self.decision(rows), multinomial=self._multinomial)

    def log_probabilities(self, rows: Any, /) -> Floats:
        """Logarithms of `probabilities`, accurate where these are tiny. Raises as it does."""
        link = self._link()
        if self.made is not None:
            return self.made.log_chances(self.decision(rows))
        return log_probabilities(link, self.decision(rows), multinomial=self._multinomial)

    def survival(self, rows: Any, /) -> Floats:
        """Probabilities (n, T) that it has not happened by the end of each period. Raises InvalidInput for a model of anything but times."""
        return self._times().survival(self.decision(rows))

    def median_time(self, rows: Any, /) -> Floats:
        """When it has happened to half of such records, (n,): infinity where that is beyond the last end. Raises as `survival`."""
        return self._times().median_time(self.decision(rows))

    @property
    def made(self) -> MadeRows | None:
        """What rows a record is made to, of a model of times or of ordered classes."""
        return self.form.made if isinstance(self.form, MadeForm) else None

    def _times(self) -> MadeRows:
        if self.made is None or self.classes:
            raise InvalidInput(f"a {self.kind} is not a model of times, so it has no survival probabilities.")
        return self.made

    def verify(self) -> Verification:
        """Check the certificate against the weights, and that the parts of the model agree."""
        return Verification(checks=(*self.certificate.verify(self.weights).checks, *self._agreement()))

    @property
    def intercept_scale(self) -> float:
        """t, the constant feature of the intercept; 0 without one."""
        return self.form.intercept_scale

    @property
    def data_norm(self) -> float:
        """R, the bound to which rows are shortened; infinity where only entries are bounded, 1 for features of a kernel."""
        return self.form.data_norm

    @property
    def has_probabilities(self) -> bool:
        """Whether decision values are probabilities in another scale: not for losses with flat parts (module `prediction_rules`)."""
        loss = self._loss()
        return bool(self.classes) and loss is not None and loss.linked

    @property
    def linked(self) -> bool:
        """Whether decisions are no numbers of the target's column, but their logarithms, say: a loss with a link makes numbers of them."""
        decision = np.array([0.0, 1.0])
        return not self.classes and (self.made is not None or not np.array_equal(self._number_loss().answer(decision), decision))

    @property
    def intercept_level(self) -> float:
        """The intercept where the weights are 0: of the logarithm of a mean that of its unit, as a share of the range."""
        unit = None if self.classes or self.made is not None else self._number_loss().parameters.get("unit")
        return 0.0 if unit is None else math.log(unit)

    def require_probabilities(self) -> None:
        """Raise InvalidInput for a model that has none."""
        if not self.classes:
            what = "numbers" if self.made is None else "times"
            raise InvalidInput(f"a {self.kind} predicts {what}, but only models of classes have probabilities. Leave them out.")
        if not self.has_probabilities:
            raise InvalidInput(
                f"a {self.kind} with the {brief(self.certificate.problem.get('loss'))} loss has no probabilities, only classes and decision values. "
                "Fit a logistic-regression, or a linear-svc with the softplus-hinge, for probabilities."
            )

    def _settle(self, *, columns: int, parts: str) -> None:
        """Keep a read-only copy of the weights, and the form of the answers for rows of so many columns.

        Raises InvalidInput for a kind that there is not, for numbers that are not finite, and for `parts` that do not belong together.
        """
        if not isinstance(self.kind, str) or (self.kind not in SAVED and saved_as(self.kind) is None):
            near = did_you_mean(self.kind, every_kind()) if isinstance(self.kind, str) else ""
            raise InvalidInput(f"the kind of a model must be one of {quoted(every_kind())}; {self.kind!r} was given.{near}")
        weights = np.array(self.weights, dtype=np.float64)
        if not np.all(np.isfinite(weights)):
            raise InvalidInput("the weights of a model must be finite numbers.")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)
        form = form_of(self.certificate.problem, columns=columns, classes=len(self.classes), weights=weights.size)
        object.__setattr__(self, "form", form)
        if failed := [check.detail for check in self._agreement() if not check.ok]:
            raise InvalidInput(f"the parts of the model do not belong together: {failed[0]}. Take {parts} from the same fit.")

    def _has_its_classes(self, stated: Json, scheme: Json) -> bool:
        count = len(self.classes)
        if self.made is not None:
            return count == (0 if self.made.ends else self.made.rows + 1)
        if isinstance(self.form, BoundedForm):
            return count == (len(self.form.units) if self._multinomial else 2 if self._signed() else 0)
        return same(stated, count) and (scheme in SCHEMES if count > 2 else scheme is None)

    def _targets_in_words(self) -> str:
        """Of the model, and of its certificate."""
        many = f"{len(self.classes)} classes" if self.classes else "a number"
        if self.made is not None:
            return f"{many}, the certificate is for {'times' if self.made.ends else f'{self.made.rows + 1} ordered classes'}"
        if isinstance(self.form, BoundedForm) and self._multinomial:
            return f"{many}, the certificate is for {len(self.form.units)} classes"
        if isinstance(self.form, BoundedForm) and self.form.units:
            return f"{many if self.classes else 'numbers'}, the certificate is for {len(self.form.units)} numbers"
        if not isinstance(self.form, BoundedForm):
            return f"{many}, the certificate is for {brief(self.certificate.problem.get('classes', 2))}"
        return f"{many}, the certificate is for {'2 classes' if self._signed() else 'a number'}"

    def _has_its_loss(self) -> bool:
        loss, named = self.certificate.problem.get("loss"), self._saved.loss_names
        return isinstance(loss, str) and (not named or loss == (*named, None)[self._multinomial])

    def _has_its_set(self) -> bool:
        kind, name = self._saved, self.certificate.problem.get("constraint")
        return type(self.form) is kind.form and (name == kind.set_name or (kind.set_name == "" and name is not None))

    @property
    def _saved(self) -> Saved:
        return SAVED.get(self.kind) or saved_as(self.kind) or Saved("")

    def _number_loss(self) -> PredictionLoss:
        """The loss of numbers that the certificate names. Raises InvalidInput for one that is not known here, or has other parameters."""
        problem = self.certificate.problem
        name, parameters = problem.get("loss"), problem.get("loss_parameters", {})
        if isinstance(name, str) and isinstance(parameters, dict):
            return prediction_loss_named(name, parameters)
        raise InvalidInput("the certificate names a loss that this version does not know.")

    def _signed(self) -> bool:
        """Whether a model of rows within bounds tells classes apart."""
        loss = self.certificate.problem.get("loss")
        try:
            return isinstance(loss, str) and prediction_loss_named(loss).signed_targets
        except InvalidInput:
            return False

    @property
    def _multinomial(self) -> bool:
        """Whether one softmax is for all classes."""
        problem = self.certificate.problem
        return problem.get("scheme") == "multinomial" or (isinstance(self.form, BoundedForm) and problem.get("loss") == Softmax.name)

    def _link(self) -> MarginLoss:
        self.require_probabilities()
        loss = self._loss()
        if loss is None:
            raise InvalidInput("the certificate names a loss that this version does not know.")
        return loss

    def _loss(self) -> MarginLoss | None:
        """The loss that the certificate names; None where it names none that this version knows."""
        if self._multinomial:
            return Logistic()
        name, parameters = self.certificate.problem.get("loss"), self.certificate.problem.get("loss_parameters")
        if not isinstance(name, str) or not isinstance(parameters, dict):
            return None
        try:
            return loss_named(name, numbers(parameters))
        except (InvalidInput, TypeError):
            return None


def kind_of(estimator: "PrivateModel") -> str:
    """By which its model files go. Raises InvalidType for an estimator that has none."""
    name = vars(type(estimator)).get("saved_as")
    if isinstance(name, str) and MODELS.get(name) is type(estimator):
        return name
    known = ", ".join(made.__name__ for made in MODELS.values())
    raise InvalidType(f"a model is made from one of {known}; {type(estimator).__name__} was given.")


def same(stated: Json, expected: float) -> bool:
    """Whether a certificate states this number."""
    return isinstance(stated, int | float) and not isinstance(stated, bool) and stated == expected


def check_keys(record: Mapping[str, Any], known: str, keys: Sequence[str], *, other: str) -> None:
    """The format first: what another one calls its keys is none of our business. `other` is what to do with a file of another format."""
    if "format" not in record:
        raise FileFormatError(f'it does not state its format; a model file has "format": "{known}".')
    if record["format"] != known:
        raise FileFormatError(f"this version reads the format {known!r}; {brief(record['format'])} was found. {other}")
    if absent := [key for key in keys if key not in record]:
        raise FileFormatError(f"it lacks {quoted(absent)}.")
    if extra := [key for key in record if key not in keys]:
        raise FileFormatError(f"it holds {quoted(extra)}, which a model of this format does not have.")


def weights_of(record: object) -> Floats:
    """A list of numbers as an array (d,)."""
    if not isinstance(record, list) or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in record):
        raise FileFormatError("its weights are not a list of numbers.")
    try:
        return np.array([float(one) for one in record])
    except OverflowError:
        pass
    raise FileFormatError("it has a weight too large for float64; every number of a model must be finite.")
