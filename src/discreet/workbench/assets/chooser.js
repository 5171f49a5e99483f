// A file of this machine, chosen from names: folders lead on, a file is taken.
import { ask } from "./api.js";
import { byId, guarded, make, sentence } from "./parts.js";

let kind = "table", into = null;

export function startChoosing() {
  for (const button of document.querySelectorAll("[data-browse]")) {
    button.addEventListener("click", () => {
      [kind, into] = [button.dataset.browse, byId(button.dataset.into)];
      byId("chooser-title").textContent = { table: "Choose a table", schema: "Choose a schema", ledger: "Choose a ledger", model: "Choose a model file" }[kind];
      guarded(null, async () => { await list(into.value.trim()); byId("chooser").showModal(); });
    });
  }
  byId("chooser-close").addEventListener("click", () => byId("chooser").close());
  byId("chooser").addEventListener("close", () => into?.focus());
}

async function list(path) {
  const found = await ask("browse", { path, kind });
  const inside = (name) => `${found.folder.endsWith("/") ? found.folder : `${found.folder}/`}${name}`;
  const go = (to) => () => list(to).catch((error) => { byId("chooser-folder").textContent = sentence(error.message); });
  byId("chooser-folder").textContent = found.more ? `${found.folder} (not all names are shown)` : found.folder;
  const line = (label, what, action) => make("li", {}, make("button", { type: "button", class: what, onclick: action }, label));
  byId("chooser-names").replaceChildren(
    ...(found.parent === null ? [] : [line("the folder above", "up", go(found.parent))]),
    ...found.folders.map((name) => line(`${name}/`, "folder", go(inside(name)))),
    ...found.files.map((name) => line(name, "file", () => {
      into.value = inside(name);
      into.dispatchEvent(new Event("input", { bubbles: true }));
      byId("chooser").close();
    })),
    ...(found.files.length === 0 ? [make("li", { class: "note" }, "No such file here.")] : []),
  );
  byId("chooser-names").querySelector("button")?.focus();
}
