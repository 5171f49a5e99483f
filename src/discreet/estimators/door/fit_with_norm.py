"""data_norm="private": a bound of row norms for a tenth of the budget, and a fit with the rest, under one guarantee.

    norms of rows -> N, a power of two -> rows x / N, shortened to norm 1 -> a fit whose problem is the same whatever N is

Everything but the noise is settled before a record counts (mechanisms/bounds_choice/norm.py). The total is reserved, then N is drawn, then the fit.
What fails afterwards has been paid for. `weights_` are those of rows divided by N, as released and certified; `coef_` are those of rows in their own
unit. A given `alpha`, `intercept_scale` or target is of the divided rows too.

Persons. Which rows of a person are kept is drawn once, for norm and fit together. In the choice rows count what they weigh in the fit over the
largest weight of a record: rounded down as weights are (data/persons.py), those of one person together at most 1.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from discreet.certificates import Certificate, Release
from discreet.core.advice import caller, mostly_noise
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, PrivacyAdvice, VerificationFailure
from discreet.core.neighbours import ADD_REMOVE, Persons, Privacy
from discreet.data import Domain, EncodedTable, Records
from discreet.estimators.door.fit_input import FitInput
from discreet.estimators.inputs import is_private
from discreet.ledger import Account, spending_on, without_ledger
from discreet.matrices import AugmentedMatrix
from discreet.mechanisms.base import Mechanism, certified
from discreet.mechanisms.bounds_choice.norm import CANDIDATES, NormPlan
from discreet.mechanisms.selection import SHARE, ThenFit
from discreet.noise import Noise
from discreet.statements.base import NORM_THEN_FIT

Prepared = Callable[..., tuple[Any, Mechanism[Any, Any]]]
"""From what a fit may spend to its public problem, of rows of norm 1, and its calibrated mechanism; `counts=True` where nothing else shares the
budget, and records may be counted with noise."""


def settled(prepared: Prepared, privacy: Privacy, persons: Persons | None) -> ThenFit[NormPlan]:
    """What choice and fit may spend, from public numbers. Raises InvalidInput and InfeasibleTarget as a fit does."""

    def planned(epsilon: float, delta: float) -> Certificate:
        problem, mechanism = prepared(replace(privacy, epsilon=epsilon, delta=delta))
        return mechanism.planned(problem, shape=(problem.dimension,))

    plan = partial(NormPlan.calibrate, neighbours=privacy.neighbours, persons=persons)
    return ThenFit.calibrate(NORM_THEN_FIT, plan, epsilon=privacy.epsilon, delta=privacy.delta, share=SHARE, planned=planned)


def left(prepared: Prepared, privacy: Privacy, persons: Persons | None) -> Privacy:
    """The budget that is left for the fit."""
    epsilon, delta = settled(prepared, privacy, persons).target
    return replace(privacy, epsilon=epsilon, delta=delta)


def planned_with_norm(prepared: Prepared, privacy: Privacy, persons: Persons | None) -> Certificate:
    """What a fit would promise: its certificate, but for the norm, its value, noise and ledger. It never verifies."""
    both = settled(prepared, privacy, persons)
    return _issued(both, both.fit, None, noise="none was drawn: a plan", noise_private=False)


def fitted_with_norm(given: FitInput, prepared: Prepared, privacy: Privacy, noise: Noise, account: Account | None) -> tuple[Release, Domain, float]:
    """What was released, the domain of the divided rows, and N. Raises as a fit does."""
    both = settled(prepared, privacy, given.shape.persons)
    least = max(both.choice.mechanism.least_records(both.choice.problem).values())
    for words in mostly_noise("a norm that is chosen privately", least, None if privacy.neighbours is ADD_REMOVE else given.records):
        warnings.warn(f"{words} Pass a number as data_norm, one that you know without the records.", PrivacyAdvice, stacklevel=caller())
    problem, mechanism = prepared(replace(privacy, epsilon=both.target[0], delta=both.target[1]))
    domain: Domain = problem.domain
    widest = given.data_of(replace(domain, norm_bound=CANDIDATES[-1], intercept_scale=0.0))
    found = list(widest.map(_norms))
    norms = np.concatenate([np.empty(0), *(norms for norms, _ in found)])
    several = domain.persons is not None and domain.persons.several
    shares = np.concatenate([np.empty(0), *(weights for _, weights in found)]) / given.shape.largest if several else None
    with spending_on(account, both.guarantee, purpose=NORM_THEN_FIT, table=widest.content()) as reservation, without_ledger():
        norm = both.choice.chosen(norms, noise, weights=shares)
        rows = given.data_of(replace(domain, norm_bound=norm, intercept_scale=0.0))
        release = mechanism.run(problem, rows.changed(partial(_divided, norm=norm, domain=domain), domain), noise)
    fit = release.certificate
    if any(getattr(fit, name) != getattr(both.fit, name) for name in ("mechanism", "problem", "guarantee", "releases")):
        raise VerificationFailure("the certificate of the fit differs from the one planned from public parameters. Nothing was released.")
    issued = _issued(both, fit, norm, noise=noise.description, noise_private=noise.private)
    return replace(release, certificate=replace(issued, ledger_entry=None if reservation is None else reservation.id)), domain, norm


def require_declared(data_norm: object, what: str) -> None:
    """Raise InvalidInput where the norm is chosen in the fit."""
    if is_private(data_norm):
        raise InvalidInput(f"{what} needs a declared data_norm. Choose one with `choose_norm` first, and pass it.")


def require_unencoded(X: Any) -> None:
    """Raise InvalidInput for a table whose schema says what norm its rows have."""
    if isinstance(X, EncodedTable):
        raise InvalidInput('a table encoded by a schema has the norm bound of that schema: pass data_norm=schema.norm_bound, not "private".')


def _issued(both: ThenFit[NormPlan], fit: Certificate, norm: float | None, *, noise: str, noise_private: bool) -> Certificate:
    parameters = {**both.parameters(fit), "data_norm": norm}
    return certified(NORM_THEN_FIT, parameters, dict(fit.problem), both.guarantee, fit.digest, noise, noise_private=noise_private)


def _norms(_: int, block: Records) -> tuple[Floats, Floats]:
    """Norms of the rows, and their weights."""
    return block.matrix.ordered_row_norms(), np.ones(block.records) if block.weights is None else block.weights


def _divided(block: Records, *, norm: float, domain: Domain) -> Records:
    """The records over a power of two, exactly, but for entries that underflow."""
    targets = block.targets if domain.kind == "number" else block.codes
    rows = AugmentedMatrix(block.matrix, scale=np.full(block.records, 1.0 / norm), constant=0.0)
    return Records(rows=rows, targets=targets, domain=domain, weights=block.weights, kept=True)
