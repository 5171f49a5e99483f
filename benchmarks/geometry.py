"""Measured excess risk against its bound over sets, and how it grows with the dimension: the l1 ball against the l2 ball.

    python -m benchmarks.geometry [--seeds 3] [--largest 1024] [--out geometry.svg]

Records x = 0.3 y e_1 + 0.95 u, u a random unit vector, y = +1 or -1, shortened to norm 1; logistic loss, so that one coordinate matters and d - 1 do
not. Excess: mean loss of noisy mirror descent less that of the minimiser over the set, mean over seeds. Noise is seeded; privacy is not the subject.
"""

import argparse
import math
from pathlib import Path

import numpy as np

from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Domain, Records
from discreet.losses.predictions import OfMargin
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained import NoisyMirrorDescent
from discreet.noise import SeededNoise
from discreet.objectives import PredictionSum, sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.sets import Constraint, L1Ball, L2Ball
from studies.talwar.sets import least, sets_of

DELTA = 1e-6
WIDTH, HEIGHT, LEFT, TOP = 720, 420, 80, 50
COLOURS = {"l2-ball": "#a3263a", "l1-ball": "#2f6f9f"}


def problem_of(constraint: Constraint, records: int, seed: int) -> tuple[ConstrainedRisk, PredictionSum, float]:
    """The problem, its objective on a table of this many records, and the least value over the set."""
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=(records, constraint.dimension))
    rows *= 0.95 / np.linalg.norm(rows, axis=1, keepdims=True)
    signs = np.where(draw.random(records) < 0.5, 1.0, -1.0)
    rows[:, 0] += 0.3 * signs
    domain = Domain(features=constraint.dimension, norm_bound=1.0, records=records, target_bound=1.0)
    problem = ConstrainedRisk(loss=OfMargin(), constraint=constraint, domain=domain)
    objective = sum_over_set(problem, Records(rows=as_matrix(rows), targets=signs, domain=domain))
    return problem, objective, least(problem, objective, 0.25 * float(np.linalg.norm(rows.T @ rows, 2)))


def measured(constraint: Constraint, records: int, epsilon: float, seeds: int) -> tuple[float, float, NoisyMirrorDescent]:
    """Mean excess, its bound, and the mechanism."""
    excesses = []
    for seed in range(seeds):
        problem, objective, lowest = problem_of(constraint, records, seed)
        mechanism = NoisyMirrorDescent.calibrate(problem, epsilon=epsilon, delta=DELTA, neighbours=ADD_REMOVE)
        excesses.append((objective.value(mechanism.point(problem, objective, SeededNoise(seed))) - lowest) / records)
    return float(np.mean(excesses)), mechanism.risk_bound(), mechanism


def over_sets(seeds: int) -> None:
    """The first table."""
    print("| set | d | n | epsilon | width | map, steps | measured excess | bound | share |\n|---|---|---|---|---|---|---|---|---|")
    for d in (16, 64):
        for constraint in sets_of(d).values():
            for records, epsilon in ((2000, 1.0), (8000, 0.5), (8000, 1.0), (8000, 4.0)):
                excess, bound, mechanism = measured(constraint, records, epsilon, seeds)
                plan = mechanism.plan
                row = f"| {constraint.name} | {d} | {records} | {epsilon:g} | {constraint.gaussian_width:.2f} "
                print(f"{row}| {plan.mirror_map}, {plan.noisy_gradients} | {excess:.5f} | {bound:.5f} | {excess / bound:.2f} |", flush=True)


def over_dimensions(seeds: int, largest: int) -> dict[str, list[tuple[int, float, float]]]:
    """The second table, and what is drawn: for each ball (d, measured, bound)."""
    print("\n| d | l2 ball: width, measured, bound | l1 ball: width, measured, bound |\n|---|---|---|")
    found: dict[str, list[tuple[int, float, float]]] = {name: [] for name in COLOURS}
    d = 4
    while d <= largest:
        cells = []
        for constraint in (L2Ball(dimension=d), L1Ball(dimension=d)):
            excess, bound, _ = measured(constraint, 4000, 1.0, seeds)
            found[constraint.name].append((d, excess, bound))
            cells.append(f"{constraint.gaussian_width:.2f}, {excess:.5f}, {bound:.5f}")
        print(f"| {d} | {' | '.join(cells)} |", flush=True)
        d *= 4
    return found


def picture(found: dict[str, list[tuple[int, float, float]]]) -> str:
    """Both axes logarithmic: measured as lines with points, bounds dashed."""
    rows = [row for each in found.values() for row in each]
    right, left = max(row[0] for row in rows), min(row[0] for row in rows)
    high = 10.0 ** math.ceil(math.log10(max(row[2] for row in rows)))
    low = 10.0 ** math.floor(math.log10(max(1e-6, min(row[1] for row in rows))))

    def x(d: float) -> float:
        return LEFT + (WIDTH - LEFT - 130) * math.log(d / left) / math.log(right / left)

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - 60) * math.log(high / max(value, low)) / math.log(high / low)

    parts = []
    for power in range(round(math.log10(low)), round(math.log10(high)) + 1):
        place = y(10.0**power)
        parts.append(f'<line x1="{LEFT}" x2="{x(right):.1f}" y1="{place:.1f}" y2="{place:.1f}" stroke="#d9d9d9"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{place + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for name, colour in COLOURS.items():
        for index, style in ((1, ""), (2, ' stroke-dasharray="5 4"')):
            line = " ".join(f"{x(row[0]):.1f},{y(row[index]):.1f}" for row in found[name])
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{style}/>')
        parts += [f'<circle cx="{x(row[0]):.1f}" cy="{y(row[1]):.1f}" r="3" fill="{colour}"/>' for row in found[name]]
        last = found[name][-1]
        parts.append(f'<text x="{x(right) + 8:.1f}" y="{y(last[1]) + 4:.1f}" fill="{colour}">{name}</text>')
        parts.append(f'<text x="{x(right) + 8:.1f}" y="{y(last[2]) + 4:.1f}" fill="{colour}">{name}, bound</text>')
    parts += [f'<text x="{x(row[0]):.1f}" y="{HEIGHT - 38}" text-anchor="middle">{row[0]}</text>' for row in found["l2-ball"]]
    title = "Excess risk of noisy mirror descent, n = 4000, epsilon = 1, add-remove"
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#222222">\n<title>{title}</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n<text x="{LEFT}" y="26" font-size="15">{title}</text>\n{body}\n'
        f'<text x="{(LEFT + x(right)) / 2:.0f}" y="{HEIGHT - 14}" text-anchor="middle">dimension d</text>\n</svg>\n'
    )


def main() -> None:
    """Print the tables and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--largest", type=int, default=1024)
    parser.add_argument("--out", type=Path, default=Path("geometry.svg"))
    given = parser.parse_args()
    over_sets(given.seeds)
    given.out.write_text(picture(over_dimensions(given.seeds, given.largest)))


if __name__ == "__main__":
    main()
