// What is made, how, and what it may cost. Fields come from the commands themselves: nothing here knows an option by name.
import { ask } from "./api.js";
import { learnt, openBounds, typedSchema, unit } from "./describe.js";
import { remember, remembered } from "./memory.js";
import { byId, field, guarded, make, typed } from "./parts.js";

let jobs = [], runs = () => [], complete = () => false, table = () => "";
let current = "fit", kinds = {}, sheet = { budget: [], options: [] }, given = {};
let settled = Promise.resolve();

export function startChoosing(known, started, isComplete, tablePath) {
  [jobs, runs, complete, table] = [known, started, isComplete, tablePath];
  current = remembered("job") ?? "fit";
  kinds = remembered("kinds") ?? {};
  given = remembered("options") ?? {};
  byId("chosen").addEventListener("change", () => { kinds[current] = byId("chosen").value; remember("kinds", kinds); showSheet(); });
  byId("form-choose").addEventListener("submit", (event) => event.preventDefault());
  byId("form-choose").addEventListener("input", sizes);
}

export const job = () => jobs.find((one) => one.name === current);
export const jobNamed = (name) => jobs.find((one) => one.name === name);

// Go on with a model that is there: measure it, ask for intervals, predict.
export function useModel(name, path) {
  current = name;
  remember("job", name);
  byId("model-path").value = path;
  byId("model-path").dispatchEvent(new Event("input", { bubbles: true }));
}

const chosen = () => (job().choices.length > 0 ? byId("chosen").value : "");
const also = { "ordered classes": ["two classes", "more classes"], counts: ["numbers"] };
const fitting = () => [learnt(), ...(also[learnt()] ?? [])];

export function choice() {
  const neighbours = document.querySelector("input[name=neighbours]:checked").value;
  const shown = new Set(sheet.options.map((one) => one.flag));
  const mine = Object.fromEntries(Object.entries(given[current] ?? {}).filter(([flag]) => shown.has(flag)));
  return {
    job: current, chosen: chosen(), schema: typedSchema(), table: table(), options: mine,
    budget: { epsilon: typed("epsilon"), delta: typed("delta"), neighbours },
    model: job().needs_model ? byId("model-path").value.trim() : "",
    ledger: byId("ledger-path").value.trim(), data_set: byId("ledger-set").value.trim(),
  };
}

export const settledChoice = async () => { await settled; return choice(); };

// In words, for the summary of a run: the title, what it is, and every option that was set.
export function said() {
  const one = job().choices.find((each) => each.name === chosen());
  const options = sheet.options.filter(({ flag }) => filled(given[current]?.[flag]));
  return { title: one ? `${job().title} (${one.title})` : job().title, says: one?.says ?? job().says,
    options: options.map(({ flag }) => `${label(flag)}: ${[given[current][flag]].flat().map((value) => (value === true ? "yes" : value)).join(", ")}`) };
}

const filled = (value) => value !== undefined && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);
const possible = (one) => !one.needs_schema || (one.draft ? openBounds().length > 0 : complete());
// Whether what is chosen could be run as it stands.
export const ready = () => possible(job()) && (!job().needs_model || byId("model-path").value.trim() !== "");
const why = (one) => (one.draft ? "For columns with unknown bounds: tick them under Describe." : "Describe the table first.");

export function showChoices() {
  if (openBounds().length > 0 && !complete()) current = "bounds";
  else if (!possible(job())) current = complete() ? "fit" : "evaluate";
  const groups = [...new Set(jobs.map((one) => one.group))];
  byId("jobs").replaceChildren(...groups.map((title, place) => make("div", { role: "group", "aria-labelledby": `group-${place}` },
    make("h2", { id: `group-${place}`, class: "group" }, title),
    make("div", { class: "options" }, ...jobs.filter((one) => one.group === title).map((one) => make("label", {},
      make("input", { type: "radio", name: "job", id: `job-${one.name}`, "data-option": "", value: one.name, checked: one.name === current, disabled: !possible(one),
        onchange: () => { current = one.name; remember("job", current); showJob(); } }),
      make("b", {}, one.title), make("span", {}, possible(one) ? one.says : why(one))))))));
  showJob();
}

function showJob() {
  const one = job();
  const able = one.choices.filter((each) => each.learns.length === 0 || each.learns.some((target) => fitting().includes(target)));
  const standard = able.find((each) => each.standard_for.includes(learnt())) ?? able.find((each) => each.standard_for.length > 0) ?? able[0];
  byId("chosen-field").hidden = one.choices.length === 0;
  byId("chosen-label").textContent = one.choices.some((each) => each.learns.length > 0) ? "Kind of model" : "Method";
  const line = (each) => make("option", { value: each.name }, each.title);
  const [usual, others] = [able.filter((each) => each === standard), able.filter((each) => each !== standard)];
  byId("chosen").replaceChildren(...(one.choices.some((each) => each.learns.length > 0) && others.length > 0
    ? [make("optgroup", { label: "Default for this target" }, ...usual.map(line)), make("optgroup", { label: "Others for this target" }, ...others.map(line))] : able.map(line)));
  if (able.length > 0) byId("chosen").value = able.some((each) => each.name === kinds[current]) ? kinds[current] : standard.name;
  byId("model-box").hidden = !one.needs_model;
  byId("ledger-box").hidden = !one.spends;
  byId("models-made").replaceChildren(...runs().filter((run) => run.files.includes("model.json")).map((run) => make("button", { type: "button",
    onclick: () => useModel(current, run.output) }, `Run ${run.number}: ${run.chosen}`)));
  byId("model-hint").textContent = byId("models-made").children.length > 0
    ? "It contains its own description of the table. Models of this workbench:" : "It contains its own description of the table.";
  byId("to-explore").hidden = !(one.choices.length > 0 && one.needs_schema);
  showSheet();
}

function showSheet() {
  const one = job();
  const kind = one.choices.find((each) => each.name === chosen());
  byId("chosen-says").textContent = kind ? `${kind.says.replace(/\.$/, "")}.` : "";
  settled = guarded(null, async () => {
    const asked = [current, chosen()];
    const found = await ask("sheet", { job: asked[0], chosen: asked[1] });
    if (asked[0] !== current || asked[1] !== chosen()) return;
    sheet = found;
    const [needed, own, more] = [sheet.options.filter((each) => each.needed), sheet.options.filter((each) => each.own && !each.needed), sheet.options.filter((each) => !each.own && !each.needed)];
    byId("options-needed").replaceChildren(...needed.map(fieldOf));
    byId("options-own-fields").replaceChildren(...own.map(fieldOf));
    byId("options-more-fields").replaceChildren(...more.map(fieldOf));
    byId("options-own").hidden = own.length === 0;
    byId("options-more").hidden = more.length === 0;
    byId("options-own-title").textContent = `Options${kind ? ` of this ${kind.learns.length > 0 ? "model" : "method"}` : ""} (${own.length})`;
    for (const [box, held] of [["options-own", own], ["options-more", more]]) if (held.some(({ flag }) => filled(given[current]?.[flag]))) byId(box).open = true;
    byId("options-box").hidden = sheet.options.length === 0 && one.choices.length === 0;
    byId("budget-box").hidden = sheet.budget.length === 0;
    for (const name of ["epsilon", "delta", "neighbours"]) byId(`${name}-field`).hidden = !sheet.budget.includes(name);
    byId("delta-hint").hidden = !sheet.budget.includes("delta");
    byId("epsilon-hint").hidden = !sheet.budget.includes("epsilon");
    sizes();
  });
}

const label = (flag) => flag.slice(2, 3).toUpperCase() + flag.slice(3).replaceAll("-", " ");

function fieldOf(one) {
  const [id, values] = [`option${one.flag.slice(1)}`, (given[current] ??= {})];
  const set = (value) => { values[one.flag] = value; remember("options", given); };
  const usual = one.standard === "" ? "as usual" : one.standard;
  if (one.takes === "tick" || one.takes === "result") {
    return make("p", { class: "check wide-field" }, make("input", { type: "checkbox", id, "data-option": "", checked: values[one.flag] === true, onchange: (event) => set(event.target.checked) }),
      make("label", { for: id }, `${one.words.replace(/,? in this JSON file,?|to this SVG file|to this CSV file/g, "").replace(/  +/g, " ")}`));
  }
  if (one.takes === "choice" || one.takes === "switch") {
    const words = one.takes === "switch" ? ["on", "off"] : one.choices;
    const select = make("select", { "data-option": "", onchange: (event) => set(event.target.value) },
      make("option", { value: "" }, `as usual${one.standard ? `: ${one.standard}` : ""}`), ...words.map((word) => make("option", { value: word }, word)));
    select.value = values[one.flag] ?? "";
    return field(id, label(one.flag), select, one.words);
  }
  if (one.takes === "many") {
    return field(id, label(one.flag), make("textarea", { rows: 3, spellcheck: "false", "data-option": "", value: (values[one.flag] ?? []).join("\n"),
      oninput: (event) => set(event.target.value.split("\n").map((text) => text.trim()).filter((text) => text !== "")) }), `${one.words.replace(" Repeatable.", "")} One a line.`);
  }
  return field(id, label(one.flag), make("input", { type: "text", inputmode: one.takes === "number" ? "decimal" : "text", autocomplete: "off", spellcheck: "false", "data-option": "",
    placeholder: one.needed ? null : usual, value: values[one.flag] ?? "", oninput: (event) => set(event.target.value) }), one.words);
}

function sizes() {
  const epsilon = typed("epsilon");
  const { persons, several } = unit();
  byId("replace-one-words").textContent = persons ? `${several ? "all rows" : "the row"} of one person; the number of persons is public`
    : "the content of one row; the number of rows is public";
  byId("add-remove-words").textContent = `also whether a ${persons ? "person" : "row"} is in the table at all`;
  const factor = epsilon > 0 ? Math.exp(epsilon) : NaN;
  byId("epsilon-hint").textContent = Number.isFinite(factor)
    ? `Any conclusion becomes at most ${factor < 1e6 ? Number(factor.toPrecision(3)) : factor.toExponential(1)} times (e^epsilon) as likely when ${several ? "all rows of one person change" : persons ? "one person's row changes" : "one row changes"}.`
    : "epsilon must be more than 0.";
}
