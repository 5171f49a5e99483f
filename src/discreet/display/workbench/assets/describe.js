// The description of the table: a card for every column, checked by the server while one types, as `Schema` checks it everywhere else.
import { ask } from "./api.js";
import { byId, field, guarded, make } from "./parts.js";

let cards = [];
let changed = () => {};
let timer = 0, asked = 0;
let touched = new Set();

export function startDescribing(onChange) {
  changed = onChange;
  byId("form-schema").addEventListener("submit", (event) => event.preventDefault());
  byId("form-schema").addEventListener("input", (event) => { note(event.target); later(); });
  byId("target-column").addEventListener("change", () => { showTarget(); showCards(); });
  byId("persons-box").addEventListener("change", () => { showPersons(); showCards(); });
  byId("form-load").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(event.submitter, async () => {
      fill((await ask("load", { path: byId("load-path").value })).schema);
      byId("load-schema").open = false;
      await check();
    });
  });
  byId("form-save").addEventListener("submit", (event) => {
    event.preventDefault();
    byId("save-state").textContent = "";
    guarded(event.submitter, async () => {
      const saved = await ask("save", { schema: typedSchema(), path: byId("save-path").value, overwrite: byId("save-over").checked });
      byId("save-state").textContent = `Saved as ${saved.path}.`;
    });
  });
}

export function columnsFound(found, folder) {
  cards = found.columns.map((name, place) => ({ name, place, kind: "ignore", values: {} }));
  touched = new Set();
  byId("schema-name").value = found.name;
  byId("save-path").value = `${folder}/${found.name}.toml`;
  const select = byId("target-column");
  select.replaceChildren(make("option", { value: "" }, "choose ..."), ...found.columns.map((name) => make("option", { value: name }, name)));
  byId("persons-column").replaceChildren(make("option", { value: "" }, "choose ..."), ...found.columns.map((name) => make("option", { value: name }, name)));
  fillPersons({ kind: "" });
  targetKind = "classes";
  targetValues = {};
  showTarget();
  showCards();
  check();
}

const personsKind = () => document.querySelector("input[name=persons-kind]:checked")?.value ?? "";
const personsColumn = () => (personsKind() === "several" ? byId("persons-column").value : "");

// Whom the result protects, for the words of the other steps.
export function unit() {
  const kind = personsKind();
  const said = { one: "one person, who has one row as you say", rows: "one row; somebody with several is protected less",
    several: `one person, all rows together, told apart by '${byId("persons-column").value}', at most ${byId("persons-most").value} kept` }[kind] ?? "";
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

let targetKind = "classes";
let targetValues = {};

function showTarget() {
  const kinds = [["classes", "Classes"], ["number", "A number (releases only)"]].map(([kind, label]) =>
    make("p", { class: "check" }, make("input", { type: "radio", name: "target-kind", id: `target-kind-${kind}`, value: kind, checked: targetKind === kind,
      onchange: () => { targetKind = kind; showTarget(); later(); } }), make("label", { for: `target-kind-${kind}` }, label)));
  const keep = (name) => ({ value: targetValues[name] ?? "", oninput: (event) => { targetValues[name] = event.target.value; }, spellcheck: "false" });
  const body = targetKind === "classes"
    ? [field("target-classes", "All classes, one a line; of two, the second is the positive one", make("textarea", { ...keep("classes"), rows: 3, "aria-describedby": "problem-target" })),
       row(field("target-other", "Any other value counts as", make("input", { type: "text", ...keep("other") }), "Empty: such a table is refused."),
           field("target-missing", "A missing value counts as", make("input", { type: "text", ...keep("missing") })))]
    : bounds("target", targetValues);
  byId("target-fields").replaceChildren(make("fieldset", { class: "kinds" }, make("legend", {}, "Kind of target"), ...kinds), ...body);
}

function showCards() {
  const target = byId("target-column").value;
  byId("columns").replaceChildren(...cards.filter((card) => card.name !== target && card.name !== personsColumn()).map(cardOf));
}

function cardOf(card) {
  const id = `column-${card.place}`;
  const kinds = [["number", "Number"], ["category", "Category"], ["ignore", "Leave out"]].map(([kind, label]) =>
    make("p", { class: "check" }, make("input", { type: "radio", name: id, id: `${id}-${kind}`, value: kind, checked: card.kind === kind,
      onchange: () => { card.kind = kind; touched.delete(card.name); body.replaceChildren(...bodyOf(card, id)); later(); } }),
    make("label", { for: `${id}-${kind}` }, label)));
  const body = make("div", {}, ...bodyOf(card, id));
  const said = make("p", { class: "problem", id: `${id}-problem`, hidden: true });
  return make("fieldset", { id, "data-column": card.name }, make("legend", {}, card.name),
    make("fieldset", { class: "kinds" }, make("legend", {}, `Kind of ${card.name}`), ...kinds), body, said);
}

function bodyOf(card, id) {
  if (card.kind === "number") return bounds(id, card.values);
  if (card.kind === "ignore") return [];
  const keep = keeper(card.values);
  return [
    field(`${id}-categories`, "All possible values, one a line", make("textarea", { ...keep("categories"), rows: 3 })),
    row(field(`${id}-other`, "Any other value counts as", make("input", { type: "text", ...keep("other") }), "Empty: such a table is refused."),
      field(`${id}-missing`, "A missing value counts as", make("input", { type: "text", ...keep("missing") }))),
  ];
}

function bounds(id, values) {
  const keep = keeper(values);
  const text = (name) => make("input", { type: "text", inputmode: "decimal", ...keep(name) });
  const clip = make("input", { type: "checkbox", id: `${id}-clip`, checked: values.clip === true, onchange: (event) => { values.clip = event.target.checked; later(); } });
  return [
    row(field(`${id}-lower`, "Smallest possible", text("lower")), field(`${id}-upper`, "Largest possible", text("upper")),
      field(`${id}-missing`, "A missing value counts as", text("missing"))),
    make("p", { class: "check" }, clip, make("label", { for: `${id}-clip` }, "A value outside counts as the nearer bound; otherwise such a table is refused.")),
  ];
}

const keeper = (values) => (name) => ({ value: values[name] ?? "", oninput: (event) => { values[name] = event.target.value; }, spellcheck: "false" });
const row = (...fields) => make("div", { class: "row" }, ...fields);

function note(element) {
  const column = element.closest("[data-column]");
  if (column) touched.add(column.dataset.column);
  else if (element.closest("#target-box")) touched.add("target");
  else if (element.closest("#persons-box")) touched.add("persons");
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(check, 250);
}

const lines = (text) => (text ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");

export function typedSchema() {
  const target = byId("target-column").value;
  const values = targetValues;
  return {
    name: byId("schema-name").value,
    rows: byId("schema-rows").value,
    missing_values: byId("schema-missing").value.split(/\s+/).filter((text) => text !== ""),
    persons: typedPersons(),
    target: targetKind === "classes"
      ? { column: target, kind: "classes", classes: lines(values.classes), other: values.other ?? "", missing: values.missing ?? "" }
      : { column: target, kind: "number", lower: values.lower ?? "", upper: values.upper ?? "", clip: values.clip === true, missing: values.missing ?? "" },
    columns: cards.filter((card) => card.name !== target && card.name !== personsColumn() && card.kind !== "ignore").map(({ name, kind, values: own }) => {
      if (kind === "number") return { name, kind, lower: own.lower ?? "", upper: own.upper ?? "", clip: own.clip === true, missing: own.missing ?? "" };
      return { name, kind, categories: lines(own.categories), other: own.other ?? "", missing: own.missing ?? "" };
    }),
  };
}

// What was typed survives a reload of the page, in this tab.
const keep = (schema) => sessionStorage.setItem("discreet-schema", JSON.stringify(schema));

export function restore() {
  const kept = sessionStorage.getItem("discreet-schema");
  if (kept === null) return;
  try { fill(JSON.parse(kept)); } catch { sessionStorage.removeItem("discreet-schema"); }
  check();
}

export const classCount = () => (targetKind === "classes" ? lines(targetValues.classes).length : 0);

function fill(schema) {
  const known = new Map(schema.columns.map((column) => [column.name, column]));
  const absent = [schema.target.column, ...(schema.persons?.column ? [schema.persons.column] : []), ...known.keys()].filter((name) => !cards.some((card) => card.name === name));
  if (absent.length > 0) throw new Error(`The table has no column ${absent.map((name) => `'${name}'`).join(", ")} of that schema.`);
  byId("schema-name").value = schema.name;
  byId("schema-rows").value = schema.rows;
  byId("schema-missing").value = schema.missing_values.join(" ");
  fillPersons(schema.persons ?? { kind: "" });
  byId("target-column").value = schema.target.column;
  targetKind = schema.target.kind;
  targetValues = { ...schema.target, classes: (schema.target.classes ?? []).join("\n") };
  for (const card of cards) {
    const column = known.get(card.name);
    card.kind = column?.kind ?? "ignore";
    card.values = column ? { ...column, categories: (column.categories ?? []).join("\n") } : {};
  }
  touched = new Set(["target", "persons", ...known.keys()]);
  showTarget();
  showCards();
}

// What was not touched yet is only counted, not marked: an empty form is no mistake.
export async function check(mark = false) {
  const mine = (asked += 1);
  let found;
  const schema = typedSchema();
  keep(schema);
  try {
    found = await ask("check", { schema });
  } catch (error) {
    found = { problems: [{ where: "schema", message: error.message }], toml: null };
  }
  if (mine !== asked) return found.toml !== null;
  const said = new Map(found.problems.map(({ where, message }) => [where, message]));
  if (mark) for (const { where } of found.problems) touched.add(where);
  show(byId("problem-schema"), said.get("schema"));
  show(byId("problem-persons"), touched.has("persons") ? said.get("persons") : undefined, personsKind() === "several" ? byId("persons-box") : null);
  show(byId("problem-target"), touched.has("target") ? said.get("target") : undefined, byId("target-box"));
  for (const card of cards) {
    const place = byId(`column-${card.place}-problem`);
    if (place) show(place, touched.has(card.name) ? said.get(card.name) : undefined, byId(`column-${card.place}`));
  }
  const open = found.problems.length;
  byId("describe-state").textContent = open === 0
    ? `Complete: ${found.features} ${found.features === 1 ? "feature" : "features"}, rows of norm at most ${Number(found.norm_bound.toPrecision(6))}.`
    : `${open} ${open === 1 ? "part is" : "parts are"} still to be filled in or corrected.`;
  byId("schema-toml").textContent = found.toml ?? "Not complete yet.";
  changed(found.toml !== null);
  return found.toml !== null;
}

const PARTS = [["smallest", "lower"], ["lower", "lower"], ["largest", "upper"], ["upper", "upper"], ["categories", "categories"], ["classes", "classes"],
  ["other", "other"], ["missing", "missing"], ["predicted", "column"], ["most rows", "most"]];

function show(place, words, box = null) {
  place.textContent = words ?? "";
  place.hidden = !words;
  const inputs = [...(box?.querySelectorAll("input[type=text], textarea, select") ?? [])];
  const meant = words ? PARTS.filter(([word]) => words.includes(word)).map(([, part]) => part) : [];
  const wrong = inputs.filter((input) => meant.some((part) => input.id.endsWith(`-${part}`))).slice(0, 1);
  for (const input of inputs) {
    if (words && (wrong.includes(input) || (wrong.length === 0 && input === inputs[0]))) { input.setAttribute("aria-invalid", "true"); input.setAttribute("aria-errormessage", place.id); }
    else { input.removeAttribute("aria-invalid"); input.removeAttribute("aria-errormessage"); }
  }
}

export function focusFirstProblem() {
  const wrong = [...document.querySelectorAll("#form-schema [aria-invalid=true]")].find((input) => input.offsetParent !== null);
  const unasked = !byId("problem-persons").hidden && personsKind() === "";
  (unasked ? byId("persons-one") : (wrong ?? byId("target-column"))).focus();
}
