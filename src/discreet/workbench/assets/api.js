// Questions to the server: JSON in, JSON out, an Error with one sentence, and the field that it is about, where it refuses.
const KEY = "discreet-key";

export async function ask(name, question = {}, signal = undefined) {
  return send("POST", name, JSON.stringify(question), { "Content-Type": "application/json" }, signal);
}

export async function upload(file) {
  return send("PUT", "upload", file, { "Content-Type": "application/octet-stream", "X-Discreet-Name": encodeURIComponent(file.name) });
}

// The token stands behind the # of the link, which no browser sends anywhere; here it is exchanged for a session, once.
export async function enter() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname);
  try {
    localStorage.setItem(KEY, (await ask("enter", { token })).key);
  } catch (error) {
    if (localStorage.getItem(KEY) === null) throw error; // else this browser may have entered before
  }
}

export const session = () => localStorage.getItem(KEY) ?? "";

async function send(method, name, body, headers, signal) {
  let answer;
  try {
    answer = await fetch(`/api/${name}`, {
      method, body, signal, headers: { ...headers, "X-Discreet-Key": session() }, cache: "no-store", credentials: "same-origin",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The workbench does not answer. Is it still running in its terminal?");
  }
  let found;
  try {
    found = await answer.json();
  } catch {
    throw new Error("The answer of the workbench could not be read. Try again.");
  }
  if (!answer.ok) throw Object.assign(new Error(found.error), { field: found.field ?? "" });
  return found;
}
