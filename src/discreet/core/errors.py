"""Every error a user of Discreet can meet, each with an exit code for scripts.

A message says what is needed, what was given and what to do, with public numbers only: no value, count or row number
that comes from the records ever reaches one.
"""

from typing import ClassVar


class DiscreetError(Exception):
    """Base of all errors raised on purpose. `exit_code` is what the command line returns for it."""

    exit_code: ClassVar[int] = 1


class PrivacyWarning(UserWarning):
    """Something that was not declared public is taken from the records and published, without noise; the message names the remedy."""


class InvalidInput(DiscreetError, ValueError):
    """An argument, a table or a file does not meet what the caller must guarantee."""

    exit_code = 3


class InvalidType(DiscreetError, TypeError):
    """An argument is of a kind that cannot be used here."""

    exit_code = 3


class SchemaError(InvalidInput):
    """A schema contradicts itself, or the header of a table contradicts its schema."""


class FileFormatError(InvalidInput):
    """A file is not what its name says: corrupt, truncated, or of an unknown version."""


class InfeasibleTarget(DiscreetError, ValueError):
    """No noise level reaches the asked guarantee for this public problem; the message names the remedy."""

    exit_code = 4


class SolverFailure(DiscreetError, RuntimeError):
    """The solver did not reach the tolerance that the proof needs. The budget counts as spent; nothing is released."""

    exit_code = 5


class VerificationFailure(DiscreetError, ValueError):
    """A certificate does not support what it claims."""

    exit_code = 6


class PrivateDataError(DiscreetError, TypeError):
    """Something tried to copy, pickle or print private records."""
