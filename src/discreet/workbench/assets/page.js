// The steps, what they share, and which of them are open.
import { ask, enter, upload } from "./api.js";
import { ready, showChoices, startChoosing as startJobs } from "./choose.js";
import { startChoosing } from "./chooser.js";
import { check, columnsAgain, columnsFound, fill, focusFirstProblem, openBounds, restore, startDescribing, unit } from "./describe.js";
import { showExploring, startExploring } from "./explore.js";
import { showLedger, startLedger } from "./ledger.js";
import { refill, remember, remembered, startRemembering } from "./memory.js";
import { byId, guarded, make, problem, show } from "./parts.js";
import { allRuns, showRunning, startRunning } from "./run.js";

const STEPS = ["table", "describe", "choose", "explore", "run", "ledger"];
const state = { table: null, complete: false, here: "", endings: [], largest: 0, jobs: [] };

function reachable(step) {
  if (step === "table" || step === "ledger") return true;
  if (step === "run") return allRuns().length > 0 || (state.table !== null && ready());
  if (step === "explore") return state.complete;
  return state.table !== null;
}

function refresh() {
  for (const button of document.querySelectorAll("#steps button")) {
    const { step } = button.dataset;
    button.disabled = !reachable(step);
    button.classList.toggle("ready", (step === "table" && state.table !== null) || (step === "describe" && (state.complete || openBounds().length > 0)) || (step === "run" && allRuns().length > 0));
  }
  byId("where").textContent = state.table === null ? "" : state.table.path;
}

async function go(step, { focus = true } = {}) {
  problem(null);
  remember("step", step);
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
  if (step === "explore") { showChoices(); await showExploring(); }
  if (step === "run" && state.table !== null) { showChoices(); await showRunning(); }
  if (step === "ledger" && unit().said) byId("new-unit").value = unit().persons ? "person" : "record";
  if (step === "ledger") await showLedger(byId("ledger-path").value.trim());
}

function found(table) {
  state.table = table;
  state.complete = false;
  columnsFound(table, state.here);
  remember("table", { path: table.path, file: table.file });
  byId("table-found").replaceChildren(
    make("h2", {}, `${table.columns.length} columns`),
    make("p", {}, "If these are column names, and not a record, continue."),
    make("ul", { class: "names" }, ...table.columns.map((name) => make("li", {}, name))),
    make("p", { class: "next" }, make("button", { type: "button", class: "main", onclick: () => go("describe") }, "Describe them"),
      make("button", { type: "button", onclick: () => go("choose") }, "Use a model that I have")),
  );
  byId("table-found").querySelector("button").focus();
  refresh();
}

async function leaveDescription(step) {
  if (await check(true)) await go(step);
  else focusFirstProblem();
}

// A description that was made by a run, in the place of the one that began it.
async function loaded(path) {
  await guarded(null, async () => { fill((await ask("load", { path })).schema); await go("describe"); await check(); });
}

function wire() {
  byId("form-table").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(event.submitter, async () => found(await ask("table", { path: byId("table-path").value })), { path: "table-path" });
  });
  byId("table-file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) guarded(null, async () => {
      if (!state.endings.some((ending) => file.name.toLowerCase().endsWith(ending))) throw new Error(`The name of a table must end in ${state.endings.join(", ")}.`);
      if (file.size > state.largest) throw new Error("Tables above 2 GiB cannot be uploaded. Give the path instead; the table stays where it is.");
      found(await upload(file));
    }, { file: "table-file" });
  });
  for (const button of document.querySelectorAll("#steps button")) button.addEventListener("click", () => go(button.dataset.step));
  for (const button of document.querySelectorAll("[data-next]")) {
    button.addEventListener("click", () => (button.closest("#step-describe") ? leaveDescription(button.dataset.next) : go(button.dataset.next)));
  }
  // A refusal is about what was there: it goes with the first change.
  byId("main").addEventListener("input", () => { problem(null); refresh(); });
  document.addEventListener("discreet-step", (event) => go(event.detail, { focus: false }));
  byId("records").addEventListener("input", () => { byId("records").dataset.said = "yes"; });
  startChoosing();
  startDescribing((complete) => { state.complete = complete; refresh(); }, async (file) => {
    const again = await ask("table", { path: state.table.path, file });
    state.table = again;
    remember("table", { path: again.path, file: again.file });
    await columnsAgain(again);
  });
  startLedger((path, name) => {
    for (const [id, value] of [["ledger-path", path], ["ledger-set", name]]) {
      byId(id).value = value;
      byId(id).dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
}

// After a reload: the same table, what was typed about it, and the step.
async function again(step) {
  const [kept, schema] = [remembered("table"), remembered("schema")];
  if (!kept) return;
  try {
    found(await ask("table", kept.file ? { path: kept.path, file: kept.file } : { path: kept.path }));
  } catch (error) {
    remember("table", null);
    throw error;
  }
  remember("schema", schema);
  restore();
  await check();
  byId("table-path").value ||= kept.path;
  if (remembered("fields")?.records !== undefined) byId("records").dataset.said = "yes";
  if (step && step !== "table" && reachable(step)) await go(step, { focus: false });
}

async function begin() {
  wire();
  try {
    await enter();
    const known = await ask("state");
    [state.here, state.endings, state.largest, state.jobs] = [known.here, known.endings, known.largest, known.jobs];
    startRemembering();
    byId("ledger-path").value = known.ledger ?? "";
    byId("ledger-set").value = known.data_set ?? "";
    byId("new-path").value = known.ledger ?? `${known.here}/team.ledger`;
    startJobs(state.jobs, allRuns, () => state.complete, () => state.table?.path ?? "");
    startExploring(known.planned);
    refill();
    startRunning(known.runs, { go, load: loaded, show });
    const running = known.runs.at(-1);
    const live = running && (running.state === "running" || running.state === "stopping");
    const step = remembered("step");
    await go("table", { focus: false });
    await guarded(null, () => again(step));
    if (live) await go("run");
    else if (remembered("step") === "table") byId("table-path").focus();
  } catch (error) {
    problem(error.message);
    for (const button of document.querySelectorAll("#steps button")) button.disabled = true;
  }
}

begin();
