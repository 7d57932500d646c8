/**
 * A lock between processes that survives any death of its holder. The holder's ticket (who it is) is linked to
 * the lock's name whole, so a lock is never seen half written. A dead holder's lock is not removed but succeeded:
 * the first to link its ticket to the name that follows the dead ticket's token holds the lock. Removing a dead
 * lock and taking it anew would be two steps, and between them two waiters can both believe they won.
 * Only the holder removes names, the lock's own first; a claim counts only if the lock's own name is unchanged.
 */
import { randomUUID } from "node:crypto";
import { link, open, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { compare, isProcessIdentity, ownIdentity, startOf } from "./process-identity.ts";
import type { ProcessIdentity } from "./process-identity.ts";

const POLL_MS = 25;
/** A holder shows life this often, for waiters in other containers, who cannot look up its pid. */
const BEAT_MS = 2_000;
/** Five missed beats in a row: long enough for a busy machine, short enough to wait out. */
const SILENCE_MS = 10_000;

export type LockOptions = {
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  /** How long a holder in another container must show no life to count as dead. */
  readonly silenceMs?: number;
};

type Ticket = { readonly token: string; readonly holder: ProcessIdentity };
type Mine = Ticket & { readonly file: string };
/** The lock's names from its own to mine; several only after a holder died. */
type Held = { readonly names: readonly string[] };
type Step =
  | { readonly kind: "held"; readonly names: readonly string[] }
  | { readonly kind: "changed" }
  | { readonly kind: "blocked"; readonly holder: ProcessIdentity };

/** The lock stayed with another process for longer than the caller would wait. */
export class LockTimeout extends Error {
  override readonly name = "LockTimeout";
  readonly holder: ProcessIdentity;

  constructor(path: string, holder: ProcessIdentity) {
    super(`The lock ${path} is still held by process ${holder.pid} on ${holder.place.host}.`);
    this.holder = holder;
  }
}

/** Runs `work` while holding the lock. Throws LockTimeout, or the signal's reason, if it cannot be had. */
export async function withFileLock<T>(
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { names } = await acquire(path, options);
  const beat = setInterval(() => void touch(names.at(-1) ?? path), BEAT_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    for (const name of names) await rm(name, { force: true });
  }
}

async function acquire(path: string, { waitMs, signal, silenceMs }: LockOptions): Promise<Held> {
  signal?.throwIfAborted();
  const mine = await writeTicket(path);
  const deadline = performance.now() + waitMs;
  const isDead = deathWatch(mine.holder, silenceMs ?? SILENCE_MS);
  try {
    while (true) {
      const step = await tryOnce(path, mine, isDead);
      if (step.kind === "held") {
        if (step.names.length === 1) await sweep(path, mine, isDead);
        return step;
      }
      if (step.kind === "changed") continue;
      if (performance.now() >= deadline) throw new LockTimeout(path, step.holder);
      await delay(POLL_MS, undefined, signal ? { signal } : {});
    }
  } finally {
    await rm(mine.file, { force: true });
  }
}

/** Walks from the lock's own name over dead holders to the living one, or to a free place that it takes. */
async function tryOnce(path: string, mine: Mine, isDead: DeathWatch): Promise<Step> {
  if (await claim(mine, path)) return { kind: "held", names: [path] };
  const first = await readTicket(path);
  const names = [path];
  let current = first;
  while (current !== null) {
    const name = names.at(-1) ?? path;
    if (!(await isDead(current, name))) return { kind: "blocked", holder: current.holder };
    const next = `${path}.after-${current.token}`;
    names.push(next);
    if (await claim(mine, next)) {
      if ((await readTicket(path))?.token === first?.token) return { kind: "held", names };
      await rm(next, { force: true });
      break;
    }
    current = await readTicket(next);
  }
  return { kind: "changed" };
}

/**
 * Removes what killed processes left beside the lock. Called by a holder who succeeded nobody: then every claim
 * on a dead holder's place is void, and the only files that matter are the tickets of those who still wait.
 */
async function sweep(path: string, mine: Mine, isDead: DeathWatch): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const entry of await readdir(dirname(path))) {
    const name = join(dirname(path), entry);
    if (!entry.startsWith(prefix) || name === mine.file) continue;
    const ticket = await readTicket(name);
    // An empty ticket may be one that a newcomer is writing at this moment.
    if (ticket === null || ticket === DAMAGED) continue;
    if (entry.startsWith(`${prefix}after-`) || (await isDead(ticket, name))) await rm(name, { force: true });
  }
}

async function writeTicket(path: string): Promise<Mine> {
  const ticket = { token: randomUUID(), holder: await ownIdentity() };
  const file = `${path}.${ticket.token}`;
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(JSON.stringify(ticket));
  } finally {
    await handle.close();
  }
  return { ...ticket, file };
}

async function claim(mine: Mine, name: string): Promise<boolean> {
  try {
    await link(mine.file, name);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** What a power cut can leave of a ticket: a name without content. Nobody living holds it. */
const DAMAGED: Ticket = {
  token: "damaged",
  holder: { pid: 0, started: "", place: { host: "", boot: "", pidNamespace: "" } },
};

async function readTicket(name: string): Promise<Ticket | null> {
  const text = await readFile(name, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const content: unknown = JSON.parse(text);
    return isTicket(content) ? content : DAMAGED;
  } catch {
    return DAMAGED;
  }
}

function isTicket(value: unknown): value is Ticket {
  if (typeof value !== "object" || value === null) return false;
  return "token" in value && "holder" in value && isProcessIdentity(value.holder);
}

type DeathWatch = (ticket: Ticket, name: string) => Promise<boolean>;

/** Remembers when each holder out of sight last showed life, by this process's own clock. */
function deathWatch(own: ProcessIdentity, silenceMs: number): DeathWatch {
  const seen = new Map<string, { readonly beat: number; readonly since: number }>();

  const isSilent = async (token: string, name: string): Promise<boolean> => {
    const beat = await stat(name).then(
      (found) => found.mtimeMs,
      () => 0,
    );
    const last = seen.get(token);
    if (last?.beat === beat) return performance.now() - last.since >= silenceMs;
    seen.set(token, { beat, since: performance.now() });
    return false;
  };

  return async ({ token, holder }, name) => {
    if (token === DAMAGED.token) return true;
    const where = compare(holder.place, own.place);
    if (where === "elsewhere") return isSilent(token, name);
    return where === "ended" || (await startOf(holder.pid)) !== holder.started;
  };
}

async function touch(name: string): Promise<void> {
  const now = new Date();
  await utimes(name, now, now).catch(() => undefined);
}
