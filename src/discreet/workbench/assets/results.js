// What came of a run, for people: numbers that were released with noise, never anything else.
import { amount, facts, make, percent, short, table, wide } from "./parts.js";

const NAMES = { "model.json": "Model", "certificate.json": "Certificate", "report.html": "Report", "schema.toml": "Schema", "run.sh": "Command line",
  "run.py": "Python script", "run.ipynb": "Notebook", "release.zip": "Release", "description.json": "Description", "table.csv": "Table (CSV)",
  "pictures.svg": "Pictures", "evaluation.json": "Evaluation", "intervals.json": "Intervals", "bounded.toml": "Schema with bounds" };
const whole = (value) => (value === null || value === undefined ? "-" : Math.round(value).toLocaleString("en"));
const ranged = (one, show = short) => (one === null || one === undefined ? "-" : `${show(one.value ?? one.estimate)} (${one.interval.map((end) => show(end)).join(" to ")})`);

export function shownResult(run) {
  const { result } = run;
  const parts = [];
  if (result.verification) parts.push(...verdict(run));
  parts.push(...measures(result), ...descriptions(result), ...coefficients(result), ...bounds(result));
  if (!run.spends && run.state === "done") {
    parts.push(make("p", {}, "The predictions are about the people in the table: protect them as you protect the table. They are not shown here. Only you can read the file:"),
      make("pre", { tabindex: "0", "aria-label": "Path of the predictions" }, run.output));
  }
  return parts;
}

export function files(run) {
  if (run.files.length === 0) return [];
  const link = (name) => make("li", {}, make("a", { href: `/runs/${run.number}/${name}`, download: name.endsWith(".html") ? null : name,
    target: name.endsWith(".html") ? "_blank" : null, rel: "noopener" }, `${NAMES[name] ?? name}${name.endsWith(".html") ? " (opens in a new tab)" : ""}`));
  return [make("h3", {}, "Files"), make("ul", { class: "downloads" }, ...run.files.map(link)), make("p", { class: "note" }, `They are kept in ${run.folder}.`)];
}

function verdict({ result, seconds }) {
  const failed = result.verification.checks.filter((check) => !check.ok);
  const guarantee = result.guarantee ?? {};
  const rows = [
    ["Guarantee", guarantee.epsilon === undefined || guarantee.epsilon === null ? "none" : `${amount({ epsilon: guarantee.epsilon, delta: guarantee.delta ?? 0 })} for one ${guarantee.unit}, ${guarantee.neighbours}`],
    ["Took", `${seconds.toFixed(1)} s`],
  ];
  if (result.guarantee_with_the_model) rows.splice(1, 0, ["With the model", amount({ epsilon: result.guarantee_with_the_model.epsilon, delta: result.guarantee_with_the_model.delta ?? 0 })]);
  if (result.kept) rows.unshift(["Kept", `${Object.entries(result.kept).map(([name, value]) => `${name} = ${value}`).join(", ")}, of ${result.settings} settings`]);
  if (result.shape) rows.unshift(["Released", `${result.shape[0].toLocaleString("en")} rows of ${result.shape[1]} numbers`]);
  if (result.ledger?.left) rows.push(["Left in the ledger", amount(result.ledger.left)]);
  if (result.protects) rows.push(["Protects", result.protects.join(" ")], ["Does not protect", result.does_not_protect.join(" ")]);
  const said = failed.length === 0
    ? make("p", { class: "good" }, `Verified: ${result.verification.checks.length} checks passed, including the guarantee, recomputed by another method.`)
    : make("p", { class: "problem" }, `Not valid: ${failed.map((check) => `${check.name}: ${check.detail}`).join("; ")}`);
  const list = result.verification.checks.map((check) => make("li", {}, `${check.ok ? "passed" : "FAILED"}: ${check.name}: ${check.detail}`));
  const noisy = result.mostly_noise === true ? [make("p", { class: "caution" },
    "The model is mostly noise, so its predictions may be no better than guesses. Use more records, fewer columns or a larger epsilon.")] : [];
  return [said, ...noisy, facts(rows), make("details", {}, make("summary", {}, "All checks"), make("ul", {}, ...list))];
}

function measures(result) {
  const rows = [];
  if (result.accuracy) rows.push(["Right answers", ranged(result.accuracy, percent)]);
  if (result.balanced_accuracy) rows.push(["Balanced accuracy", ranged(result.balanced_accuracy, percent)]);
  if (result.baseline?.share !== undefined) rows.push([`Always ${result.baseline.answer}`, percent(result.baseline.share)]);
  for (const [name, title] of [["mse", "Mean squared error"], ["rmse", "Root mean squared error"], ["mae", "Mean absolute error"], ["r2", "R squared"], ["log_loss", "Log loss"]])
    if (result[name]?.interval) rows.push([title, ranged(result[name])]);
  if (rows.length === 0) return [];
  const useless = result.baseline?.useless === true ? [make("p", { class: "caution" }, "This model is no better than the same answer for everyone.")] : [];
  return [make("h3", {}, "How good it is"), ...useless, facts(rows), make("p", { class: "note" }, `Each with its ${percent(result.level ?? 0.95)} interval, which counts noise and sampling error.`)];
}

function descriptions(result) {
  if (!Array.isArray(result.parts)) return [];
  return result.parts.flatMap((part) => {
    const numbers = Object.entries(part.numbers ?? {}).map(([name, one]) => [name, ranged(one.mean), ranged(one.standard_deviation), (one.quantiles ?? []).map((each) => short(each.value ?? each.estimate)).join(", ")]);
    const counts = Object.entries(part.categories ?? {}).flatMap(([name, labels]) => labels.map((one, place) => [place === 0 ? name : "", one.label, whole(one.count), one.share ? ranged(one.share, percent) : "-"]));
    return [make("h3", {}, `${part.name ? `${part.name}: ` : ""}${whole(part.records?.count)} records`),
      ...(numbers.length > 0 ? [wide(table("Numbers, each with its interval", ["Column", "Mean", "Standard deviation", "Quantiles"], numbers))] : []),
      ...(counts.length > 0 ? [wide(table("Categories", ["Column", "Value", "Count", "Share"], counts, [2]))] : [])];
  });
}

function coefficients(result) {
  if (!Array.isArray(result.coefficients)) return [];
  const rows = result.coefficients.map((one) => [one.name, short(one.estimate), `${short(one.low)} to ${short(one.high)}`]);
  return [wide(table(`Coefficients: ${percent(result.level)} intervals for ${result.covers}`, ["Feature", "Estimate", "Interval"], rows, [1]))];
}

function bounds(result) {
  if (!result.bounds) return [];
  return [wide(table("Chosen bounds", ["Column", "Smallest", "Largest"], Object.entries(result.bounds).map(([name, [low, high]]) => [name, short(low, 9), short(high, 9)]), [1, 2]))];
}
