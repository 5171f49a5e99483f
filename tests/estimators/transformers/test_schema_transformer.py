"""A schema as a step of a pipeline: the rows of `encode`, nothing learnt, and scikit-learn's manners."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from discreet import LinearSVC, Schema
from discreet.core.errors import InvalidType, SchemaError
from discreet.estimators import Model
from discreet.estimators.transformers.schema_transformer import SchemaTransformer
from tests.estimators.summaries.test_summary import TABLE, people

CURVED = TABLE | {"numeric": [{"name": "age", "lower": 20, "upper": 70, "outside": "clip", "encoding": "curve"}]}


@pytest.mark.parametrize("described", [TABLE, CURVED, TABLE | {"rows": "normalise"}], ids=["plain", "curve", "normalised"])
def test_rows_are_those_of_the_schema_each_by_itself(described):
    schema, table = Schema.from_dict(described), pd.DataFrame(people(50))
    step = schema.transformer(sparse_output=False).fit(table.head(1))
    rows = step.transform(table)
    written = np.vstack([part for _, part in schema.encode(table, target=False).rows.chunks()])
    assert np.array_equal(rows, written)
    assert np.array_equal(step.transform(table.tail(7)), rows[-7:])
    assert np.array_equal(clone(schema.transformer()).transform(table).toarray(), rows)
    assert list(step.get_feature_names_out()) == list(schema.feature_names)
    assert np.linalg.norm(rows, axis=1).max() <= schema.norm_bound * (1 + 1e-12)


def test_a_pipeline_predicts_as_the_model_of_the_schema_does():
    schema, table = Schema.from_dict(TABLE), pd.DataFrame(people(500))
    settings = {"data_norm": schema.norm_bound, "classes": ["no", "yes"], "random_state": 0}
    pipeline = make_pipeline(schema.transformer(), LinearSVC(**settings)).fit(table, table["rich"])
    model = Model.from_estimator(LinearSVC(**settings).fit(schema.encode(table, target=True)), schema)
    assert np.array_equal(pipeline.predict(table), model.predict(table))


def test_what_it_cannot_do_is_refused():
    with pytest.raises(InvalidType, match="needs a Schema"):
        SchemaTransformer({"format": "discreet-schema/1"}).fit()
    with pytest.raises(SchemaError, match="age"):
        Schema.from_dict(TABLE).transformer().transform({"town": ["A"], "height": [0.0]})
