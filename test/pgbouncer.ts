/** A real PgBouncer on loopback, in front of the PostgreSQL of the test run. It does not run as root. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { until } from "./actions.ts";
import { tempDir } from "./fresh.ts";
import { freePort } from "./test-server.ts";

const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find(existsSync);
export const NO_PGBOUNCER =
  PROGRAM === undefined ? "there is no PgBouncer on this machine; install pgbouncer" : false;
const NOBODY = 65_534;

export type PoolMode = "session" | "transaction" | "statement";

/** Returns the address of the database behind the pooler. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: PoolMode,
): Promise<{ readonly url: string } & AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const { path } = parts.use(await tempDir());
  await chmod(path, 0o755);
  const url = new URL(databaseUrl);
  const port = await freePort();
  const file = join(path, "pgbouncer.ini");
  await writeFile(file, configText(url, { port, mode }));
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(PROGRAM ?? "pgbouncer", ["-q", file], { stdio: "ignore", ...account });
  parts.defer(async () => stop(child));
  await until(async () => isOpen(port), "PgBouncer to listen");
  url.host = `127.0.0.1:${port}`;
  url.searchParams.delete("host");
  const kept = parts.move();
  return { url: url.href, [Symbol.asyncDispose]: async () => kept.disposeAsync() };
}

const configText = (url: URL, { port, mode }: { readonly port: number; readonly mode: PoolMode }): string => `
[databases]
* = host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`;

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const opened = await Promise.race([
    once(socket, "connect").then(() => true),
    once(socket, "error").then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return opened;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
