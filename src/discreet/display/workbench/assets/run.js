// The run: one button, its steps, a way to stop it, and what came of it.
import { ask } from "./api.js";
import { unit } from "./describe.js";
import { amount, byId, facts, guarded, make, problem, short } from "./parts.js";

const NAMES = { "model.json": "Model", "certificate.json": "Certificate", "report.html": "Report", "schema.toml": "Schema", "run.sh": "Command line",
  "run.py": "Python script", "release.zip": "Release" };
const STATES = { done: "Done", failed: "Not done", cancelled: "Stopped" };
let choice = null, current = null, watching = false;

export function startRunning(chosen) {
  choice = chosen;
  byId("run-go").addEventListener("click", () => guarded(null, go));
  byId("run-stop").addEventListener("click", () => guarded(byId("run-stop"), async () => { current = await ask("stop", { number: current.number }); }));
}

export function showRunning(words) {
  const { table, what, budget, ledger, data_set: name } = choice();
  byId("run-summary").replaceChildren(facts([
    ["Table", table],
    ["What leaves", words(what)],
    ["Protected", unit().said],
    ["Budget", `${amount(budget)}, ${budget.neighbours}`],
    ["Ledger", ledger ? `${name || "(no data set chosen)"} in ${ledger}` : "none: nobody adds this up with other releases"],
  ]));
}

export async function resume(run) {
  current = run;
  await watch();
}

async function go() {
  if (watching) return;
  byId("run-result").replaceChildren();
  const { schema, what, budget, table, ledger, data_set: name, rows, slots } = choice();
  current = await ask("run", { schema, what, budget, table, ledger, data_set: name, rows, slots });
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
    let said = "";
    while (current.state === "running" || current.state === "stopping") {
      const step = current.state === "stopping" ? "Stopping" : (current.steps[current.steps.length - 1] ?? "Starting");
      if (step !== said) byId("run-state").textContent = `${step} ...`;
      said = step;
      byId("run-seconds").textContent = `${current.seconds.toFixed(0)} s`;
      await new Promise((resolve) => setTimeout(resolve, 350));
      current = await ask("status", { number: current.number });
    }
    finished();
  } finally {
    watching = false;
    byId("run-go").disabled = false;
    byId("run-stop").hidden = true;
    byId("run-progress").hidden = true;
  }
}

function finished() {
  const { state, message, result, files, number, command, script, seconds } = current;
  const title = make("h2", { tabindex: "-1" }, STATES[state]);
  const parts = [title];
  if (message) parts.push(make("p", { class: state === "done" ? "good" : "problem" }, message));
  if (result.verification) parts.push(...verdict(result, seconds));
  if (files.length > 0) {
    const links = files.map((name) => make("li", {}, make("a", { href: `/runs/${number}/${name}`, download: name.endsWith(".html") ? null : name,
      target: name.endsWith(".html") ? "_blank" : null, rel: "noopener" }, `${NAMES[name]}${name.endsWith(".html") ? " (opens in a new tab)" : ""}`)));
    parts.push(make("h3", {}, "Files"), make("ul", { class: "downloads" }, ...links), make("p", { class: "note" }, `They are kept in ${current.folder}.`));
    parts.push(make("h3", {}, "The same again"), make("p", { class: "note" }, "Another run is another release about the same people: it spends the budget once more."),
      ...code("command line", command), ...code("Python script", script));
  }
  byId("run-result").replaceChildren(...parts);
  title.focus();
  if (state === "failed") problem(null);
}

function verdict(result, seconds) {
  const failed = result.verification.checks.filter((check) => !check.ok);
  const guarantee = result.guarantee ?? {};
  const rows = [
    ["Guarantee", guarantee.epsilon === undefined || guarantee.epsilon === null ? "none" : `${amount({ epsilon: guarantee.epsilon, delta: guarantee.delta ?? 0 })}, ${guarantee.neighbours}, one ${guarantee.unit}`],
    ["Took", `${seconds.toFixed(1)} s`],
  ];
  if (result.shape) rows.unshift(["Released", `${result.shape[0].toLocaleString("en")} rows of ${result.shape[1]} numbers`]);
  if (result.ledger?.left) rows.push(["Left in the ledger", amount(result.ledger.left)]);
  if (result.protects) rows.push(["Protects", result.protects.join(" ")], ["Does not protect", result.does_not_protect.join(" ")]);
  const said = failed.length === 0
    ? make("p", { class: "good" }, `Verified: ${result.verification.checks.length} checks passed, the guarantee recomputed by another method.`)
    : make("p", { class: "problem" }, `Not valid: ${failed.map((check) => `${check.name}: ${check.detail}`).join("; ")}`);
  const list = result.verification.checks.map((check) => make("li", {}, `${check.ok ? "passed" : "FAILED"}: ${check.name}: ${check.detail}`));
  return [said, facts(rows), make("details", {}, make("summary", {}, "All checks"), make("ul", {}, ...list))];
}

function code(name, text) {
  const said = make("span", { role: "status", class: "note" });
  const copy = make("button", { type: "button", onclick: async () => {
    try { await navigator.clipboard.writeText(text); said.textContent = " Copied."; } catch { said.textContent = " Select the text and copy it yourself."; }
  } }, `Copy the ${name}`);
  return [make("pre", { tabindex: "0", "aria-label": name }, make("code", {}, text)), make("p", {}, copy, said)];
}
