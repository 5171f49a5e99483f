"""Finds what the properties must hold for: every exported class of a package, by itself.

`every(MarginLoss)` builds each class that `discreet.losses` exports, with its defaults and with each of its numbers fifty times smaller
and twenty times larger. Adding a class to a package therefore puts it under the property tests, and edits no test.
"""

import dataclasses
import importlib
import inspect

from discreet.core.errors import DiscreetError

FACTORS = (0.02, 20.0)
REQUIRED = {"int": 1, int: 1, "float": 1.0, float: 1.0}
"""Values for arguments without a default, by annotation."""


def every(protocol):
    """Instances of every exported class that satisfies `protocol`; raises if a class of its package satisfies none of the package's protocols."""
    package = importlib.import_module(protocol.__module__.rpartition(".")[0])
    exported = [getattr(package, name) for name in package.__all__]
    classes = [kind for kind in exported if isinstance(kind, type)]
    protocols = tuple(kind for kind in classes if getattr(kind, "_is_protocol", False) or inspect.isabstract(kind))
    found = []
    for kind in classes:
        if kind in protocols or inspect.isabstract(kind):
            continue
        instance = kind(**_required(kind))
        if not isinstance(instance, protocols):
            raise TypeError(f"{package.__name__} exports {kind.__name__}, which satisfies none of its protocols {protocols}.")
        if isinstance(instance, protocol):
            found += [instance, *_variations(instance)]
    if not found:
        raise LookupError(f"{package.__name__} exports nothing that satisfies {protocol.__name__}.")
    return found


def name(thing):
    """A short name for the test's report."""
    return repr(thing)


def _required(kind):
    fields = dataclasses.fields(kind)
    missing = [field for field in fields if field.init and _has_no_default(field)]
    return {field.name: REQUIRED[field.type] for field in missing}


def _has_no_default(field):
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _variations(instance):
    """The same class with one number changed at a time; a value that the class refuses is left out."""
    for field in dataclasses.fields(instance):
        value = getattr(instance, field.name)
        if not field.init or not isinstance(value, float):
            continue
        for factor in FACTORS:
            try:
                yield dataclasses.replace(instance, **{field.name: value * factor})
            except DiscreetError:
                continue
