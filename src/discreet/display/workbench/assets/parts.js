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

export function problem(words) {
  const place = byId("alert");
  place.textContent = words ?? "";
  place.hidden = !words;
  if (words) place.scrollIntoView({ block: "nearest" });
}

// Run what a button or a form asks for; a refusal is shown, and the button waits meanwhile.
export async function guarded(button, action) {
  problem(null);
  if (button) button.disabled = true;
  try {
    return await action();
  } catch (error) {
    if (error.name !== "AbortError") problem(error.message);
    return undefined;
  } finally {
    if (button) button.disabled = false;
  }
}

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
