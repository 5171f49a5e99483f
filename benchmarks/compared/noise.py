"""Draws of noise: ours, OpenDP's and diffprivlib's."""

from compared.link import Link
from compared.measured import Claim, Contestant, Group, Table, compete, load, local
from discreet.noise import SystemNoise
from discreet.noise.discrete import discrete_gaussian, discrete_laplace
from discreet.noise.source import system_words

SCALES = (1.0, 1e3, 1e6)
TEXT = """\
Integers: exact samplers here and in OpenDP (Canonne, Kamath and Steinke 2020); diffprivlib's `GaussianDiscrete` and `Geometric`. Real numbers: ours
are within a stated distance of their ideal and never released (what is released goes through a grid with exact integers); OpenDP's are exact on a
grid of floats; diffprivlib adds several floats to hide their pattern, or snaps (Mironov 2012). diffprivlib draws one number a call, and a discrete
Gaussian in a time that grows with its scale: at the largest it is left out."""

LAWS = ("discrete Gaussian", "discrete Laplace", "Gaussian", "Laplace")


def noise(link: Link | None, *, count: int, rounds: int) -> Table:
    """The table."""
    before = load()
    groups: dict[str, list[Contestant]] = {}
    for law in LAWS:
        for scale in SCALES if law.startswith("discrete") else SCALES[:1]:
            groups[f"{law}, scale {scale:g}"] = contestants(link, law, scale, count)
    seen = compete(groups, rounds)
    title = "Noise, million draws a CPU second"
    return Table(key="noise", title=title, text=TEXT, unit="draws", groups=seen, load=(before, load()), claims=claims(seen))


def contestants(link: Link | None, law: str, scale: float, count: int) -> list[Contestant]:
    """Those that draw from a law."""
    source = SystemNoise()
    draw = {
        "discrete Gaussian": lambda: discrete_gaussian(system_words(), variance=scale * scale, count=count),
        "discrete Laplace": lambda: discrete_laplace(system_words(), scale=scale, count=count),
        "Gaussian": lambda: source.gaussian(scale=scale, dimension=100, draws=count // 100),
        "Laplace": lambda: source.spherical(rate=1.0 / scale, dimension=1, draws=count),
    }[law]
    draw()  # the staircase of a scale is made once
    found = [Contestant(name="Discreet", side="ours", run=local(draw), count=count)]
    if link is None:
        return found
    few = max(1000, count // 50)
    run = lambda: link.timed("opendp_draws", law=law, scale=scale, count=few)  # noqa: E731
    found.append(Contestant(name="OpenDP, a vector", side="peer", run=run, count=few))
    fewer = few if law != "discrete Gaussian" else int(few // scale)  # the time of a draw grows with the scale
    for named in ((law, "snapping") if law == "Laplace" else (law,)) if fewer >= 10 else ():
        run = lambda named=named: link.timed("diffprivlib_draws", law=named, scale=scale, count=fewer)  # noqa: E731
        found.append(Contestant(name=f"diffprivlib{', snapping' if named == 'snapping' else ''}", side="peer", run=run, count=fewer))
    return found


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    slowest = min(1e-6 / group.rows[0].each() for group in seen if group.title.startswith("discrete Gaussian"))
    return [Claim(text="discrete Gaussian integers: at least 5 million a CPU second", seen=slowest, limit=5.0, at_most=False)]
