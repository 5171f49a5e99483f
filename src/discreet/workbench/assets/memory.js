// What a reload keeps: everything that was typed, chosen and drawn, in this browser, for as long as the workbench runs.
import { session } from "./api.js";

const PLACE = "discreet-page";
const FIELDS = "#step-table input[id], #step-describe details input[id], #step-choose input[id]:not([data-option]), #step-explore input[id], #step-explore select[id], #step-ledger input[id], #step-ledger select[id]";
let kept = {};

export function startRemembering() {
  try {
    const found = JSON.parse(localStorage.getItem(PLACE) ?? "{}");
    kept = found.session === session() ? found : {};
  } catch { kept = {}; }
  kept.session = session();
  document.addEventListener("input", (event) => note(event.target));
  document.addEventListener("change", (event) => note(event.target));
}

export function remember(name, value) {
  kept[name] = value;
  try { localStorage.setItem(PLACE, JSON.stringify(kept)); } catch { /* a full store keeps less, and nothing else is lost */ }
}

export const remembered = (name) => kept[name];

function note(element) {
  if (!element.matches?.(FIELDS) || element.type === "file") return;
  const value = element.type === "checkbox" || element.type === "radio" ? element.checked : element.value;
  const fields = { ...(kept.fields ?? {}) };
  if (element.type === "radio") for (const other of document.getElementsByName(element.name)) delete fields[other.id];
  fields[element.id] = value;
  remember("fields", fields);
}

// Put what was typed back into the fields that are there now.
export function refill() {
  for (const [id, value] of Object.entries(kept.fields ?? {})) {
    const element = document.getElementById(id);
    if (!element || !element.matches(FIELDS)) continue;
    if (element.type === "checkbox" || element.type === "radio") element.checked = value === true;
    else element.value = value;
  }
  for (const id of ["sample", "new-set"]) {
    const box = document.getElementById(id).closest("details");
    if (document.getElementById(id).value !== "") box.open = true;
  }
}
