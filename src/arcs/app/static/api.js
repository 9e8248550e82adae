// Talking to the server. The address of the page holds the secret, so every relative one does, too.

const KEY = "arcs-window";

function windowName() {
  let name = sessionStorage.getItem(KEY);
  if (!name) {
    name = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem(KEY, name);
  }
  return name;
}

const base = `api/${windowName()}`;

/** What the server refused, in its words. */
export class Refusal extends Error {}

async function answer(response) {
  const text = await response.text();
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Refusal(text.trim() || `the server answered ${response.status}`);
  }
  if (!response.ok) throw new Refusal(content.refused || text);
  return content;
}

/** Ask for an action; the answer is a plain object. */
export async function ask(action, said = {}) {
  let response;
  try {
    response = await fetch(`${base}/${action}`, { method: "POST", body: JSON.stringify(said) });
  } catch {
    throw new Refusal("the server does not answer; is arcs app still running?");
  }
  return answer(response);
}

/** Send a file. */
export async function upload(file) {
  const response = await fetch(`${base}/upload?name=${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
  return answer(response);
}

/** The address of something to open or to download. */
export function address(rest) {
  return `${base}/${rest}`;
}

/** The event stream; handlers by name of the event, `up` and `down` for the connection. */
export function listen(handlers) {
  const source = new EventSource(`${base}/events`);
  for (const [name, act] of Object.entries(handlers)) {
    if (name === "down") source.onerror = act;
    else source.addEventListener(name, (event) => act(JSON.parse(event.data)));
  }
  return source;
}
