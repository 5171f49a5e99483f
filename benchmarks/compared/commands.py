"""What a person waits for at a terminal: commands, beside scripts of pandas and scikit-learn that do the like, each a process of its own.

python -m compared.commands fit|predict FOLDER        from benchmarks/; the script of the others
"""

import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from compared.measured import Claim, Contestant, Group, Table, Timed, compete, load, ratio_claim

TEXT = """\
UCI Adult as CSV, 45,222 records, with its schema; processor time of the whole process, default threads, compiled files cached. The scripts read the
same file with pandas, and fit, or apply, a pipeline of one-hot columns, scaled numbers and logistic regression; `import` is that of one class."""

FIT, PREDICT, IMPORT = "discreet fit", "discreet predict", "import of LinearSVC"


def script(what: str, folder: Path) -> None:
    """The others' fit or prediction."""
    import pandas as pd  # noqa: PLC0415 - imports are part of what is measured

    table = pd.read_csv(folder / "adult.csv")
    target = table.pop("income")
    if what == "predict":
        model = pickle.loads((folder / "plain.pickle").read_bytes())  # noqa: S301 - written a moment ago
        pd.DataFrame({"income": model.predict(table)}).to_csv(folder / "plain.csv", index=False)
        return
    from sklearn.compose import make_column_transformer  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: PLC0415

    numbers = list(table.select_dtypes("number"))
    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), list(table.columns.difference(numbers))), (StandardScaler(), numbers))
    (folder / "plain.pickle").write_bytes(pickle.dumps(make_pipeline(columns, LogisticRegression(max_iter=300)).fit(table, target)))


def process(*words: str) -> Callable[[], Timed]:
    """A run of a command in a process of its own."""
    alone = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS") and name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> Timed:
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, cwd=Path(__file__).parents[1], env=alone, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - ours
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return time.perf_counter() - start, busy

    return run


def commands(*, rounds: int) -> Table:
    """The table."""
    from discreet.data import adult  # noqa: PLC0415 - processes of this file need none of it

    before = load()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        adult.load_adult().write_csv(folder / "adult.csv")
        (folder / "adult.toml").write_text(adult.adult_schema().to_toml(), encoding="utf-8")
        seen = compete(contestants(folder), rounds)
    return Table(key="commands", title="Commands, each a process", text=TEXT, unit="s", groups=seen, load=(before, load()), claims=claims(seen))


def contestants(folder: Path) -> dict[str, list[Contestant]]:
    """In an order in which each finds what it needs."""
    table, schema, model, python = (str(part) for part in (folder / "adult.csv", folder / "adult.toml", folder / "model.json", sys.executable))

    def ours(*words: str) -> Callable[[], Timed]:
        return process(python, "-m", "discreet", *words)

    def theirs(what: str) -> Contestant:
        return Contestant(name="pandas and scikit-learn", side="peer", run=process(python, "-m", "compared.commands", what, str(folder)))

    fit = ours("fit", table, "--schema", schema, "--epsilon", "1", "--out", model, "--overwrite")
    predict = ours("predict", model, table, "--out", str(folder / "told.csv"), "--overwrite")
    return {
        "fit": [theirs("fit"), Contestant(name=FIT, side="ours", run=fit)],
        "predict": [theirs("predict"), Contestant(name=PREDICT, side="ours", run=predict)],
        "a look at a model file": [
            Contestant(name="discreet verify", side="ours", run=ours("verify", model)),
            Contestant(name="discreet show", side="ours", run=ours("show", model)),
        ],
        "import": [
            Contestant(name="import of sklearn.linear_model", side="peer", run=process(python, "-c", "import sklearn.linear_model")),
            Contestant(name=IMPORT, side="ours", run=process(python, "-c", "import discreet; discreet.LinearSVC")),
        ],
    }


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    fit, predict, looks, imports = seen
    peer = "pandas and scikit-learn"
    found = ratio_claim(f"{FIT} over the script: at most 1.1", fit, (FIT, peer), limit=1.1, at_most=True)
    found += ratio_claim(f"{PREDICT} over the script: at most 1.1", predict, (PREDICT, peer), limit=1.1, at_most=True)
    found += [Claim(text=f"seconds for {row.name}: at most .5", seen=median(row.busy), limit=0.5, at_most=True) for row in looks.rows]
    names = (IMPORT, "import of sklearn.linear_model")
    return found + ratio_claim(f"{IMPORT} over scikit-learn's: at most 1.1", imports, names, limit=1.1, at_most=True)


if __name__ == "__main__":
    script(sys.argv[1], Path(sys.argv[2]))
