// Trade-offs: one question a point, so that curves grow while one looks, and stop when one says so. What was found is kept, and drawn from that.
import { ask } from "./api.js";
import { job, settledChoice } from "./choose.js";
import { draw } from "./curves.js";
import { remember, remembered } from "./memory.js";
import { byId, facts, guarded, make, percent, short, table, typed } from "./parts.js";

const EPSILONS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const SHARES = [1 / 100, 1 / 30, 1 / 10, 1 / 3, 1, 3];
const NEAR = 0.01; // of errors: a private fit this near to the one without privacy is as good
const FIELDS = { epsilon: "epsilon", delta: "delta", sample: "sample", records: "records", job: "chosen" };
let stopping = null, pictures = [], planned = [];
let found = null; // { key, what, epsilon, records, sampled, points: [[epsilon, answer]], counts: [[records, answer]], plan }

export function startExploring(kinds) {
  planned = kinds;
  byId("form-explore").addEventListener("submit", (event) => { event.preventDefault(); guarded(byId("explore-go"), explore, FIELDS); });
  byId("explore-stop").addEventListener("click", () => stopping?.abort());
  byId("form-plan").addEventListener("submit", (event) => { event.preventDefault(); guarded(event.submitter, plan, FIELDS); });
  new ResizeObserver(() => pictures.forEach(([place, picture]) => draw(place, picture))).observe(byId("step-explore"));
}

const keyOf = ({ job: name, chosen, schema, options, budget, table: path }) => JSON.stringify([name, chosen, schema, options, budget, path, typed("records"), byId("best").value, sampled()]);
const sampled = () => (byId("sample-box").open ? byId("sample").value.trim() : "");
const sorted = (values) => [...new Set(values)].sort((a, b) => a - b);
const count = (value) => value.toLocaleString("en");

export async function showExploring() {
  const model = job().choices.some((one) => one.learns.length > 0);
  byId("best-field").hidden = !model;
  byId("sample-box").hidden = !model;
  const key = keyOf(await settledChoice());
  const kept = found ?? remembered("explored");
  clear();
  if (kept?.key === key) { found = kept; render(); byId("explore-state").textContent = "Shown from before. Nothing was spent."; }
}

function clear() {
  stopping?.abort();
  [pictures, found] = [[], null];
  for (const name of ["epsilon", "records"]) byId(`figure-${name}`).hidden = true;
  byId("planner").hidden = true;
  for (const id of ["plan-answer", "explore-said", "explore-answer"]) byId(id).replaceChildren();
  byId("explore-state").textContent = "";
}

async function explore() {
  clear();
  const chosen = await settledChoice();
  const { schema, job: name, chosen: kind, options, budget, table: path } = chosen;
  const records = typed("records");
  const sample = sampled();
  if (sample !== "" && !byId("sample-public").checked) throw Object.assign(new Error("Tick that every record of the sample is public, or leave its path empty."), { field: "sample-public" });
  const mine = new AbortController();
  stopping = mine;
  byId("explore-stop").hidden = false;
  const point = (epsilon, some) => ask("point", { schema, job: name, chosen: kind, options, budget: { ...budget, epsilon }, records: some, best: byId("best").value, sample, table: path }, mine.signal);
  const made = { key: keyOf(chosen), kind, release: name === "release", search: name === "tune", epsilon: budget.epsilon, records, sampled: sample !== "", points: [], counts: [], refused: [], plan: null };
  found = made;
  try {
    for (const one of [budget.epsilon, ...sorted(EPSILONS.filter((value) => value !== budget.epsilon))]) {
      byId("explore-state").textContent = `${made.release ? "Calibrating" : made.search ? "Searching" : "Fitting"} at epsilon ${one} ...`;
      let answer;
      try {
        answer = await point(one, records);
      } catch (error) {
        if (error.name === "AbortError" || one === budget.epsilon) throw error;
        made.refused.push(one); // so would the run be; the curve goes on where it would not
        continue;
      }
      made.points.push([one, answer]);
      render();
    }
    if (made.points[0][1].norm && planned.includes(kind)) await plan();
    if (!made.release) await growing(made, point);
    byId("explore-state").textContent = `Done. Nothing was spent.${made.refused.length > 0 ? ` Too little for these settings: epsilon ${made.refused.join(", ")}.` : ""}`;
    remember("explored", made);
  } catch (error) {
    if (stopping === mine) byId("explore-state").textContent = error.name === "AbortError" ? "Stopped." : "";
    if (error.name !== "AbortError") throw error;
  } finally {
    if (stopping === mine) byId("explore-stop").hidden = true;
  }
}

async function growing(made, point) {
  for (const some of sorted(SHARES.map((share) => Math.round(made.records * share)).filter((one) => one >= 30))) {
    byId("explore-state").textContent = `Fitting ${count(some)} records ...`;
    let answer;
    try {
      answer = some === made.records ? made.points[0][1] : await point(made.epsilon, some);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      if (some > made.records) break; // more rows than the browser should wait for
      continue; // too few for these settings
    }
    if (made.counts.some(([known]) => known === answer.records)) continue;
    made.counts.push([answer.records, answer]);
    render();
  }
}

function render() {
  pictures = [];
  if (found.release) renderNoise(); else renderErrors();
  renderPlan();
}

// In the words of the measure that the first point has: its title, what its value is called, and what the same answer for everybody is.
const MEASURES = {
  "share of errors": ["Share of errors", (value) => `${value} wrong`, "always predicting the most common class"],
  "root mean square error": ["Root mean square error, over half the range of the target", (value) => `an error of ${value}`, "always predicting the mean"],
  "share of pairs in the wrong order": ["Share of pairs of records predicted in the wrong order", (value) => `${value} of pairs in the wrong order`, "the same prediction for everybody"],
};
const measure = () => MEASURES[found.points[0][1].measure];
const titles = () => measure()[0];
const curvesOf = (pairs) => [
  { name: "private", kind: "a", points: pairs.map(([x, f]) => ({ x, y: f.mean, low: f.low, high: f.high })) },
  { name: "without privacy", kind: "b", points: pairs.filter(([, f]) => f.without_privacy !== null).map(([x, f]) => ({ x, y: f.without_privacy })) },
  { name: "guessing", kind: "c", points: pairs.map(([x, f]) => ({ x, y: f.guessing })) },
];
const lines = (pairs, show) => [...pairs].sort((a, b) => a[0] - b[0]).map(([x, f]) => [show(x), percent(f.mean), `${percent(f.low)} to ${percent(f.high)}`,
  f.without_privacy === null ? "not known" : percent(f.without_privacy), short(f.spread)]);

function renderErrors() {
  const tick = (share) => `${Number((100 * share).toPrecision(3))} %`;
  const shared = { title: titles(), upLog: false, format: percent, tick };
  const rows = found.sampled ? "held-out rows of the public sample" : "invented rows";
  const head = ["private", "range", "without privacy", "noise / length of the weights"];
  answer(rows);
  picture("epsilon", { ...shared, across: "epsilon", mark: found.epsilon, series: curvesOf(found.points) },
    `Errors on ${rows} of ${count(found.points[0][1].records)} records: the mean and range of ${found.search ? "what a few private searches choose" : "a few private fits"}; dashed, ${found.search ? "the best setting" : "the fit"} without privacy; dotted, ${measure()[2]}.`,
    table(`${titles()} against epsilon`, ["epsilon", ...head], lines(found.points, String), [0, 1, 2, 3, 4]));
  if (found.counts.length === 0) return;
  picture("records", { ...shared, across: "records", mark: found.records, series: curvesOf(found.counts) },
    `The same at epsilon ${found.epsilon}, for tables of other sizes.`,
    table(`${titles()} against the number of records`, ["records", ...head], lines(found.counts, count), [0, 1, 2, 3, 4]));
}

// What somebody came for, in a sentence or two; the bound for experts never stands before it.
function answer(rows) {
  const [, here] = found.points[0];
  const without = here.without_privacy === null ? "" : `, ${percent(here.without_privacy)} without privacy`;
  const cost = here.without_privacy === null ? "" : ` Privacy costs about ${percent(Math.max(0, here.mean - here.without_privacy)).replace("%", "percentage points")}.`;
  const enough = [...found.counts].sort((a, b) => a[0] - b[0]).find(([, f]) => f.without_privacy !== null && f.mean - f.without_privacy <= NEAR);
  const most = Math.max(0, ...found.counts.map(([some]) => some));
  const size = found.counts.length === 0 ? "" : enough ? ` With ${count(enough[0])} records or more it costs at most one percentage point.` : ` Even with ${count(most)} records it costs more than one percentage point.`;
  byId("explore-answer").textContent = `On ${rows}, with ${count(here.records)} records at epsilon ${found.epsilon}: ${measure()[1](percent(here.mean))}${without}; guessing ${percent(here.guessing)}.${cost}${size} Your table will differ.`;
}

function renderNoise() {
  const { points, epsilon, records } = found;
  const here = points[0][1];
  byId("explore-said").replaceChildren(facts(here.said));
  const sums = here.what === "second moments";
  const size = points.map(([x, f]) => ({ x, y: f.noise }));
  picture("epsilon", {
    title: sums ? "Noise on the diagonal of the second moments" : "Noise on every number", across: "epsilon", upLog: true, format: (value) => short(value, 2), mark: epsilon,
    series: [{ name: sums ? "noise" : "standard deviation", kind: "a", points: size }, ...(sums ? [] : [{ name: "largest number", kind: "b", points: points.map(([x, f]) => ({ x, y: f.bound })) }])],
  }, sums ? "The sum over the records of a squared number is at most as large as their number."
    : `Numbers are encoded within +-${short(here.bound)}: where the curve is above the dashed line, a single row says next to nothing, but averages over many rows are still informative.`,
  table("Noise against epsilon", ["epsilon", sums ? "noise" : "standard deviation"], [...points].sort((a, b) => a[0] - b[0]).map(([x, f]) => [String(x), short(f.noise)]), [0, 1]));
  const counts = sorted(SHARES.map((share) => Math.max(10, Math.round(records * share)))).map((some) => ({ x: some, y: sums ? here.noise / some : here.noise / Math.sqrt(some) }));
  picture("records", {
    title: sums ? "Noise on a mean square" : "Noise on the mean of a column", across: "records", upLog: true, format: (value) => short(value, 2), mark: records,
    series: [{ name: `at epsilon ${epsilon}`, kind: "a", points: counts }],
  }, sums ? "The noise on the second moments, over the number of records." : "The standard deviation that noise adds to the mean of a released column: it falls with the square root of the number of records.",
  table("Noise against the number of records", ["records", "noise"], counts.map(({ x, y }) => [count(x), short(y)]), [0, 1]));
}

async function plan() {
  const { schema, chosen: what, budget } = await settledChoice();
  found.plan = await ask("plan", { schema, what, budget, records: typed("records"), norm: found.points[0][1].norm, excess: typed("excess") });
  renderPlan();
}

function renderPlan() {
  const one = found.plan;
  byId("planner").hidden = one === null;
  if (one === null) return;
  const many = (value) => (value === null ? "more than 10^15" : count(value));
  byId("plan-answer").replaceChildren(facts([
    [`With ${many(one.records)} records`, `excess loss at most ${short(one.excess)} (${short(one.without_privacy)} without privacy)`],
    [`For an excess of ${short(one.wanted)}`, `${many(one.needed)} records are enough (${many(one.needed_without_privacy)} without privacy)`],
  ]), make("p", { class: "note" }, `Excess of expected loss over the best predictor of norm at most ${short(one.norm)}, with probability 95 %, for every table of this description.`));
}

function picture(name, drawn, caption, numbers) {
  pictures.push([byId(`chart-${name}`), drawn]);
  byId(`figure-${name}`).hidden = false;
  byId(`caption-${name}`).textContent = caption;
  byId(`table-${name}`).replaceChildren(numbers);
  draw(byId(`chart-${name}`), drawn);
}
