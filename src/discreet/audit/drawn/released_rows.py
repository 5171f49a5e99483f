"""The noise of released rows, recovered from the release and an invented table: K = released / w - round(row / w), integers.

Under add-remove rows leave in a secret order: it is seen where noise is next to nothing. Noise in the null space of a machine is recovered in the two
spaces that it has; it protects nobody, but its stated variance is what it must have.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.audit.claim import Claim, Target
from discreet.audit.exact import PrivacyLoss, exact_audit
from discreet.audit.parts import Part, Watch, chosen, of_law, of_noise, released
from discreet.audit.report import AuditReport
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.fields import real
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.matrices import DenseMatrix
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.release import (
    BoundedColumns,
    BoundedNoise,
    Categories,
    FisherNoise,
    FreshProjection,
    GaussianRelease,
    InformationRelease,
    LaplaceRelease,
    NullSpaceNoise,
    RandomisedCategories,
    ShuffledGaussianRows,
    ShuffledLaplaceRows,
)
from discreet.noise import SystemNoise
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace, Law, Normal
from discreet.queries import Projection, Rows, WeightedRows
from discreet.queries import Target as Column
from discreet.solvers.soft_margin import solve_soft_margin
from discreet.words.categories import RESPONSE, UNARY

_BALL = Domain(features=2, norm_bound=1.0, target_bound=1.0)
_BOX = Domain(features=2, entry_bound=1.0, target_bound=1.0)
_ORDERS = {(0, 1): 0, (0, 2): 1, (1, 0): 2, (1, 2): 3, (2, 0): 4, (2, 1): 5}
"""Of two records among three places."""


def rows(target: Target) -> Watch:
    """One noisy row a record; the same by owners of single records; in a secret order among rows of zeros; and times a public matrix."""
    query, narrow = Rows(domain=_BALL), Projection.of(_BALL, np.array([[1.0], [-0.5]]))
    asked: Any = {"epsilon": target.epsilon, "delta": target.delta}
    made = GaussianRelease.calibrate(query, **asked, neighbours=REPLACE_ONE)

    local = GaussianRelease.calibrate(query, **asked, neighbours=REPLACE_ONE, local=True)
    owners = [local.randomise(query, np.array([0.6, -0.3]), SystemNoise()) for _ in range(200)]
    stated = owners[0].certificate.parameters
    of_owner = _integers(np.concatenate([one.value for one in owners]), np.array([0.6, -0.3]), real(stated["step"]))

    hidden = GaussianRelease.calibrate(query, **asked, neighbours=ADD_REMOVE, slots=500)
    zeros = Records(rows=DenseMatrix(np.zeros((3, 2))), targets=np.zeros(3), domain=_BALL)
    projected = GaussianRelease.calibrate(narrow, **asked, neighbours=REPLACE_ONE)
    parts = (
        _on_rows("noise on rows", made, query, table(_BALL, 500), numbers(500, 2)),
        of_noise("noise of single owners", of_owner, DiscreteGaussian(real(stated["scale"]))),
        _on_rows("noise on places of a secret order", hidden, query, zeros, np.zeros((500, 2))),
        _on_rows("noise on rows times a public matrix", projected, narrow, table(_BALL, 500), numbers(500, 2) @ np.array([[1.0], [-0.5]])),
        chosen("order of two records among three places", "every order equally likely", _orders(replace(hidden, slots=3)), np.ones(6)),
    )
    return Watch(mechanism=made.name, parts=parts)


def laplace(target: Target) -> Watch:
    """Laplace noise on rows in their order, of single owners, and in a secret order among rows of zeros."""
    query = Rows(domain=_BOX)
    made = LaplaceRelease.calibrate(query, epsilon=target.epsilon, neighbours=REPLACE_ONE)
    local = LaplaceRelease.calibrate(query, epsilon=target.epsilon, neighbours=REPLACE_ONE, local=True)
    owners = np.concatenate([local.randomise(query, np.array([0.6, -0.3]), SystemNoise()).value for _ in range(200)])
    hidden = LaplaceRelease.calibrate(query, epsilon=target.epsilon, neighbours=ADD_REMOVE, slots=500)
    zeros = Records(rows=DenseMatrix(np.zeros((3, 2))), targets=np.zeros(3), domain=_BOX)
    parts = (
        _on_rows("noise on rows", made, query, table(_BOX, 500), numbers(500, 2), law=DiscreteLaplace),
        of_noise("noise of single owners", _integers(owners, np.array([0.6, -0.3]), local.step), DiscreteLaplace(local.scale)),
        _on_rows("noise on places of a secret order", hidden, query, zeros, np.zeros((500, 2)), law=DiscreteLaplace),
    )
    return Watch(mechanism=made.name, parts=parts)


def shuffled(target: Target, *, pure: bool = False) -> Watch:
    """Noise on places of a secret order that is counted, under both relations, and the order itself."""
    query, size = Rows(domain=_BALL), 500
    law, kind = (DiscreteLaplace, ShuffledLaplaceRows) if pure else (DiscreteGaussian, ShuffledGaussianRows)
    asked: Any = {"epsilon": target.epsilon, "delta": target.delta, "shuffled": size}
    made: Any = kind.calibrate(query, **asked, neighbours=REPLACE_ONE)
    hidden: Any = kind.calibrate(query, **asked, neighbours=ADD_REMOVE, slots=size)
    zeros = Records(rows=DenseMatrix(np.zeros((size, 2))), targets=np.zeros(size), domain=_BALL)
    silent = replace(made, shuffled=3, step=2.0**-32, scale=4096.0)
    parts = (
        _on_rows("noise on shuffled rows", made, query, zeros, np.zeros((size, 2)), law=law),
        _on_rows("noise on shuffled places", hidden, query, zeros, np.zeros((size, 2)), law=law),
        chosen("order of two records among three places", "every order equally likely", _places(silent, rows=3), np.ones(6)),
    )
    return Watch(mechanism=made.name, parts=parts)


def laplace_audit(target: Target) -> AuditReport:
    """Exact, but for the bins that losses are rounded down to: two records at opposite corners of a square."""
    query = Rows(domain=_BOX)
    slots = None if target.neighbours is REPLACE_ONE else 1
    made = LaplaceRelease.calibrate(query, epsilon=target.epsilon, neighbours=target.neighbours, slots=slots)
    moved = np.rint((2.0 if target.neighbours is REPLACE_ONE else 1.0) / made.step)
    return corner_audit(made, Claim.of(made.guarantee(query)), float(moved))


def corner_audit(made: LaplaceRelease, claim: Claim, moved: float) -> AuditReport:
    """Two numbers, each of which moves by so many steps."""
    most, tail = moved / made.scale, 1.0 / (1.0 + np.exp(-1.0 / made.scale))  # P(K >= 0) = P(K <= 0)
    # The loss is linear in K between: P(loss <= l) is P(K <= 0) e^((l - most) / 2) there. Each bin has the least loss in it.
    edges = np.linspace(most, -most, 801)
    below = tail * np.exp(0.5 * (edges - most))
    masses = np.append(-np.diff(below), below[-1])
    masses = np.append(1.0 - masses.sum(), masses)
    losses = np.append(most, np.append(edges[1:], -most))
    law = PrivacyLoss(masses=np.outer(masses, masses).ravel(), losses=np.add.outer(losses, losses).ravel())
    return exact_audit(law, law, claim, subject=made.name, described="two records at opposite ends of both columns")


def fisher(target: Target) -> Watch:
    """Noise whose covariance is that of public weights, with and without a secret order."""
    query = WeightedRows.of(_BALL, weights=np.array([1.0, 16.0]), target=Column.OMITTED)
    root = np.diag([1.0, 2.0])  # the fourth root of the weights
    parts, name = [], ""
    for neighbours, slots in ((REPLACE_ONE, None), (ADD_REMOVE, 300)):
        made = FisherNoise.calibrate(query, epsilon=target.epsilon, delta=target.delta, neighbours=neighbours, slots=slots)
        data = table(_BALL, 300) if slots is None else Records(rows=DenseMatrix(np.zeros((0, 2))), targets=np.zeros(0), domain=_BALL)
        release = made.run(query, data, SystemNoise())
        exact = numbers(300, 2) if slots is None else np.zeros((300, 2))
        name, deviation = made.name, real(release.certificate.parameters["level"]) ** -0.25
        parts.append(of_noise(f"noise on weighted rows, {neighbours}", (release.value - exact) @ root, Normal(deviation)))
    return Watch(mechanism=name, parts=tuple(parts))


def for_bits(target: Target) -> Watch:  # noqa: ARG001 - its promise is bits, of another kind than epsilon
    """Rows for half a bit about any entry."""
    query = Rows(domain=_BOX)
    made = InformationRelease.calibrate(query, bits=0.5)
    return Watch(mechanism=made.name, parts=(_on_rows("noise on rows", made, query, table(_BOX, 500), numbers(500, 2)),))


def bounded(target: Target) -> Watch:
    """Noise of bounded support at level 0: density cos^2 on [-L, L], in closed form."""
    query = Rows(domain=_BOX)
    made = BoundedNoise(half_width=50.0, level=0.0, epsilon=target.epsilon)
    stated, (value,) = released(made, query, table(_BOX, 500))
    width = real(stated["half_width"])
    below = of_law(
        "noise on rows",
        f"density proportional to cos^2 on +-{width:.6g}",
        value - numbers(500, 2),
        lambda noise: 0.5 + np.clip(noise / width, -1.0, 1.0) / 2.0 + np.sin(np.pi * noise / width) / (2.0 * np.pi),
    )
    return Watch(mechanism=made.name, parts=(below,))


def bounded_columns(target: Target) -> Watch:
    """Ends of their own: the lowest state at the stated tilt, found among sines."""
    query = Rows(domain=_BOX)
    made = BoundedColumns(below=(40.0, 90.0), above=(100.0, 60.0), level=0.0, epsilon=target.epsilon)
    stated, (value,) = released(made, query, table(_BOX, 500))
    noise, parts = value - numbers(500, 2), []
    for place in range(2):
        below, above, tilt = (real(stated[name][place]) for name in ("below", "above", "tilt"))  # type: ignore[index]
        ends = _of_lowest(-below, above, tilt)
        parts.append(of_law(f"noise on number {place}", f"lowest state from {-below:.6g} to {above:.6g}", noise[:, [place]], ends))
    return Watch(mechanism=made.name, parts=tuple(parts))


def _of_lowest(low: float, high: float, tilt: float) -> Callable[[Floats], Floats]:
    """The distribution function of u^2, -4 u'' + tilt n u = E u, u = 0 at both ends: by sines, whose products with n are known."""
    j = np.arange(1.0, 101.0)
    less, more = np.subtract.outer(j, j), np.add.outer(j, j)
    odd = less % 2 == 1
    # The mean of (n - low) / width under two sines: 1/2 on the diagonal, else from cosines of their difference and sum.
    between = np.where(odd, 2.0 / np.pi**2 * (1.0 / np.where(odd, more, 1.0) ** 2 - 1.0 / np.where(odd, less, 1.0) ** 2), 0.0) + 0.5 * np.eye(100)
    width = high - low
    weights = np.linalg.eigh(np.diag(4.0 * (np.pi * j / width) ** 2) + tilt * width * between)[1][:, 0]
    places = np.linspace(0.0, 1.0, 4001)
    squares = np.square(np.sin(np.pi * np.outer(places, j)) @ weights)
    sums = np.append(0.0, np.cumsum(0.5 * (squares[1:] + squares[:-1])))
    return lambda noise: np.interp((noise - low) / width, places, sums / sums[-1])


def categories(target: Target) -> Watch:
    """Both laws on one record: which answer left beside the own, and the own bit and the others of an encoding."""
    problem, sizes = Categories(columns=(("a", 3), ("b", 9))), (3, 9)
    made = replace(RandomisedCategories.calibrate(problem, epsilon=target.epsilon), laws=(RESPONSE, UNARY))
    stated, values = released(made, problem, Numbers(np.array([1, 4])), 600)
    unit = real(stated["unit"])
    of_answer, of_bits = (real(one) / unit for one in stated["kept"])  # type: ignore[union-attr]
    answers, bits = np.split(values[:, 0].astype(np.int64), [sizes[0]], axis=1)
    turned = np.where(answers.sum(axis=1) == 1, (np.argmax(answers, axis=1) - 1) % 3, 3)
    parts = (
        chosen("answer of a response", f"the own one {of_answer:.6g} times as likely", turned[:, np.newaxis], np.array([of_answer, 1.0, 1.0, 0.0])),
        chosen("own bit of an encoding", "0 and 1 equally likely", bits[:, 4:5], np.ones(2)),
        chosen("other bits of an encoding", f"0 {of_bits:.6g} times as likely", np.delete(bits, 4, axis=1), np.array([of_bits, 1.0])),
    )
    return Watch(mechanism=made.name, parts=parts)


def categories_audit(target: Target) -> AuditReport:
    """Exact: two records that differ in every column, one of which is answered and one of which is encoded."""
    if target.neighbours is not REPLACE_ONE:
        raise InvalidInput("a record that its owner randomises is known to exist, so this audit needs replace-one.")
    problem = Categories(columns=(("a", 3), ("b", 9)))
    made = replace(RandomisedCategories.calibrate(problem, epsilon=target.epsilon), laws=(RESPONSE, UNARY))
    of_answer, of_bits = (one / made.unit for one in made.kept)
    answers = np.array([of_answer, 1.0, 1.0]) / (of_answer + 2.0)
    own, other = np.array([0.5, 0.5]), np.array([of_bits, 1.0]) / (of_bits + 1.0)
    here = np.multiply.outer(answers, np.outer(own, other))
    law = PrivacyLoss.of_masses(here, np.multiply.outer(answers[[1, 0, 2]], np.outer(other, own)))
    words = "two records in other categories of both columns; further bits have one law"
    return exact_audit(law, law, Claim.of(made.guarantee(problem)), subject=made.name, described=words)


def fresh_projection(target: Target) -> Watch:
    """The projection, and the noise on projected rows."""
    query = Rows(domain=_BALL)
    made = FreshProjection.calibrate(query, width=3, epsilon=target.epsilon, delta=target.delta, neighbours=REPLACE_ONE)
    exact, data = numbers(10, 2), table(_BALL, 10)
    release = made.run(query, data, SystemNoise())
    stated = release.certificate.parameters
    values = [release.value, *(np.concatenate(list(made.draw(query, data, SystemNoise()).blocks)) for _ in range(59))]
    maps = [value[:2].ravel() for value in values]
    noise = [_integers(value[2:], exact @ value[:2], real(stated["step"])).ravel() for value in values]
    parts = (
        of_noise("the projection", np.array(maps), Normal(real(stated["width"]) ** -0.5)),
        of_noise("noise on projected rows", np.array(noise), DiscreteGaussian(real(stated["scale"]))),
    )
    return Watch(mechanism=made.name, parts=parts)


def null_space(target: Target) -> Watch:  # noqa: ARG001 - it promises nothing
    """In orthonormal bases of what is at right angles to the multipliers and to the weights of the machine."""
    domain = Domain(features=3, norm_bound=2.0, target_bound=1.0)
    points = np.array([[1.0, 0.2, 0.1], [0.8, -0.4, 0.3], [-0.9, 0.3, 0.2], [-0.7, -0.5, 0.4], [0.2, 0.9, -0.6], [-0.3, -0.8, -0.5]])
    signs = np.array([1.0, 1.0, -1.0, -1.0, 1.0, -1.0])
    query = Rows(domain=domain, target=Column.CLEAR)
    made = NullSpaceNoise(variance=0.25)
    machine = solve_soft_margin(points, signs, rho=made.rho, theta=made.theta)
    across, along = _at_right_angles(machine.multipliers * signs), _at_right_angles(machine.weights)
    data = Records(rows=DenseMatrix(points), targets=signs, domain=domain)
    stated, values = released(made, query, data, 25)
    noise = across.T @ (values[:, :, :3] - points) @ along
    part = of_noise("noise at right angles to the machine", noise.reshape(25, -1), Normal(real(stated["variance"]) ** 0.5))
    return Watch(mechanism=made.name, parts=(part,))


def numbers(count: int, columns: int) -> Floats:
    """An invented table, of norm below 1."""
    return np.asarray(0.6 * np.sin(np.arange(1, count * columns + 1)).reshape(count, columns), dtype=np.float64)


def table(domain: Domain, count: int) -> Records:
    """The records of `numbers`."""
    return Records(rows=DenseMatrix(numbers(count, domain.features)), targets=np.zeros(count), domain=domain)


def _on_rows(
    what: str,
    made: Any,  # noqa: ANN401 - any mechanism of rows on a grid
    query: Any,  # noqa: ANN401 - and its query
    data: Records,
    exact: Floats,
    law: Callable[[float], Law] = DiscreteGaussian,
) -> Part:
    stated, (value,) = released(made, query, data)
    return of_noise(what, _integers(value, exact, real(stated["step"])), law(real(stated["scale"])))


def _integers(released: Floats, exact: Floats, step: float) -> Floats:
    return np.rint(released / step) - np.rint(exact / step)


def _orders(hidden: GaussianRelease) -> Floats:
    """Of a release with noise of a millionth, in whose slots two records stand."""
    return _places(replace(hidden, step=2.0**-32, scale=4096.0), rows=2)


def _places(silent: Any, *, rows: int) -> Floats:  # noqa: ANN401 - any mechanism of shuffled rows
    """Which of the six orders, (runs, 1), by the places of two records, the last of three a row of zeros, that next to no noise hides."""
    query, points = Rows(domain=_BALL), np.array([[0.5, 0.0], [0.0, 0.5], [0.0, 0.0]])[:rows]
    data = Records(rows=DenseMatrix(points), targets=np.zeros(rows), domain=_BALL)
    found = []
    for _ in range(300):
        value = np.concatenate(list(silent.draw(query, data, SystemNoise()).blocks))
        found.append([_ORDERS[int(np.argmax(value[:, 0])), int(np.argmax(value[:, 1]))]])
    return np.array(found)


def _at_right_angles(vector: Floats) -> Floats:
    """An orthonormal basis of the complement, (n, n - 1)."""
    basis: Floats = np.linalg.svd(vector[np.newaxis])[2][1:].T
    return basis
