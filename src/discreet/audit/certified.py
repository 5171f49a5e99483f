"""The audit of a certificate: which epsilon the recorded noise really has, on the worst pair of tables, for the recorded problem.

A recheck (module certificates/rechecks) bounds epsilon from above, from what is recorded; this bounds it from below, from the same numbers and the
exact law of the released minimiser. Between the two lies the truth. Neither sees the records.
"""

import math

from discreet.accounting import Json
from discreet.audit.claim import Claim
from discreet.audit.learning import Release, audit_release
from discreet.audit.pairs import worst_pairs
from discreet.audit.report import AuditReport
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.losses import loss_named

_LAWS = {
    "objective-perturbation-gaussian": ("scale", True, True),
    "objective-perturbation-pure": ("rate", False, True),
    "output-perturbation-gaussian": ("scale", True, False),
    "output-perturbation-pure": ("rate", False, False),
}
"""Mechanism -> name of its noise parameter, whether it is Gaussian, whether it is in the objective."""


def certificate_audit(certificate: Certificate) -> AuditReport:
    """The exact audit of one released model of two classes.

    Raises InvalidInput where no exact law is known of the mechanism, where several releases share the certificate, and where nothing is promised.
    """
    if certificate.mechanism not in _LAWS:
        raise InvalidInput(
            f"no exact law is known here of the mechanism {certificate.mechanism!r}; those that are: {', '.join(_LAWS)}. "
            "Audit its runs on two tables with discreet.audit.audit."
        )
    if certificate.releases != 1:
        raise InvalidInput(f"the certificate covers {certificate.releases} releases together; an audit is of one.")
    noise, gaussian, objective = _LAWS[certificate.mechanism]
    problem, parameters = certificate.problem, certificate.parameters
    constants = problem["loss_parameters"]
    if not isinstance(constants, dict):
        raise InvalidInput("the certificate's loss has no parameters that could be read.")
    extra = parameters.get("extra_ridge")
    law = Release(
        loss=loss_named(str(problem["loss"]), {str(key): _number(value) for key, value in constants.items()}),
        ridge=_number(problem["ridge"]) + (0.0 if extra is None else _number(extra)),
        noise=_number(parameters[noise]),
        gaussian=gaussian,
        objective=objective,
    )
    radius = math.hypot(_number(problem["data_norm"]), _number(problem["intercept_scale"])) * _number(problem["max_weight"])
    neighbours = certificate.guarantee.neighbours
    pairs = worst_pairs(radius=radius, ridge=law.ridge, neighbours=neighbours, spread=law.spread * radius)
    return audit_release(law, pairs, Claim.of(certificate.guarantee), subject=f"{certificate.mechanism} as certified, {neighbours}")


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput("a parameter of the certificate is no finite number.")
    return float(value)
