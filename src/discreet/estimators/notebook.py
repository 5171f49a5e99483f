"""Estimators in notebooks: scikit-learn's diagram, and below it the certificate of a fitted one."""

from typing import Any

from discreet.certificates import Certificate


class CertificateView:
    """Put before BaseEstimator. `_repr_mimebundle_` is what notebooks ask for, and scikit-learn answers with its diagram."""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        certificate = vars(self).get("certificate_")
        if isinstance(certificate, Certificate) and "text/html" in bundle:
            bundle["text/html"] += certificate.view()
        return bundle
