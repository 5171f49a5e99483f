// Small parts of pages. Words become text nodes only: nothing that was typed or read is ever taken for markup.
export const byId = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "checked") element.checked = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function field(id, label, input, hint = null) {
  input.id = id;
  const words = hint === null ? null : make("span", { class: "hint", id: `${id}-hint` }, hint);
  if (hint !== null) input.setAttribute("aria-describedby", `${id}-hint`);
  return make("p", { class: "field" }, make("label", { for: id }, label), input, words);
}

export function facts(rows) {
  const cells = rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value)));
  return make("table", { class: "facts" }, make("tbody", {}, ...cells));
}

export function table(caption, header, rows, numbers = []) {
  const kind = (place) => ({ class: numbers.includes(place) ? "number" : null });
  const head = header.map((name, place) => make("th", { scope: "col", ...kind(place) }, name));
  const body = rows.map((row) => make("tr", {}, ...row.map((cell, place) => make("td", kind(place), cell))));
  return make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
}

// A table that a small screen moves sideways: by keyboard too.
export const wide = (inner) => make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": inner.caption.textContent }, inner);

// What is wrong, with a link to the field that it is about: the one that the server names, or an option that the sentence names.
export function problem(said, fields = {}) {
  const place = byId("alert");
  place.hidden = !said;
  place.replaceChildren();
  for (const old of document.querySelectorAll("[data-blamed]")) { delete old.dataset.blamed; old.removeAttribute("aria-invalid"); }
  if (!said) return;
  const words = typeof said === "string" ? said : said.message;
  const blamed = fieldOf(words, typeof said === "string" ? "" : (said.field ?? ""), fields);
  place.append(make("span", {}, sentence(words)));
  if (blamed) {
    blamed.setAttribute("aria-invalid", "true");
    blamed.dataset.blamed = "";
    const name = document.querySelector(`label[for="${CSS.escape(blamed.id)}"]`)?.textContent ?? "the field";
    place.append(" ", make("button", { type: "button", class: "linked", onclick: () => show(blamed) }, `Go to ${name}`));
  }
  place.scrollIntoView({ block: "nearest" });
}

const STEP_OF = { describe: "target-column" };

function fieldOf(words, field, fields) {
  const named = fields[field] ?? STEP_OF[field] ?? (field.startsWith("--") ? `option${field.slice(1)}` : field);
  const spoken = [...words.matchAll(/--([a-z][a-z-]+)/g)].map(([, name]) => [`option-${name}`, name]).flat();
  const plain = ["epsilon", "delta"].filter((name) => new RegExp(`\\b${name}\\b`).test(words));
  const told = [...document.querySelectorAll("[data-option]")].filter((one) => words.replaceAll("_", "-").startsWith(`${one.id.replace("option-", "")} `)).map((one) => one.id);
  return [named, ...spoken, ...told, ...plain].map((id) => (id ? byId(id) : null)).find((one) => one?.matches("input, select, textarea")) ?? null;
}

// Open whatever hides a field, and go there.
export function show(element) {
  const step = element.closest("section[hidden]");
  if (step) document.dispatchEvent(new CustomEvent("discreet-step", { detail: step.id.replace("step-", "") }));
  for (let box = element.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  element.scrollIntoView({ block: "center" });
  element.focus();
}

// Run what a button or a form asks for; a refusal is shown with its field, and the button waits meanwhile.
export async function guarded(button, action, fields = {}) {
  problem(null);
  if (button) button.disabled = true;
  try {
    return await action();
  } catch (error) {
    if (error.name !== "AbortError") problem(error, fields);
    return undefined;
  } finally {
    if (button) button.disabled = false;
  }
}

// With a capital, as a sentence of its own begins; names of settings, which have marks within, stay what they are.
export const sentence = (words) => words.replace(/^[a-z]+(?=[ ,;])/, (first) => first[0].toUpperCase() + first.slice(1));

export const short = (value, digits = 3) => {
  if (value === null || value === undefined) return "-";
  const rounded = Number(value.toPrecision(digits));
  return rounded !== 0 && Math.abs(rounded) < 1e-3 ? rounded.toExponential() : rounded.toString();
};
export const percent = (share) => `${(100 * share).toFixed(1)} %`;
export const amount = (pair) => `epsilon ${pair.epsilon === null ? "infinite" : short(pair.epsilon, 6)}, delta ${short(pair.delta)}`;

// A number as it was typed; the server says what is wrong with another.
export function typed(id) {
  const text = byId(id).value.trim();
  const value = Number(text);
  return text === "" || !Number.isFinite(value) ? null : value;
}
