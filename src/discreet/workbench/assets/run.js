// The run: what is to be weighed before it, one button, its steps, a way to stop it, and what came of it and of earlier ones.
import { ask } from "./api.js";
import { job, jobNamed, said, settledChoice, useModel } from "./choose.js";
import { unit } from "./describe.js";
import { amount, byId, facts, guarded, make, problem, sentence, typed } from "./parts.js";
import { files, shownResult } from "./results.js";

const STATES = { done: "Done", failed: "Not done", cancelled: "Stopped" };
const FIELDS = { table: "table-path", model: "model-path", ledger: "ledger-path", data_set: "ledger-set", describe: "target-column", epsilon: "epsilon", delta: "delta" };
let current = null, watching = false, runs = [], hooks = {};

export function startRunning(known, given) {
  [runs, hooks] = [known, given];
  byId("run-go").addEventListener("click", () => guarded(null, go, FIELDS));
  byId("run-stop").addEventListener("click", () => guarded(byId("run-stop"), async () => { current = await ask("stop", { number: current.number }); }));
  const last = runs.at(-1);
  if (last) { current = last; if (over(last)) finished(false); else watch(); }
  earlier();
}

export const allRuns = () => runs;
const over = (run) => run.state !== "running" && run.state !== "stopping";

export async function showRunning() {
  byId("run-go").disabled = true; // until what is to be weighed stands above it
  const chosen = await settledChoice();
  const { title, says, options } = said();
  const { spends, needs_schema: described } = job();
  const { table, budget, ledger, data_set: name, model } = chosen;
  byId("run-summary").replaceChildren(facts([
    ["Table", table],
    ["What to make", `${title}: ${says}`],
    ...(model ? [["Model", model]] : []),
    ...(options.length > 0 ? [["Options", options.join("; ")]] : []),
    ...(described && spends ? [["Protected", unit().said]] : []),
    ...(spends ? [["Budget", byId("epsilon-field").hidden ? "as the options say" : `${byId("delta-field").hidden ? `epsilon ${budget.epsilon}` : amount(budget)}${byId("neighbours-field").hidden ? "" : `, ${budget.neighbours}`}`],
      ["Ledger", ledger ? `${name || "(no data set chosen)"} in ${ledger}` : "none"]] : []),
  ]));
  byId("run-go").textContent = spends ? "Run and spend the budget" : "Predict";
  byId("run-note").textContent = spends ? "Settings, description and ledger are checked before any record is read. Then the budget is reserved, and then noise is drawn."
    : "Predicting spends nothing. The predictions go to a file that only you can read.";
  byId("run-weighed").replaceChildren();
  try {
    weigh(await ask("foresee", { ...chosen, records: byId("records").dataset.said ? typed("records") : null }));
  } catch (error) {
    problem(error, FIELDS);
  } finally {
    byId("run-go").disabled = watching;
  }
}

function weigh({ weighed, refused, said: worth }) {
  byId("run-weighed").replaceChildren(
    ...refused.map((words) => make("p", { class: "problem" }, `It would be refused: ${words}`)),
    ...weighed.map((words) => make("p", { class: "caution" }, words)),
    ...(worth.length > 0 ? [make("h2", {}, "How useful it would be"), facts(worth)] : []),
  );
}

async function go() {
  if (watching) return;
  byId("run-result").replaceChildren();
  current = await ask("run", await settledChoice());
  runs.push(current);
  await watch();
}

async function watch() {
  if (watching) return;
  watching = true;
  byId("run-go").disabled = true;
  byId("run-stop").hidden = false;
  byId("run-progress").hidden = false;
  byId("run-stop").focus();
  try {
    let last = "";
    while (!over(current)) {
      const step = current.state === "stopping" ? "Stopping" : (current.steps[current.steps.length - 1] ?? "Starting");
      if (step !== last) byId("run-state").textContent = `${step} ...`;
      last = step;
      byId("run-seconds").textContent = `${current.seconds.toFixed(0)} s`;
      await new Promise((resolve) => setTimeout(resolve, 350));
      current = await ask("status", { number: current.number });
    }
    runs[runs.findIndex((one) => one.number === current.number)] = current;
    finished(true);
    earlier();
  } finally {
    watching = false;
    byId("run-go").disabled = false;
    byId("run-stop").hidden = true;
    byId("run-progress").hidden = true;
  }
}

function finished(focus) {
  const { state, message, command, script, spends } = current;
  const title = make("h2", { tabindex: "-1" }, STATES[state]);
  const parts = [title, make("p", { class: "note" }, `Run ${current.number}: ${current.title}${current.chosen ? `, ${current.chosen}` : ""}`)];
  if (message) parts.push(blame(message, state === "done"));
  parts.push(...shownResult(current), ...next(), ...files(current));
  if (state === "done") {
    parts.push(make("h3", {}, "Run it again"), make("p", { class: "note" }, spends ? "Another run is another release about the same people, and spends the budget again." : "It spends nothing."),
      ...code("command line", command), ...code("Python script", script));
  }
  byId("run-result").replaceChildren(...parts);
  if (focus) title.focus();
  problem(null);
}

function blame(message, good) {
  const line = make("p", { class: good ? "good" : "problem" }, sentence(message));
  const field = [...message.matchAll(/--([a-z][a-z-]+)/g)].map(([, name]) => byId(`option-${name}`) ?? byId(name)).find(Boolean);
  if (field) line.append(" ", make("button", { type: "button", class: "linked", onclick: () => hooks.show(field) }, `Go to ${field.id.replace("option-", "").replaceAll("-", " ")}`));
  return line;
}

// What one does with it: measure a model, take its intervals, predict; go on with bounds.
function next() {
  if (current.state !== "done") return [];
  const button = (words, action) => make("button", { type: "button", onclick: action }, words);
  if (current.files.includes("model.json")) {
    const on = ["evaluate", "intervals", "predict"].map((name) => button(jobNamed(name).title, () => { useModel(name, current.output); hooks.go("choose"); }));
    return [make("p", { class: "note" }, "Continue with this model:"), make("p", { class: "next tight" }, ...on)];
  }
  if (current.files.includes("bounded.toml")) return [make("p", { class: "next tight" }, button("Describe the table with these bounds", () => hooks.load(current.output)))];
  return [];
}

function earlier() {
  const others = runs.filter((one) => one.number !== current?.number).reverse();
  const line = (one) => make("li", {}, make("button", { type: "button", class: "linked", onclick: () => { current = one; finished(true); earlier(); } },
    `Run ${one.number}: ${one.title}${one.chosen ? `, ${one.chosen}` : ""} (${(STATES[one.state] ?? "under way").toLowerCase()})`));
  byId("run-earlier").replaceChildren(...(others.length > 0 ? [make("h2", {}, "Other runs"), make("ul", {}, ...others.map(line))] : []));
}

function code(name, text) {
  const told = make("span", { role: "status", class: "note" });
  const copy = make("button", { type: "button", onclick: async () => {
    try { await navigator.clipboard.writeText(text); told.textContent = " Copied."; } catch { told.textContent = " Select the text and copy it yourself."; }
  } }, `Copy the ${name}`);
  return [make("pre", { tabindex: "0", "aria-label": name }, make("code", {}, text)), make("p", {}, copy, told)];
}
