import json
import math
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from discreet.audit import Claim, PrivacyLoss, audit, exact_audit
from discreet.audit.densities import shifted_gaussian
from discreet.noise import SystemNoise

NOISE = SystemNoise()


def statistical(scale=0.3):
    return audit(
        lambda shift, count: shift + NOISE.gaussian(scale=scale, dimension=1, draws=count).T,
        (0.0, 1.0),
        Claim(epsilon=1.0, delta=0.01),
        runs=400,
        batch=True,
        subject="a <mechanism> & more",
    )


def exact(mu=0.5):
    return exact_audit(shifted_gaussian(mu), shifted_gaussian(mu), Claim(epsilon=1.0, delta=1e-3), subject="Gaussian", described="0 or 1")


@pytest.mark.parametrize("report", [statistical(), exact()], ids=["statistical", "exact"])
def test_a_report_is_text_json_and_a_picture(report):
    text = str(report)
    assert report.verdict in text
    assert f"Claim        {report.claim}" in text
    document = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert document["violated"] is report.violated
    assert document["bound"] == report.bound
    assert len(document["events"]) == 2
    root = ET.fromstring(report.plot())  # noqa: S314 - our own picture
    assert root.tag.endswith("svg")
    assert sum(element.tag.endswith("path") for element in root.iter()) == 2


def test_pictures_hold_all_of_both_laws():
    for picture in (statistical().picture, exact().picture):
        assert picture.first.sum() == pytest.approx(1.0)
        assert picture.second.sum() == pytest.approx(1.0)
        assert len(picture.edges) == len(picture.first) + 1


def test_a_law_of_one_output_can_be_drawn():
    certain = PrivacyLoss(masses=np.ones(1), losses=np.array([math.inf]))
    report = exact_audit(certain, certain, Claim(epsilon=1.0, delta=0.1), subject="s", described="d")
    assert "infinity" in str(report)
    ET.fromstring(report.plot())  # noqa: S314


def test_the_words_say_what_was_found():
    report = statistical()
    assert report.violated
    assert "violated" in str(report)
    assert "400 runs on each table" in str(report)
