"""The properties of kernels over everything that discreet.kernels exports, and the proof that each can fail."""

from dataclasses import dataclass

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.kernels import Gaussian, Kernel, Laplacian, kernel_named, kernel_names
from tests.properties import kernel_properties as properties
from tests.properties.catalogue import every, name

KERNELS = every(Kernel)


@pytest.mark.parametrize("kernel", KERNELS, ids=name)
@pytest.mark.parametrize("law", properties.LAWS, ids=lambda law: law.__name__)
def test_law_holds(kernel, law):
    law(kernel)


@pytest.mark.parametrize("kernel", KERNELS, ids=name)
def test_every_kernel_is_found_by_its_name(kernel):
    assert kernel_named(kernel.name, kernel.parameters) == kernel
    assert kernel.name in kernel_names()


def test_unknown_names_and_parameters_are_refused():
    with pytest.raises(InvalidInput, match="kernel must be one of"):
        kernel_named("linear")
    with pytest.raises(InvalidInput, match="does not take the parameters"):
        kernel_named("gaussian", {"nu": 1.0})


@dataclass(frozen=True, kw_only=True)
class WideGaussian(Gaussian):
    """Frequencies whose variance is gamma in place of 2 gamma."""

    def frequencies(self, generator, *, features, count):
        return super().frequencies(generator, features=features, count=count) / np.sqrt(2.0)


@dataclass(frozen=True, kw_only=True)
class Rotating(Laplacian):
    """Says that it is rotation invariant, so its orthogonal frequencies are not its own."""

    @property
    def rotation_invariant(self):
        return True


@dataclass(frozen=True, kw_only=True)
class Unnormalised(Gaussian):
    """k(x, x) = 2."""

    def value(self, rows, others):
        return 2.0 * super().value(rows, others)


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (WideGaussian(), properties.check_independent_features),
        (WideGaussian(), properties.check_orthogonal_features),
        (Rotating(), properties.check_orthogonal_features),
        (Rotating(), properties.check_rotation),
        (Unnormalised(), properties.check_value),
        (Unnormalised(), properties.check_independent_features),
    ],
    ids=lambda thing: getattr(thing, "__name__", type(thing).__name__),
)
def test_each_law_can_fail(wrong, law):
    with pytest.raises(AssertionError):
        law(wrong)
