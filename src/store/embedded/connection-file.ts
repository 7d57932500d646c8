/**
 * `connection.json`: how to reach the running server, for people and their tools. It is rewritten at every open and
 * never trusted: we read only the last port from it, and a port that has been taken since is given up.
 */
import { once } from "node:events";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { Layout } from "./layout.ts";
import { HOST } from "./presence.ts";

export type Connection = {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
};

/** PostgreSQL's own: it belongs to the server a user has, or may install. */
const NOT_OURS = 5432;

export async function writeConnection({ connection }: Layout, content: Connection): Promise<void> {
  const partial = `${connection}.tmp`;
  await writeFile(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(partial, 0o600);
  await rename(partial, connection);
}

/** First the port of the last time, so that people's saved connections keep working; then any free one. */
export async function choosePort({ connection }: Layout, tries: number): Promise<number> {
  const text = tries === 0 ? await readFile(connection, "utf8").catch(() => "") : "";
  const last = Number(/"port": (\d+)/.exec(text)?.[1] ?? NOT_OURS);
  return last === NOT_OURS ? freePort() : last;
}

async function freePort(): Promise<number> {
  while (true) {
    const probe = createServer().listen(0, HOST);
    await once(probe, "listening");
    const address = probe.address();
    probe.close();
    await once(probe, "close");
    if (address !== null && typeof address === "object" && address.port !== NOT_OURS) return address.port;
  }
}
