// What has been spent, a new data set with its total, and another total for one that is there.
import { ask } from "./api.js";
import { amount, byId, facts, guarded, make, svg, table, typed, wide } from "./parts.js";

let shown = { path: "", data_sets: [] };

export function startLedger(declared) {
  byId("form-ledger").addEventListener("submit", (event) => { event.preventDefault(); guarded(event.submitter, show, { path: "show-path" }); });
  byId("form-declare").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(event.submitter, async () => {
      const [path, name] = [byId("new-path").value, byId("new-set").value];
      const found = await ask("declare", { path, data_set: name, epsilon: typed("new-epsilon"), delta: typed("new-delta"), neighbours: byId("new-neighbours").value, unit: byId("new-unit").value });
      byId("show-path").value = found.path;
      fill(found);
      declared(found.path, name);
      byId("new-ledger").open = false;
    }, { path: "new-path", data_set: "new-set", epsilon: "new-epsilon", delta: "new-delta" });
  });
  byId("amend-set").addEventListener("change", totals);
  byId("form-amend").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(event.submitter, async () => {
      fill(await ask("amend", { path: shown.path, data_set: byId("amend-set").value, epsilon: typed("amend-epsilon"), delta: typed("amend-delta"), reason: byId("amend-reason").value }));
      byId("amend-ledger").open = false;
      byId("amend-reason").value = "";
    }, { epsilon: "amend-epsilon", delta: "amend-delta", reason: "amend-reason" });
  });
}

export async function showLedger(path) {
  if (path) byId("show-path").value = path;
  if (byId("show-path").value.trim() !== "") await guarded(null, show, { path: "show-path" });
}

async function show() {
  byId("ledger-shown").replaceChildren();
  byId("amend-ledger").hidden = true;
  fill(await ask("ledger", { path: byId("show-path").value }));
}

function totals() {
  const set = shown.data_sets.find((one) => one.name === byId("amend-set").value);
  byId("amend-epsilon").value = set?.total.epsilon ?? "";
  byId("amend-delta").value = set?.total.delta ?? "";
}

function fill(found) {
  shown = found;
  const parts = found.data_sets.flatMap((set) => [
    make("h2", {}, set.name),
    bar(set),
    facts([["Total", `${amount(set.total)}, ${set.neighbours}, one ${set.unit}; ${set.accountant} accountant`], ["Spent", amount(set.spent)],
      ["Left", `${amount(set.left)}${set.parts.length > 0 ? `; parts: ${set.parts.join(", ")}` : ""}`]]),
    set.entries.length === 0 ? make("p", { class: "note" }, "Nothing has been spent yet.")
      : wide(table(set.more > 0 ? `The last ${set.entries.length} entries; ${set.more} more before` : "Entries, the latest first",
        ["When", "For", "Cost", "State"], set.entries.map((entry) => [entry.when.slice(0, 19).replace("T", " "), entry.purpose || "-", entry.cost, stateOf(entry)]))),
  ]);
  byId("ledger-shown").replaceChildren(...(parts.length > 0 ? parts : [make("p", {}, "No data set is declared yet.")]));
  byId("amend-ledger").hidden = found.data_sets.length === 0;
  byId("amend-set").replaceChildren(...found.data_sets.map((set) => make("option", { value: set.name }, set.name)));
  totals();
}

const stateOf = (entry) => (entry.state === "reserved" ? "reserved, never settled: counted" : entry.state);

function bar(set) {
  if (set.spent.epsilon === null || !set.total.epsilon) return make("p", { class: "note" }, "More than the total is spent.");
  const share = Math.min(1, set.spent.epsilon / set.total.epsilon);
  const inside = svg("svg", { width: "100%", height: "100%", role: "img", "aria-label": `${(100 * share).toFixed(0)} % of epsilon is spent` },
    svg("rect", { width: `${100 * share}%`, height: "100%" }));
  return make("div", { class: "bar" }, inside);
}
