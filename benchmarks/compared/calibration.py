"""The standard deviation of Gaussian noise for a target: how long it takes, and what comes out."""

from compared.link import Link
from compared.measured import Claim, Contestant, Group, Table, compete, load, local
from discreet.accounting import gaussian_scale
from discreet.core.remembered import forget

TARGETS = ((1.0, 1e-6), (0.1, 1e-9))
WAYS = (
    ("diffprivlib GaussianAnalytic", "analytic", 50),
    ("dp-accounting, Gaussian privacy loss", "losses", 5),
    ("dp-accounting, Renyi", "rdp", 5),
    ("dp-accounting, privacy loss distributions", "pld", 1),
    ("OpenDP, zCDP to approximate DP", "opendp", 1),
)
TEXT = """\
For sensitivity 1. Ours, diffprivlib's and dp-accounting's first compute the trade-off of one Gaussian exactly (Balle and Wang 2018), ours rounded so
that it is surely enough, to nine digits; privacy loss distributions approach it; the other two bound it by Renyi or concentrated privacy, which is
made for sums of many mechanisms, and so need more noise for one. OpenDP's figure is that of a binary search over its public constructors."""


def calibration(link: Link | None, *, rounds: int) -> Table:
    """The table."""
    before = load()
    groups: dict[str, list[Contestant]] = {}
    for epsilon, delta in TARGETS:
        scale = gaussian_scale(epsilon, delta, sensitivity=1.0)
        run = local(lambda epsilon=epsilon, delta=delta: [anew(epsilon, delta) for _ in range(50)])
        group = [Contestant(name="Discreet", side="ours", run=run, count=50, note=f"sigma {scale:.9f}")]
        for name, how, count in WAYS if link is not None else ():
            group.append(by_peer(link, name, how, count, epsilon, delta))
        groups[f"epsilon {epsilon:g}, delta {delta:g}"] = group
    seen = compete(groups, rounds)
    title = "Calibration of one Gaussian mechanism"
    return Table(key="calibration", title=title, text=TEXT, unit="ms", groups=seen, load=(before, load()), claims=claims(seen))


def anew(epsilon: float, delta: float) -> float:
    """Ours, and not what a process remembers of the last time."""
    forget()
    return gaussian_scale(epsilon, delta, sensitivity=1.0)


def by_peer(link: Link | None, name: str, how: str, count: int, epsilon: float, delta: float) -> Contestant:
    """One way of the others."""
    assert link is not None  # noqa: S101 - for the type checker
    sigmas: list[float] = []

    def run() -> tuple[float, float]:
        answer = link.ask("calibration", how=how, epsilon=epsilon, delta=delta, count=count)
        sigmas.append(answer["sigma"])
        return answer["clock"], answer["busy"]

    return Contestant(name=name, side="peer", run=run, count=count, note=lambda: f"sigma {sigmas[-1]:.9f}")


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    slowest = max(1e3 * group.rows[0].each() for group in seen)
    return [Claim(text="milliseconds for the analytic Gaussian: at most 0.2", seen=slowest, limit=0.2, at_most=True)]
