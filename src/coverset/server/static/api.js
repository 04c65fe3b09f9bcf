// Talks to the service: one request of a kind at a time, a newer one aborts the older.

const running = new Map();

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function key(value) {
  if (value !== undefined) sessionStorage.setItem("coverset-key", value);
  return sessionStorage.getItem("coverset-key") ?? "";
}

export async function call(kind, path, body) {
  running.get(kind)?.abort();
  const controller = new AbortController();
  running.set(kind, controller);
  for (;;) {
    const response = await fetch(path, {
      method: body ? "POST" : "GET",
      headers: {
        ...(body && { "Content-Type": "application/json" }),
        ...(key() && { Authorization: `Bearer ${key()}` }),
      },
      body: body && JSON.stringify(body),
      signal: controller.signal,
    });
    if (response.status === 429) {
      await pause(1000 * Number(response.headers.get("Retry-After") ?? 1), controller.signal);
      continue;
    }
    const answer = await response.json();
    if (response.status === 401 && key()) throw new Refused(401, "The service does not know this key. Is it whole?");
    if (!response.ok) throw new Refused(response.status, answer.error?.message ?? response.statusText);
    return answer;
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("superseded", "AbortError"));
    });
  });
}
