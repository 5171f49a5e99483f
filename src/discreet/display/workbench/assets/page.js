// The steps, what they share, and which of them are open.
import { ask, enter, upload } from "./api.js";
import { check, classCount, columnsFound, focusFirstProblem, restore, startDescribing, typedSchema, unit } from "./describe.js";
import { showExploring, startExploring } from "./explore.js";
import { showLedger, startLedger } from "./ledger.js";
import { byId, facts, guarded, make, problem, typed } from "./parts.js";
import { resume, showRunning, startRunning } from "./run.js";

const WHAT = {
  moments: ["Second moments", "sums of products of all columns with noise, for means, correlations and regressions of any column on any others"],
  additive: ["Noisy rows", "every record, with noise on every number; others may train on them"],
  sketch: ["A sketch", "secret random combinations of all records, for means and regressions"],
};
const STEPS = ["table", "describe", "choose", "explore", "run", "ledger"];
const state = { table: null, complete: false, here: "", run: null, endings: [], largest: 0, models: [] };

const takesSlots = (what, neighbours) => what === "additive" && (neighbours === "add-remove" || unit().several);

// Kinds of models as the program lists them, those that it would choose first, and what is released instead of a model.
function described() {
  const models = [...state.models].sort((a, b) => b.standard_for.length - a.standard_for.length);
  return { ...Object.fromEntries(models.map((one) => [one.kind, [one.name, one.says]])), ...WHAT };
}

function choice() {
  const what = document.querySelector("input[name=what]:checked")?.value ?? "linear-svc";
  const neighbours = document.querySelector("input[name=neighbours]:checked").value;
  return {
    schema: typedSchema(), table: state.table?.path ?? "", what,
    budget: { epsilon: typed("epsilon"), delta: typed("delta"), neighbours },
    rows: what === "sketch" ? typed("rows") : undefined, slots: takesSlots(what, neighbours) ? typed("slots") : undefined,
    ledger: byId("ledger-path").value.trim(), data_set: byId("ledger-set").value.trim(),
  };
}

function reachable(step) {
  if (step === "table" || step === "ledger") return true;
  if (step === "describe") return state.table !== null;
  if (step === "run" && state.run !== null && !state.complete) return true;
  return state.table !== null && state.complete;
}

function refresh() {
  for (const button of document.querySelectorAll("#steps button")) button.disabled = !reachable(button.dataset.step);
}

async function go(step, { focus = true } = {}) {
  problem(null);
  for (const name of STEPS) byId(`step-${name}`).hidden = name !== step;
  for (const button of document.querySelectorAll("#steps button")) {
    if (button.dataset.step === step) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  refresh();
  document.title = `${document.querySelector(`#title-${step}`).textContent} - Discreet workbench`;
  scrollTo(0, 0);
  if (focus) byId(`title-${step}`).focus();
  if (step === "choose") showChoices();
  if (step === "explore") showExploring();
  if (step === "run" && state.complete) showRunning((what) => described()[what].join(": "));
  if (step === "ledger" && unit().said) byId("new-unit").value = unit().persons ? "person" : "record";
  if (step === "ledger") await showLedger(byId("ledger-path").value.trim());
}

function found(table) {
  sessionStorage.setItem("discreet-table", table.path);
  state.table = table;
  state.complete = false;
  columnsFound(table, state.here);
  byId("table-found").replaceChildren(
    make("h2", {}, `${table.columns.length} columns`),
    make("p", {}, "Are these the names of columns, and not a record? Then go on."),
    make("ul", { class: "names" }, ...table.columns.map((name) => make("li", {}, name))),
    make("p", { class: "next" }, make("button", { type: "button", class: "main", onclick: () => go("describe") }, "Describe them")),
  );
  byId("table-found").querySelector("button").focus();
  refresh();
}

function showChoices() {
  const chosen = document.querySelector("input[name=what]:checked")?.value;
  const classes = classCount();
  const learnt = classes > 2 ? "more classes" : classes === 2 ? "two classes" : "numbers";
  const possible = { moments: classes <= 2, additive: classes <= 2, sketch: classes <= 2 };
  for (const one of state.models) possible[one.kind] = one.learns.includes(learnt);
  const standard = possible[chosen] ? chosen : state.models.find((one) => one.standard_for.includes(learnt)).kind;
  byId("what").replaceChildren(...Object.entries(described()).filter(([what]) => what in WHAT || possible[what]).map(([what, [name, says]]) => make("label", {},
    make("input", { type: "radio", name: "what", value: what, checked: what === standard, disabled: !possible[what], onchange: sizes }),
    make("b", {}, name), make("span", {}, possible[what] ? says : "for a target of two classes or a number"))));
  sizes();
}

function sizes() {
  const { what, budget } = choice();
  byId("rows-field").hidden = what !== "sketch";
  byId("slots-field").hidden = !takesSlots(what, budget.neighbours);
  const { persons, several } = unit();
  byId("replace-one-words").textContent = persons ? `${several ? "all rows" : "the row"} of one person; the number of persons is public`
    : "the content of one row; the number of rows is public";
  byId("add-remove-words").textContent = `also whether a ${persons ? "person" : "row"} is there at all`;
  const factor = budget.epsilon > 0 ? Math.exp(budget.epsilon) : NaN;
  byId("epsilon-hint").textContent = Number.isFinite(factor)
    ? `Whatever anyone concludes gets at most ${factor < 1e6 ? Number(factor.toPrecision(3)) : factor.toExponential(1)} times (e^epsilon) likelier when ${several ? "all rows of one person change" : persons ? "one person's row changes" : "one row changes"}.`
    : "epsilon must be more than 0.";
}

async function leaveDescription(step) {
  if (await check(true)) await go(step);
  else focusFirstProblem();
}

function wire() {
  byId("form-table").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(event.submitter, async () => found(await ask("table", { path: byId("table-path").value })));
  });
  byId("table-file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) guarded(null, async () => {
      if (!state.endings.some((ending) => file.name.toLowerCase().endsWith(ending))) throw new Error(`The name of a table must end in ${state.endings.join(", ")}.`);
      if (file.size > state.largest) throw new Error("A table of more than 2 GiB is not uploaded. Give its path instead: it stays where it is.");
      found(await upload(file));
    });
  });
  for (const button of document.querySelectorAll("#steps button")) button.addEventListener("click", () => go(button.dataset.step));
  for (const button of document.querySelectorAll("[data-next]")) {
    button.addEventListener("click", () => (button.closest("#step-describe") ? leaveDescription(button.dataset.next) : go(button.dataset.next)));
  }
  byId("form-choose").addEventListener("submit", (event) => event.preventDefault());
  byId("form-choose").addEventListener("input", sizes);
  startDescribing((complete) => { state.complete = complete; refresh(); });
  startExploring(choice);
  startRunning(choice);
  startLedger((path, name) => { byId("ledger-path").value = path; byId("ledger-set").value = name; });
}

// After a reload: the same table, and what was typed about it.
async function again() {
  const [path, schema] = [sessionStorage.getItem("discreet-table"), sessionStorage.getItem("discreet-schema")];
  if (path === null) return;
  try {
    found(await ask("table", { path }));
    if (schema !== null) { sessionStorage.setItem("discreet-schema", schema); restore(); }
    byId("table-path").value = path;
  } catch {
    sessionStorage.clear();
  }
}

async function begin() {
  wire();
  try {
    await enter();
    const known = await ask("state");
    [state.here, state.endings, state.largest, state.models] = [known.here, known.endings, known.largest, known.models];
    byId("ledger-path").value = known.ledger ?? "";
    byId("ledger-set").value = known.data_set ?? "";
    byId("new-path").value = known.ledger ?? `${known.here}/team.ledger`;
    if (known.run !== null && (known.run.state === "running" || known.run.state === "stopping")) {
      state.run = known.run;
      await go("run");
      byId("run-summary").replaceChildren(facts([["Folder", known.run.folder]]));
      await guarded(null, () => resume(known.run));
    } else {
      await go("table", { focus: false });
      await again();
      byId("table-path").focus();
    }
  } catch (error) {
    problem(error.message);
    for (const button of document.querySelectorAll("#steps button")) button.disabled = true;
  }
}

begin();
