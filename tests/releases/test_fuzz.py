"""Malformed manifests: a refusal, or a release whose checks come to an end; never anything unexpected."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet import SystemNoise
from discreet.core.errors import DiscreetError
from discreet.releases import publish
from discreet.releases.manifest import DIGEST, digest_of_manifest
from discreet.releases.release import release_from
from tests.cli.test_fuzz import anything, changed, odd, places
from tests.releases.cases import BOX, PRIVATE, X, Y

CASES = {
    "rows": {"method": "fisher", "weights": [1.0, 2.0, 3.0], "target": "clear", **PRIVATE},
    "fresh": {"method": "fresh-projection", "width": 2, **PRIVATE},
    "sketch": {"method": "sketch", "rows": 5, "most_records": 1000, **PRIVATE},
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("releases")
    return {name: publish(X[:20], base / name, SystemNoise(), domain=BOX, y=Y[:20], **asked).folder for name, asked in CASES.items()}


def read_and_check(folder, text):
    """True where it was taken for a release and every check passed."""
    try:
        release = release_from(folder, text)
    except DiscreetError as error:
        refusal = error
    else:
        refusal = None
    if refusal is not None:
        assert len(str(refusal).splitlines()) <= 1
        return False
    verification = release.verify()
    try:
        release.values()
        _ = release.noise_variance, release.records, release.slots, release.shape, release.projection, release.targets()
    except DiscreetError:
        assert not verification.ok
    return verification.ok


@pytest.mark.at_most(1)
@pytest.mark.parametrize("name", CASES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_a_manifest_with_one_place_changed(folders, name, data):
    folder = folders[name]
    document = json.loads((folder / "manifest.json").read_text())
    path = data.draw(st.sampled_from(list(places(document))))
    other = changed(document, path, data.draw(st.sampled_from(["replace", "remove"])), data.draw(odd | anything))
    if other == document and json.dumps(other) == json.dumps(document):
        return
    text = json.dumps(other)
    assert not read_and_check(folder, text) or json.loads(text) == document
    if isinstance(other, dict) and data.draw(st.booleans()):
        try:
            covered = copy.deepcopy(other) | {DIGEST: digest_of_manifest(other)}
        except (ValueError, UnicodeEncodeError):
            return
        read_and_check(folder, json.dumps(covered))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text())
def test_a_manifest_of_anything(folders, text):
    assert not read_and_check(folders["rows"], text)
