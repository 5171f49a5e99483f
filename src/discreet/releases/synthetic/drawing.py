"""From released counts to rows: post-processing, which reads what is public and can be done again.

The counts are in a folder of their own right when they are released (`Pending`), so that whatever ends the fitting or the drawing, a full disk, a
signal, a failure of the solver, ends nothing that a budget paid for.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import polars as pl

from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError, InvalidInput, quietly
from discreet.core.files.whole_folder import whole_folder
from discreet.mechanisms.cuts.choose import projected
from discreet.mechanisms.margins import Margins, pair_scale
from discreet.mechanisms.margins.problem import Rounds, Table
from discreet.noise import Noise, SeededNoise, SystemNoise
from discreet.releases.manifest import NAME, manifest_text
from discreet.releases.parts import FOLDER, Part, described, part_path
from discreet.releases.synthetic.cells import CellColumn, Codes, fine_places
from discreet.releases.synthetic.fidelity import fidelity_of
from discreet.releases.synthetic.fit import Part as FittedPart
from discreet.releases.synthetic.fit import fitted, require_mbi
from discreet.releases.synthetic.folder import MARGINS, Synthetic, SyntheticTable, is_synthetic, read_synthetic, scales_of
from discreet.releases.synthetic.likely import Counted, likely
from discreet.releases.synthetic.pending import GO_ON, Pending
from discreet.releases.synthetic.rows import Words, drawn_codes, spread, uniforms
from discreet.words.counting import WHOLE

_DRAWN = "rows of a synthetic table"
_REDRAWN = "noise of further synthetic tables"


def kept_counts(counts: SyntheticTable) -> str:
    """What is there, and was paid for, when no rows are."""
    spent = counts.certificate.guarantee.to_dict()
    cost = "" if "epsilon" not in spent else f" (epsilon {spent['epsilon']:.6g}, delta {spent.get('delta', 0.0):.3g})"
    return f"The budget{cost} counts as spent, and the noisy counts that it paid for are in {str(counts.folder)!r}. The rows are missing: {GO_ON}"


def resume_synthetic(folder: str | Path, noise: Noise | None = None) -> SyntheticTable:
    """Draw the rows of a synthetic table whose counts are released and whose rows are missing, into its folder: nothing is read or spent.

    `noise` is what rows are drawn with where no `row_seed` was given, fresh where it is left out. Raises InvalidInput where there are no such counts,
    and where the rows cannot be written, SolverFailure where no distribution can be fitted; the counts stay.
    """
    require_mbi()
    counts = read_synthetic(folder)
    if counts.pending is None:
        raise InvalidInput(f"{str(folder)!r} has its rows: there is nothing to resume.")
    try:
        return _with_rows(counts, counts.pending, SystemNoise() if noise is None else noise)
    except DiscreetError as error:
        refusal = type(error)(f"{error} {kept_counts(counts)}")
    raise refusal


def _with_rows(counts: SyntheticTable, pending: Pending, noise: Noise) -> SyntheticTable:
    drawing = Drawing.of(counts, counts.rounds(), pending.records)
    words = noise.beside(_DRAWN).words() if pending.row_seed is None else SeededNoise(pending.row_seed).words()
    frames = drawing.frames(pending.rows, pending.tables, words, noise.beside(_REDRAWN))
    with whole_folder(counts.folder, overwrite=True, replaceable=is_synthetic) as temporary:
        (temporary / FOLDER).mkdir()
        shutil.copyfile(counts.folder / MARGINS, temporary / MARGINS)
        parts = tuple(_written(temporary, part_path(number), frame) for number, frame in enumerate(frames))
        fidelity = tuple(fidelity_of(drawing.problem, drawing.rounds, drawing.pairs, drawing.scales, drawing.columns, frames))
        made = replace(counts, parts=parts, fidelity=fidelity, pending=None)
        (temporary / NAME).write_text(manifest_text(made.manifest()), encoding="utf-8")
    return read_synthetic(counts.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """From released counts to rows: public."""

    columns: tuple[CellColumn, ...]
    problem: Margins
    scales: Sequence[float]
    rounds: Rounds
    pairs: Sequence[Table]
    records: int | None
    """Their number, where it is public."""

    @classmethod
    def of(cls, counts: Synthetic, rounds: Rounds, records: int | None) -> Self:
        """Of the counts of a release."""
        return cls(
            columns=counts.columns,
            problem=counts.problem,
            scales=scales_of(counts.certificate),
            rounds=rounds,
            pairs=counts.pairs,
            records=records,
        )

    @property
    def total(self) -> float:
        """About the number of records: the released sums, each by how well it is known."""
        if self.records is not None:
            return float(self.records)
        scales = self.scales
        known = [(each.sum(), len(each) * scale**2) for each, scale in zip(self.rounds.tables, scales, strict=False)]
        return float(np.average([total for total, _ in known], weights=[1.0 / variance for _, variance in known]))

    def frames(self, rows: int | None, tables: int, words: Words, noise: Noise) -> list[pl.DataFrame]:
        """So many tables of rows. Where there are several, counts have noise of the same law once more in each."""
        number = rows if rows is not None else max(1, round(self.total))
        found: list[pl.DataFrame] = []
        for rounds in [self.rounds] if tables == 1 else (self._again(noise) for _ in range(tables)):
            codes = drawn_codes(self._fitted(rounds, again=tables > 1), number, words, independent=tables > 1)
            found.append(self._typed(codes, rounds, words))
        return found

    @property
    def _of_pairs(self) -> float:
        return pair_scale(self.scales, len(self.pairs))

    def _again(self, noise: Noise) -> Rounds:
        scales = self.scales

        def redrawn(each: Floats, scale: float) -> Floats:
            more: Floats = each + noise.gaussian(scale=scale / WHOLE, dimension=len(each), draws=1)[:, 0]
            return more

        first = [redrawn(each, scale) for each, scale in zip(self.rounds.tables, scales, strict=False)]
        return Rounds(first, self.rounds.scores, [redrawn(each, self._of_pairs) for each in self.rounds.pairs])

    def _fitted(self, rounds: Rounds, *, again: bool) -> list[FittedPart]:
        """`again`: the noise is there twice, and intervals of several tables are about counts as they were measured."""
        columns = len(self.columns)
        measured = [*zip(self.problem.tables, rounds.tables, self.scales, strict=False)]
        measured += [(pair, each, self._of_pairs) for pair, each in zip(self.pairs, rounds.pairs, strict=True)]
        used = [Counted(table, each, scale / WHOLE) for table, each, scale in measured if table[-1] < columns]
        if self.problem.hub is not None and not again:
            used = likely(used, self.columns, self.problem.hub)
        tables, counts, deviations = zip(*used, strict=True)
        return fitted([cells for _, cells in self.problem.columns[:columns]], tables, counts, deviations, total=max(1.0, self.total))

    def _typed(self, codes: dict[int, Codes], rounds: Rounds, words: Words) -> pl.DataFrame:
        """Cells as values of the columns' types."""
        fine = fine_places(self.columns)
        by_table = dict(zip(self.problem.tables, rounds.tables, strict=True))
        found = []
        for place, column in enumerate(self.columns):
            cells = codes[place]
            if column.fine:
                cells = spread(_within_bins(column, by_table[(fine[place],)]), cells, words)
            found.append(column.values(cells, uniforms(words, len(cells))))
        return pl.DataFrame(found)


def _within_bins(column: CellColumn, noisy: Floats) -> Floats:
    """Counts (bins, fine cells) of the fine cells of each bin, nothing elsewhere; where there are none, by the width of cells."""
    cells = len(column.edges) - 1
    kept = projected(noisy, max(0.0, float(noisy.sum())))
    widths = np.diff(np.asarray(column.edges))
    found = np.zeros((column.bins, cells + column.gap))
    for place in range(len(column.starts)):
        inside = column.within(place)
        found[place, inside] = kept[inside] if kept[inside].sum() > 0 else widths[inside]
    if column.gap:
        found[-1, -1] = 1.0
    return found


def _written(folder: Path, path: str, frame: pl.DataFrame) -> Part:
    quietly(lambda: frame.write_parquet(folder / path), OSError("Parquet: it cannot be written"), pl.exceptions.PolarsError)
    return described(folder, path, frame.height)
