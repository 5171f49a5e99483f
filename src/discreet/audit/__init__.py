"""Audits: lower bounds on epsilon for mechanisms, releases and estimators of ours, and for any black box that can be run on two tables."""

from discreet.audit.canaries import epsilon_from_guesses, one_run_audit, p_value
from discreet.audit.claim import Claim
from discreet.audit.exact import PrivacyLoss, exact_audit
from discreet.audit.inference import Inference, attribute_inference, membership_inference
from discreet.audit.learning import exact_learning_audit
from discreet.audit.report import AuditReport, DrawnReport, Event
from discreet.audit.statistical import audit

__all__ = [
    "AuditReport",
    "Claim",
    "DrawnReport",
    "Event",
    "Inference",
    "PrivacyLoss",
    "attribute_inference",
    "audit",
    "epsilon_from_guesses",
    "exact_audit",
    "exact_learning_audit",
    "membership_inference",
    "one_run_audit",
    "p_value",
]
