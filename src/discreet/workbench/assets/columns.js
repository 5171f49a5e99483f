// A card for every column, in groups, with a search: of three hundred as of three. What is folded up keeps what was typed.
import { byId, field, make } from "./parts.js";

const KINDS = [["number", "Number"], ["date", "Date"], ["category", "Category"], ["ignore", "Leave out"]];
const TITLES = { number: "Numbers", date: "Dates", category: "Categories", ignore: "Left out" };
const FEW = 12; // of a group that stays unfolded
let cards = [];
let changed = () => {};
let hidden = () => [];
let wrong = () => new Set();
let mark = () => {};

export const allCards = () => cards;

export function startColumns(onChange, notShown, troubled, marked) {
  [changed, hidden, wrong, mark] = [onChange, notShown, troubled, marked];
  byId("columns-search").addEventListener("input", showCards);
  byId("columns-filter").addEventListener("change", showCards);
  byId("columns-set").addEventListener("change", (event) => {
    if (event.target.value !== "") for (const card of shown()) card.kind = event.target.value;
    event.target.value = "";
    showCards();
    changed();
  });
}

export function newCards(names) {
  cards = names.map((name, place) => ({ name, place, kind: "ignore", values: {} }));
  byId("columns-search").value = "";
  byId("columns-filter").value = "all";
}

function shown() {
  const text = byId("columns-search").value.trim().toLowerCase();
  const filter = byId("columns-filter").value;
  const [apart, troubled] = [hidden(), wrong()];
  return cards.filter((card) => !apart.includes(card.name) && card.name.toLowerCase().includes(text)
    && (filter === "all" || filter === card.kind || (filter === "todo" && troubled.has(card.name))));
}

export function showCards() {
  const found = shown();
  const open = new Set([...document.querySelectorAll("#columns details[open]")].map((box) => box.dataset.group));
  const all = cards.length - hidden().filter((name) => name !== "").length;
  byId("columns-shown").textContent = found.length === all ? `${all} columns` : `${found.length} of ${all} columns shown`;
  byId("columns-tools").hidden = cards.length < 6;
  const single = found.length <= FEW;
  const groups = KINDS.map(([kind]) => [kind, found.filter((card) => card.kind === kind)]).filter(([, held]) => held.length > 0);
  byId("columns").replaceChildren(...(single ? [...found].sort((a, b) => a.place - b.place).map(cardOf) : groups.map(([kind, held]) => {
    const box = make("details", { "data-group": kind, open: open.has(kind) || held.length <= FEW }, make("summary", {}, `${TITLES[kind]} (${held.length})`));
    const fill = () => { if (box.open && box.children.length === 1) { box.append(...held.map(cardOf)); mark(); } };
    box.addEventListener("toggle", fill);
    if (box.open) box.append(...held.map(cardOf));
    return box;
  })));
  mark();
}

// Bring a column's card onto the page, wherever it is folded up.
export function reveal(card) {
  byId("columns-search").value = "";
  byId("columns-filter").value = "all";
  if (!byId(`column-${card.place}`)) {
    showCards();
    const box = document.querySelector(`#columns details[data-group="${card.kind}"]`);
    if (box) { box.open = true; if (box.children.length === 1) box.append(...cards.filter((one) => one.kind === card.kind && !hidden().includes(one.name)).map(cardOf)); }
  }
  return byId(`column-${card.place}`);
}

function cardOf(card) {
  const id = `column-${card.place}`;
  const kinds = KINDS.map(([kind, label]) =>
    make("p", { class: "check" }, make("input", { type: "radio", name: id, id: `${id}-${kind}`, value: kind, checked: card.kind === kind,
      onchange: () => { card.kind = kind; body.replaceChildren(...bodyOf(card, id)); changed(card); } }),
    make("label", { for: `${id}-${kind}` }, label)));
  const body = make("div", {}, ...bodyOf(card, id));
  const said = make("p", { class: "problem", id: `${id}-problem`, hidden: true });
  return make("fieldset", { id, class: "card", "data-column": card.name }, make("legend", {}, card.name),
    make("fieldset", { class: "kinds" }, make("legend", {}, `Kind of ${card.name}`), ...kinds), body, said);
}

function bodyOf(card, id) {
  if (card.kind === "number" || card.kind === "date") return bounds(id, card.values, card.kind, () => { card.values.open = !card.values.open; showBody(card, id); changed(card); });
  return card.kind === "ignore" ? [] : labels(id, card.values, "categories", "All possible values, one per line", changed);
}

const showBody = (card, id) => { byId(id)?.children[2].replaceChildren(...bodyOf(card, id)); byId(`${id}-open`)?.focus(); };

const keeper = (values) => (name) => ({ value: values[name] ?? "", oninput: (event) => { values[name] = event.target.value; }, spellcheck: "false" });
const row = (...fields) => make("div", { class: "row" }, ...fields);

function tick(id, name, values, label, action = null) {
  const box = make("input", { type: "checkbox", id: `${id}-${name}`, checked: values[name] === true,
    onchange: (event) => { if (action) action(); else { values[name] = event.target.checked; changed(); } } });
  return make("p", { class: "check" }, box, make("label", { for: `${id}-${name}` }, label));
}

export function labels(id, values, name, label) {
  const keep = keeper(values);
  const more = make("details", { class: "small" }, make("summary", {}, "Other spellings"),
    field(`${id}-aliases`, "Other spellings of these", make("textarea", { ...keep("aliases"), rows: 2 }), "One per line: f = female"));
  more.open = (values.aliases ?? "") !== "";
  return [
    field(`${id}-${name}`, label, make("textarea", { ...keep(name), rows: 3, "aria-describedby": id === "target" ? "problem-target" : null })),
    row(field(`${id}-other`, "Treat any other value as", make("input", { type: "text", ...keep("other") }), "If empty, a table with such values is refused."),
      field(`${id}-missing`, "Treat a missing value as", make("input", { type: "text", ...keep("missing") }), "If empty, a table with such values is refused.")),
    more,
  ];
}

export function bounds(id, values, kind = "number", onOpen = null) {
  const keep = keeper(values);
  const number = kind === "number";
  const text = (name) => make("input", { type: "text", inputmode: number ? "decimal" : "text", ...keep(name) });
  const open = number && values.open === true;
  const limits = [field(`${id}-lower`, number ? "Smallest possible" : "First possible", text("lower"), number ? null : "Such as 1990-01-31"),
    field(`${id}-upper`, number ? "Largest possible" : "Last possible", text("upper"))];
  const missing = field(`${id}-missing`, "Treat a missing value as", text("missing"), id === "target" ? "If empty, refused." : "If empty, refused. indicator: adds a feature for missing values.");
  return [
    row(...(open ? [] : limits), ...(open ? [] : [missing])),
    ...(open ? [] : [tick(id, "clip", values, "Move values outside to the nearer bound; otherwise a table with such values is refused.")]),
    ...(onOpen && number ? [tick(id, "open", values, "The bounds are not known: choose them privately first.", onOpen)] : []),
  ];
}
