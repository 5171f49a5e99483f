"""The picture of spending: well-formed, self-contained, and saying what the ledger says."""

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

from discreet.display.ledger import spending
from discreet.display.plots import svg
from discreet.ledger import State
from discreet.ledger.entries import stored
from tests.ledger.guarantees import approximate, pure

SVG = "{http://www.w3.org/2000/svg}"


def drawn(text):
    return ET.fromstring(text)  # noqa: S314 - it is ours


def words(picture):
    return [element.text for element in picture.iter(f"{SVG}text")]


def heights(picture):
    """Of the curves (reserved and settled, panel by panel): the y of every corner, which grows downwards."""
    return [
        [float(corner.split()[-1]) for corner in path.get("d").removesuffix(" Z").replace("M", "L").split("L")[1:]]
        for path in picture.iter(f"{SVG}path")
    ]


def test_an_empty_history_is_drawn(ledger):
    picture = drawn(ledger.plot("adult"))
    assert "adult: spent epsilon 0, delta 0 of epsilon 1, delta 0" in words(picture)
    assert {len(set(curve)) for curve in heights(picture)} == {1}


def test_steps_are_the_sums_and_reserved_is_on_top_of_settled(ledger):
    with ledger.spending("adult", pure(0.25), purpose=""):
        pass
    ledger.reserve("adult", pure(0.5), purpose="")
    ledger.reserve("adult", pure(0.25), purpose="").cancel(no_noise_was_drawn=True)
    picture = drawn(ledger.plot("adult"))
    everything, settled = heights(picture)
    floor, top = everything[0], next(float(line.get("y1")) for line in picture.iter(f"{SVG}line") if line.get("stroke-dasharray"))

    def share(y):
        return round((floor - y) / (floor - top), 2)

    assert [share(y) for y in everything] == [0.0, 0.0, 0.25, 0.25, 0.75, 0.75, 0.0]
    assert [share(y) for y in settled] == [0.0, 0.0, 0.25, 0.25, 0.25, 0.25, 0.0]
    assert any("2 entries that count, 1 of them never settled" in line for line in words(picture))


def test_a_total_with_delta_has_a_second_panel(ledger):
    ledger.declare("other", epsilon=1.0, delta=1e-5)
    ledger.reserve("other", approximate(0.5, 1e-6), purpose="")
    assert len(heights(drawn(ledger.plot("other")))) == 4
    assert len(heights(drawn(ledger.plot("adult")))) == 2


def test_names_are_escaped_and_nothing_is_loaded_from_elsewhere(ledger):
    name = '<script>alert("&")</script>' + "x" * 150
    ledger.declare(name, epsilon=1.0, delta=0.0)
    picture = drawn(ledger.plot(name))
    assert not list(picture.iter(f"{SVG}script"))
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} <= {"svg", "title", "g", "rect", "text", "line", "path"}
    assert name in picture.find(f"{SVG}title").text
    assert max(len(line) for line in words(picture)) < 100


def test_spending_beyond_the_total_stays_in_the_picture(ledger):
    reservation = ledger.reserve("adult", pure(1.0), purpose="")
    ledger.amend("adult", epsilon=0.25, delta=0.0, reason="smaller")
    assert ledger.entry(reservation.id).state is State.RESERVED
    assert min(min(curve) for curve in heights(drawn(ledger.plot("adult")))) > 0


def test_a_long_history_is_thinned_and_ends_at_the_sum(ledger):
    first = datetime(2026, 1, 1, tzinfo=UTC)
    entries = [((first + timedelta(minutes=index)).isoformat(), True, None, stored(pure(0.0001))) for index in range(5000)]
    text = svg(spending(ledger.data_set("adult"), entries))
    assert len(text) < 40_000
    assert "adult: spent epsilon 0.5, delta 0 of epsilon 1, delta 0" in words(drawn(text))
