"""The model file that `discreet fit` and `discreet tune` write: its options, and what is said once it is written.

After the fit the budget is spent, so the model is not lost whatever happens: where it cannot be saved, its JSON goes to standard output.
"""

from dataclasses import dataclass
from typing import Annotated

import discreet
from discreet.cli.inputs import guarantee_of, receipt
from discreet.cli.options import File, Report, Seed
from discreet.cli.output import Outcome, check_output, check_report, keep, labelled, step, written_report
from discreet.core.errors import quoted


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """The file of a model, and the page about it."""

    seed: Seed = None
    out: Annotated[File, "The model file to write."]
    report: Report = None
    overwrite: Annotated[bool, "Replace the model file where it exists."] = False

    def check(self, *sources: str | None) -> None:
        """Raise InvalidInput unless they could be written now; neither is read or the other one."""
        check_output(self.out, *sources, overwrite=self.overwrite)
        check_report(self.report, *sources, self.out, overwrite=self.overwrite)

    def outcome(
        self,
        model: "discreet.Model",
        subject: "discreet.display.reports.Subject",
        account: "discreet.ledger.Account | None",
        stated: dict[str, object],
        found: list[str],
    ) -> Outcome:
        """Save the model, and say what was spent on it, what for, and what is left; the page is on `subject`, and `found` are further lines."""
        keep(model, "model", self.out, overwrite=self.overwrite)
        page = written_report(subject, self.report, account, name=self.out, overwrite=self.overwrite)
        with step("Checking the certificate"):
            verification = model.verify()
        document, paid = receipt(model.certificate, verification, account)
        guarantee = guarantee_of(model.certificate)
        spent = {"epsilon": guarantee["epsilon"], "delta": guarantee["delta"]}
        return Outcome(
            document={"model": self.out, "kind": model.kind, **stated, **document, "spent": spent, "report": page.path},
            lines=[*labelled(("Model", described(model))), *found, *paid, *labelled(("Written to", self.out), ("Report", page.path))],
            checked=verification if guarantee["private"] else None,
            lost=[page.lost],
        )


def described(model: "discreet.Model") -> str:
    """A model in one line."""
    target, names = model.schema.target, [discreet.data.labels.canonical(label) for label in model.classes]
    if isinstance(target, discreet.data.NumberTarget):
        which = f"a number from {target.lower:.10g} to {target.upper:.10g}"
    elif model.made is not None:
        ends = ", ".join(f"{end:g}" for end in model.made.ends)
        which = f"{len(names)} classes in order: {quoted(names)}" if names else f"a time, whose periods end at {ends}"
    elif len(names) > 2:
        which = f"{len(names)} classes ({model.certificate.problem.get('scheme')}): {quoted(names)}"
    else:
        which = f"classes {quoted(names[:1])} (negative) and {quoted(names[1:])} (positive)"
    intercept = " and an intercept" if model.intercept_scale > 0 else ""
    return f"{model.kind.replace('-', ' ')}, {model.schema.features} features{intercept}, {which}"
