// The description of the table, checked by the server while one types, as `Schema` checks it everywhere else.
import { ask } from "./api.js";
import { allCards, bounds, labels, newCards, reveal, showCards, startColumns } from "./columns.js";
import { remember, remembered } from "./memory.js";
import { byId, guarded, make, sentence, show as goTo } from "./parts.js";

let changed = () => {};
let timer = 0, asked = 0;
let touched = new Set(), troubled = new Set(), wrong = new Map();
let base = "", opened = [];
let targetKind = "classes", targetValues = {}, targetLearnt = "";
const FILE = { separator: "file-separator", encoding: "file-encoding", decimal: "file-decimal", thousands: "file-thousands", dates: "file-dates" };

export function startDescribing(onChange, readAgain) {
  changed = onChange;
  startColumns((card) => { if (card) touched.delete(card.name); later(); }, () => [byId("target-column").value, personsColumn()], () => troubled, mark);
  byId("form-schema").addEventListener("submit", (event) => event.preventDefault());
  byId("form-schema").addEventListener("input", (event) => { if (event.target.id !== "columns-search") { note(event.target); later(); } });
  byId("target-column").addEventListener("change", () => { showTarget(); showCards(); });
  byId("persons-box").addEventListener("change", () => { showPersons(); showCards(); });
  byId("file-again").addEventListener("click", () => guarded(byId("file-again"), () => readAgain(typedFile())));
  byId("form-load").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(event.submitter, async () => {
      fill((await ask("load", { path: byId("load-path").value })).schema);
      byId("load-schema").open = false;
      await check();
    }, { path: "load-path" });
  });
  byId("form-save").addEventListener("submit", (event) => {
    event.preventDefault();
    byId("save-state").textContent = "";
    guarded(event.submitter, async () => {
      const saved = await ask("save", { schema: typedSchema(), path: byId("save-path").value, overwrite: byId("save-over").checked });
      byId("save-state").textContent = `Saved as ${saved.path}.`;
    }, { path: "save-path" });
  });
}

export function columnsFound(found, folder) {
  newCards(found.columns);
  [base, opened, touched, troubled] = ["", [], new Set(), new Set()];
  byId("schema-name").value = found.name;
  byId("save-path").value = `${folder}/${found.name}.toml`;
  const select = byId("target-column");
  select.replaceChildren(make("option", { value: "" }, "choose ..."), ...found.columns.map((name) => make("option", { value: name }, name)));
  byId("persons-column").replaceChildren(make("option", { value: "" }, "choose ..."), ...found.columns.map((name) => make("option", { value: name }, name)));
  fillPersons({ kind: "" });
  fillFile(found.file);
  byId("file-box").open = !found.plain;
  [targetKind, targetValues] = ["classes", {}];
  showTarget();
  showCards();
  check();
}

// The header read again in another way: what was typed for columns that are still there stays.
export function columnsAgain(found) {
  const [typed, place, names] = [typedSchema(), byId("save-path").value, new Set(found.columns)];
  columnsFound(found, "");
  byId("save-path").value = place;
  const target = names.has(typed.target.column) ? typed.target : { ...typed.target, column: "" };
  fill({ ...typed, file: found.file, target, columns: typed.columns.filter((column) => names.has(column.name)) });
  byId("file-box").open = true;
  return check();
}

const personsKind = () => document.querySelector("input[name=persons-kind]:checked")?.value ?? "";
const personsColumn = () => (personsKind() === "several" ? byId("persons-column").value : "");

// Whom the result protects, for the words of the other steps.
export function unit() {
  const kind = personsKind();
  const said = { one: "one person, with one row", rows: "one row; a person with several rows is protected less",
    several: `one person, all rows together, identified by '${byId("persons-column").value}', at most ${byId("persons-most").value} rows kept` }[kind] ?? "";
  return { persons: kind === "one" || kind === "several", several: kind === "several", said };
}

function typedPersons() {
  const kind = personsKind();
  return kind === "several" ? { kind, column: byId("persons-column").value, rows: byId("persons-most").value, weight: byId("persons-weight").value } : { kind };
}

function showPersons() {
  byId("persons-fields").hidden = personsKind() !== "several";
}

function fillPersons(persons) {
  for (const kind of ["one", "several", "rows"]) byId(`persons-${kind}`).checked = persons.kind === kind;
  byId("persons-column").value = persons.column ?? "";
  byId("persons-most").value = persons.rows ?? "";
  byId("persons-weight").value = persons.weight ?? "person";
  showPersons();
}

function typedFile() {
  const said = Object.fromEntries(Object.entries(FILE).map(([name, id]) => [name, byId(id).value]));
  return { ...said, ignore_case: byId("file-case").checked, unreadable: byId("file-unreadable").checked };
}

function fillFile(file) {
  for (const [name, id] of Object.entries(FILE)) byId(id).value = file[name] ?? "";
  byId("file-case").checked = file.ignore_case === true;
  byId("file-unreadable").checked = file.unreadable === true;
  const marks = [file.separator === "" ? "commas" : `separated by ${file.separator}`, file.encoding, `1${file.thousands === "blank" ? " " : file.thousands}000${file.decimal}5`];
  byId("file-said").textContent = `: ${marks.join(", ")}`;
}

function showTarget() {
  const choices = [["classes", "Classes"], ["number", "A number"], ...(targetKind === "file" ? [["file", "As the schema file says"]] : [])];
  const kinds = choices.map(([kind, label]) =>
    make("p", { class: "check" }, make("input", { type: "radio", name: "target-kind", id: `target-kind-${kind}`, value: kind, checked: targetKind === kind,
      onchange: () => { targetKind = kind; showTarget(); later(); } }), make("label", { for: `target-kind-${kind}` }, label)));
  const ordered = make("input", { type: "checkbox", id: "target-ordered", checked: targetValues.ordered === true,
    onchange: (event) => { targetValues.ordered = event.target.checked; later(); } });
  const counts = make("input", { type: "checkbox", id: "target-counts", checked: targetValues.counts === true,
    onchange: (event) => { targetValues.counts = event.target.checked; later(); } });
  const bodies = {
    classes: () => [...labels("target", targetValues, "classes", "All classes, one per line; if there are two, the second is the positive one"),
      make("p", { class: "check" }, ordered, make("label", { for: "target-ordered" }, "The classes are ordered, lowest first."))],
    number: () => [...bounds("target", targetValues),
      make("p", { class: "check" }, counts, make("label", { for: "target-counts" }, "It says how many: a count, from 0 on."))],
    file: () => [make("p", { class: "note" }, "This target is not a single column of classes or numbers, so it stays as in the file.")],
  };
  byId("target-fields").replaceChildren(make("fieldset", { class: "kinds" }, make("legend", {}, "Kind of target"), ...kinds), ...bodies[targetKind]());
}

function note(element) {
  const column = element.closest("[data-column]");
  if (column) touched.add(column.dataset.column);
  else if (element.closest("#target-box")) touched.add("target");
  else if (element.closest("#persons-box")) touched.add("persons");
}

function later() {
  clearTimeout(timer);
  remember("schema", typedSchema());
  timer = setTimeout(check, 250);
}

const lines = (text) => (text ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");

export function typedSchema() {
  const target = byId("target-column").value;
  const values = targetValues;
  const limits = ({ lower, upper, missing, clip }) => ({ lower: lower ?? "", upper: upper ?? "", clip: clip === true, missing: missing ?? "" });
  const others = ({ other, missing, aliases }) => ({ other: other ?? "", missing: missing ?? "", aliases: lines(aliases) });
  const typed = {
    classes: () => ({ classes: lines(values.classes), ordered: values.ordered === true, ...others(values) }),
    number: () => ({ ...limits(values), counts: values.counts === true }), file: () => ({}),
  }[targetKind]();
  return {
    name: byId("schema-name").value,
    rows: byId("schema-rows").value,
    missing_values: byId("schema-missing").value.split(/\s+/).filter((text) => text !== ""),
    persons: typedPersons(),
    file: typedFile(),
    base,
    target: { column: target, kind: targetKind, ...typed },
    columns: allCards().filter((card) => card.kind !== "ignore" && card.name !== target && card.name !== personsColumn()).map(({ name, kind, values: of }) => (
      kind === "number" ? { name, kind, ...limits(of), open: of.open === true }
        : kind === "date" ? { name, kind, ...limits(of) }
          : { name, kind, categories: lines(of.categories), ...others(of) })),
  };
}

export function restore() {
  const kept = remembered("schema");
  if (!kept) return;
  try { fill(kept); } catch { remember("schema", null); }
  check();
}

export const openBounds = () => opened;

// Of the target, in the words of kinds of models.
export function learnt() {
  if (targetKind === "file") return targetLearnt;
  if (targetKind === "number") return targetValues.counts === true ? "counts" : "numbers";
  const classes = lines(targetValues.classes).length;
  if (targetValues.ordered === true) return "ordered classes";
  return classes > 2 ? "more classes" : "two classes";
}

const texts = (of) => ({ ...of, aliases: (of.aliases ?? []).join("\n") });

export function fill(schema) {
  const known = new Map(schema.columns.map((column) => [column.name, column]));
  const wanted = [schema.target.column, ...(schema.persons?.column ? [schema.persons.column] : []), ...known.keys()];
  const absent = wanted.filter((name) => name !== "" && !allCards().some((card) => card.name === name));
  if (absent.length > 0) throw new Error(`The table has no column ${absent.map((name) => `'${name}'`).join(", ")} of that schema.`);
  base = schema.base ?? "";
  byId("schema-name").value = schema.name;
  byId("schema-rows").value = schema.rows;
  byId("schema-missing").value = schema.missing_values.join(" ");
  if (schema.file) fillFile(schema.file);
  fillPersons(schema.persons ?? { kind: "" });
  byId("target-column").value = schema.target.column;
  targetKind = schema.target.kind;
  targetValues = { ...texts(schema.target), classes: (schema.target.classes ?? []).join("\n") };
  for (const card of allCards()) {
    const column = known.get(card.name);
    card.kind = column?.kind ?? "ignore";
    card.values = column ? { ...texts(column), categories: (column.categories ?? []).join("\n") } : {};
  }
  touched = new Set(["target", "persons", ...known.keys()]);
  showTarget();
  showCards();
}

// What was not touched yet is only counted, not marked: an empty form is no mistake.
export async function check(all = false) {
  const mine = (asked += 1);
  let found;
  const schema = typedSchema();
  remember("schema", schema);
  try {
    found = await ask("check", { schema });
  } catch (error) {
    found = { problems: [{ where: "schema", message: error.message }], toml: null, complete: false, open: [] };
  }
  if (mine !== asked) return found.toml !== null;
  opened = found.open;
  targetLearnt = found.learnt ?? "";
  const said = wrong = new Map(found.problems.map(({ where, message }) => [where, message]));
  troubled = new Set(said.keys());
  if (all) {
    for (const { where } of found.problems) touched.add(where);
    const first = allCards().find((card) => said.has(card.name));
    if (first && !byId(`column-${first.place}`)) reveal(first);
  }
  show(byId("problem-schema"), said.get("schema"));
  show(byId("problem-file"), said.get("file"), byId("file-fields"));
  if (said.has("file")) byId("file-box").open = true;
  show(byId("problem-persons"), touched.has("persons") ? said.get("persons") : undefined, personsKind() === "several" ? byId("persons-box") : null);
  show(byId("problem-target"), touched.has("target") ? said.get("target") : undefined, byId("target-box"));
  if (byId("columns-filter").value === "todo" && !byId("columns").contains(document.activeElement)) showCards();
  else mark();
  state(found);
  byId("schema-toml").textContent = found.toml ?? "Not complete yet.";
  changed(found.complete, found.open);
  return found.toml !== null;
}

// What is wrong with a column stands in its card, wherever that is shown.
function mark() {
  for (const card of allCards()) {
    const place = byId(`column-${card.place}-problem`);
    if (place) show(place, touched.has(card.name) ? wrong.get(card.name) : undefined, byId(`column-${card.place}`));
  }
}

function state(found) {
  const count = found.problems.length;
  const place = byId("describe-state");
  if (count > 0) {
    const where = found.problems[0].where;
    const card = allCards().find((one) => one.name === where);
    const to = card ? () => goTo(reveal(card).querySelector("input")) : () => goTo(byId({ target: "target-column", persons: "persons-one", file: "file-separator" }[where] ?? "schema-name"));
    place.replaceChildren(`${count} ${count === 1 ? "part is" : "parts are"} still to be completed. `,
      make("button", { type: "button", class: "linked", onclick: () => { touched.add(where); to(); check(); } }, `Go to ${card ? where : { schema: "the table", persons: "rows per person", target: "what to predict", file: "how the file is written" }[where] ?? where}`));
  } else if (found.open.length > 0) {
    place.textContent = `Complete except for the bounds of ${found.open.join(", ")}: choose these privately next.`;
  } else {
    place.textContent = `Complete: ${found.features} ${found.features === 1 ? "feature" : "features"}, rows of norm at most ${Number(found.norm_bound.toPrecision(6))}.`;
  }
}

const PARTS = [["smallest", "lower"], ["lower", "lower"], ["largest", "upper"], ["upper", "upper"], ["categories", "categories"], ["classes", "classes"],
  ["aliases", "aliases"], ["other", "other"], ["missing", "missing"], ["predicted", "column"], ["most rows", "most"], ["separator", "separator"],
  ["encoding", "encoding"], ["decimal", "decimal"], ["thousands", "thousands"], ["dates", "dates"]];

function show(place, words, box = null) {
  place.textContent = sentence(words ?? "");
  place.hidden = !words;
  const inputs = [...(box?.querySelectorAll("input[type=text], textarea, select") ?? [])];
  const meant = words ? PARTS.filter(([word]) => words.includes(word)).map(([, part]) => part) : [];
  const wrong = inputs.filter((input) => meant.some((part) => input.id.endsWith(`-${part}`))).slice(0, 1);
  for (const input of inputs) {
    if (words && (wrong.includes(input) || (wrong.length === 0 && input === inputs[0]))) { input.setAttribute("aria-invalid", "true"); input.setAttribute("aria-errormessage", place.id); described(input, place.id, true); }
    else { input.removeAttribute("aria-invalid"); input.removeAttribute("aria-errormessage"); described(input, place.id, false); }
  }
}

function described(input, id, wrong) {
  const others = (input.getAttribute("aria-describedby") ?? "").split(" ").filter((one) => one !== "" && (one !== id || id.startsWith("problem-")));
  const all = wrong && !others.includes(id) ? [...others, id] : others;
  if (all.length > 0) input.setAttribute("aria-describedby", all.join(" "));
  else input.removeAttribute("aria-describedby");
}

export function focusFirstProblem() {
  const wrong = [...document.querySelectorAll("#form-schema [aria-invalid=true]")].find((input) => input.offsetParent !== null);
  const unasked = !byId("problem-persons").hidden && personsKind() === "";
  (unasked ? byId("persons-one") : (wrong ?? byId("target-column"))).focus();
}
