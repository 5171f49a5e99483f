// Trade-offs: one question a point, so that curves grow while one looks, and stop when one says so.
import { ask } from "./api.js";
import { draw } from "./curves.js";
import { byId, facts, guarded, make, percent, short, table, typed } from "./parts.js";

const EPSILONS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const RELEASES = new Set(["moments", "additive", "sketch"]);
const SHARES = [1 / 100, 1 / 30, 1 / 10, 1 / 3, 1, 3];
const ofNumber = () => choice().schema.target.kind === "number";
let stopping = null, choice = null, norm = null, pictures = [];

export function startExploring(chosen) {
  choice = chosen;
  byId("form-explore").addEventListener("submit", (event) => { event.preventDefault(); guarded(byId("explore-go"), explore); });
  byId("explore-stop").addEventListener("click", () => stopping?.abort());
  byId("form-plan").addEventListener("submit", (event) => { event.preventDefault(); guarded(event.submitter, plan); });
  new ResizeObserver(() => pictures.forEach(([place, picture]) => draw(place, picture))).observe(byId("step-explore"));
}

export function showExploring() {
  const { what } = choice();
  const model = !RELEASES.has(what);
  byId("best-field").hidden = !model;
  byId("sample-box").hidden = !model;
  clear();
}

function clear() {
  stopping?.abort();
  pictures = [];
  norm = null;
  for (const name of ["epsilon", "records"]) byId(`figure-${name}`).hidden = true;
  byId("planner").hidden = true;
  byId("plan-answer").replaceChildren();
  byId("explore-state").textContent = "";
  byId("explore-said").replaceChildren();
}

async function explore() {
  clear();
  const { schema, what, budget, table: path, rows, slots } = choice();
  const records = typed("records");
  const sample = byId("sample-box").open ? byId("sample").value.trim() : "";
  if (sample !== "" && !byId("sample-public").checked) throw new Error("Tick that every record of the sample is public, or leave its path empty.");
  const mine = new AbortController();
  stopping = mine;
  byId("explore-stop").hidden = false;
  const question = (epsilon, count) => ({ schema, what, budget: { ...budget, epsilon }, records: count, best: byId("best").value, sample, table: path, rows, slots });
  try {
    if (RELEASES.has(what)) await noise(question, budget.epsilon, records, mine.signal);
    else await errors(question, budget.epsilon, records, mine.signal, sample !== "");
    byId("explore-state").textContent = "Done. Nothing was spent.";
  } catch (error) {
    if (error.name !== "AbortError") throw error;
    if (stopping === mine) byId("explore-state").textContent = "Stopped.";
  } finally {
    byId("explore-stop").hidden = stopping === mine ? true : byId("explore-stop").hidden;
  }
}

const sorted = (values) => [...new Set(values)].sort((a, b) => a - b);

async function errors(question, epsilon, records, signal, sampled) {
  const [privately, without, guessing, spread] = [[], [], [], []];
  const values = sorted([...EPSILONS, epsilon]);
  const number = ofNumber();
  const title = number ? "Root mean square error, over half the range of the target" : "Share of errors";
  const said = (value) => (value === null ? "not known" : percent(value));
  show("epsilon", {
    title, across: "epsilon", upLog: false, format: percent, tick: (share) => `${Number((100 * share).toPrecision(3))} %`, mark: epsilon,
    series: [{ name: "private", kind: "a", points: privately }, { name: "without privacy", kind: "b", points: without }, { name: "guessing", kind: "c", points: guessing }],
  }, `Errors on ${sampled ? "held-out rows of the public sample" : "invented rows"}: the mean of a few private fits, and their range; dashed, the fit without privacy; dotted, always ${number ? "their mean" : "the commonest class"}. Your table will be another one.`);
  let points = [];
  for (const one of [epsilon, ...values.filter((value) => value !== epsilon)]) {
    byId("explore-state").textContent = `Fitting at epsilon ${one} ...`;
    const found = await ask("point", question(one, records), signal);
    if (one === epsilon && found.norm) { norm = found.norm; byId("planner").hidden = false; }
    privately.push({ x: one, y: found.mean, low: found.low, high: found.high });
    if (found.without_privacy !== null) without.push({ x: one, y: found.without_privacy });
    guessing.push({ x: one, y: found.guessing });
    points.push([one, found]);
    points.sort((a, b) => a[0] - b[0]);
    redraw("epsilon", table(`${title} against epsilon`, ["epsilon", "private", "range", "without privacy"],
      points.map(([x, f]) => [String(x), percent(f.mean), `${percent(f.low)} to ${percent(f.high)}`, said(f.without_privacy)]), [0, 1, 2, 3]));
  }
  if (norm) await plan();
  show("records", {
    title: "Noise in the weights, relative to their length", across: "records", upLog: true, format: (value) => short(value, 2), mark: records,
    series: [{ name: `at epsilon ${epsilon}`, kind: "a", points: spread }],
  }, "How far private weights scatter because of noise, over their length: above 1 the noise is larger than what was learnt.");
  const rows = [];
  for (const count of sorted(SHARES.map((share) => Math.round(records * share)).filter((count) => count >= 30))) {
    byId("explore-state").textContent = `Fitting ${count.toLocaleString("en")} records ...`;
    let found;
    try {
      found = await ask("point", question(epsilon, count), signal);
    } catch (error) {
      if (error.name === "AbortError" || count <= records) throw error;
      break; // more rows than the browser should wait for
    }
    if (rows.some(([known]) => known === found.records.toLocaleString("en"))) continue;
    spread.push({ x: found.records, y: found.spread });
    rows.push([found.records.toLocaleString("en"), short(found.spread), percent(found.mean)]);
    redraw("records", table("Noise against the number of records", ["records", "noise / length", number ? "error" : "share of errors"], rows, [0, 1, 2]));
  }
}

async function noise(question, epsilon, records, signal) {
  const [size, mean] = [[], []];
  const found = await ask("point", question(epsilon, records), signal);
  byId("explore-said").replaceChildren(facts(found.said));
  const sketch = found.what === "second moments";
  show("epsilon", {
    title: sketch ? "Noise on the diagonal of the second moments" : "Noise on every number", across: "epsilon", upLog: true, format: (value) => short(value, 2), mark: epsilon,
    series: [{ name: sketch ? "noise" : "standard deviation", kind: "a", points: size }, ...(sketch ? [] : [{ name: "largest number", kind: "b", points: mean }])],
  }, sketch ? "The sum over the records of a squared number is at most as large as their number."
    : `Numbers are encoded within +-${short(found.bound)}: where the curve is above the dashed line, a single row says next to nothing, and averages over many rows still do.`);
  const points = [];
  for (const one of sorted([...EPSILONS, epsilon])) {
    byId("explore-state").textContent = `Calibrating at epsilon ${one} ...`;
    const there = await ask("point", question(one, records), signal);
    size.push({ x: one, y: there.noise });
    mean.push({ x: one, y: there.bound });
    points.push([String(one), short(there.noise)]);
    redraw("epsilon", table("Noise against epsilon", ["epsilon", sketch ? "noise" : "standard deviation"], points, [0, 1]));
  }
  const [of, rows] = [[], []];
  show("records", {
    title: sketch ? "Noise on a mean square" : "Noise on the mean of a column", across: "records", upLog: true, format: (value) => short(value, 2), mark: records,
    series: [{ name: `at epsilon ${epsilon}`, kind: "a", points: of }],
  }, sketch ? "The noise on the second moments, over the number of records." : "The standard deviation that noise adds to the mean of a released column: it falls with the square root of the number of records.");
  for (const count of sorted(SHARES.map((share) => Math.max(10, Math.round(records * share))))) {
    const y = sketch ? found.noise / count : found.noise / Math.sqrt(count);
    of.push({ x: count, y });
    rows.push([count.toLocaleString("en"), short(y)]);
  }
  redraw("records", table("Noise against the number of records", ["records", "noise"], rows, [0, 1]));
}

async function plan() {
  const { schema, what, budget } = choice();
  const found = await ask("plan", { schema, what, budget, records: typed("records"), norm, excess: typed("excess") });
  const count = (value) => (value === null ? "more than 10^15" : value.toLocaleString("en"));
  const rows = [
    [`With ${count(found.records)} records`, `excess loss at most ${short(found.excess)} (${short(found.without_privacy)} without privacy)`],
    [`For an excess of ${short(found.wanted)}`, `${count(found.needed)} records are enough (${count(found.needed_without_privacy)} without privacy)`],
  ];
  byId("plan-answer").replaceChildren(facts(rows), make("p", { class: "note" },
    `Excess of expected loss over the best predictor of norm at most ${short(found.norm)}, with probability 95 %, for every table of this description. `
    + "A bound holds for the worst of them; the curves above show invented ones."));
}

function show(name, picture, caption) {
  pictures = [...pictures.filter(([place]) => place.id !== `chart-${name}`), [byId(`chart-${name}`), picture]];
  byId(`chart-${name}`).replaceChildren();
  byId(`table-${name}`).replaceChildren();
  byId(`caption-${name}`).textContent = caption;
  byId(`figure-${name}`).hidden = false;
}

function redraw(name, numbers) {
  const found = pictures.find(([place]) => place.id === `chart-${name}`);
  if (!found) return;
  draw(...found);
  byId(`table-${name}`).replaceChildren(numbers);
}
