/**
 * Joins the server that runs on the data folder, or starts one. Under the lock throughout, so there is never a
 * second one. A running server is used only if it is surely ours, and stopped only if it no longer answers.
 */
import { DatabaseError } from "pg";
import { setTimeout as delay } from "node:timers/promises";
import type { Account } from "./account.ts";
import { makeCluster, readCluster } from "./cluster.ts";
import type { Cluster } from "./cluster.ts";
import { choosePort, writeConnection } from "./connection-file.ts";
import type { Connection } from "./connection-file.ts";
import { embeddedFailure } from "./failure.ts";
import { UNFINISHED_CLUSTER } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { awaitSilence, lastOccupant, occupy } from "./occupancy.ts";
import { awaitReady, clearLeftPidFile, identify, launch, readPidFile, stopPostmaster } from "./postmaster.ts";
import type { LastWords, Postmaster } from "./postmaster.ts";
import { DATABASE, HOST, announce } from "./presence.ts";
import type { Presence } from "./presence.ts";
import { prepareRuntime, sweep } from "./runtime.ts";
import type { Binaries } from "./runtime.ts";

export type House = {
  readonly layout: Layout;
  readonly account: Account;
  readonly binaries: Binaries;
  readonly log: (event: string, fields?: object) => void;
};

export type Server = {
  readonly cluster: Cluster;
  readonly connection: Connection;
  readonly presence: Presence;
};

/** `regain`: the server was lost while in use. It must come back at the same port, and with the same data. */
export type Purpose = { readonly kind: "open" } | { readonly kind: "regain"; readonly port: number };

/**
 * Pauses before each try. A port that was taken in the meantime is chosen anew; the processes of a server that was
 * killed get the time to let go of its shared memory; one that was just being started by a killed process is joined.
 */
const BACKOFF_MS = [0, 100, 300, 1_000, 3_000];

export async function joinOrStart(house: House, purpose: Purpose, signal: AbortSignal): Promise<Server> {
  const { layout, account, binaries, log } = house;
  let lastWords = "";
  for (const [tries, pauseMs] of BACKOFF_MS.entries()) {
    await delay(pauseMs, undefined, { signal });
    const cluster = await readCluster(layout, binaries.major, account);
    const joined = cluster === null ? null : await join(house, cluster, signal);
    const server = joined ?? (await start(house, cluster, { purpose, tries, signal }));
    if ("presence" in server) {
      // A convenience for people; a full disk shows itself elsewhere.
      await writeConnection(layout, server.connection).catch((error: unknown) => {
        log("embedded_database_connection_file_failed", { reason: String(error) });
      });
      return server;
    }
    ({ lastWords } = server);
  }
  throw embeddedFailure(`PostgreSQL did not start. Its last words: ${lastWords} (${layout.log})`);
}

async function join(house: House, cluster: Cluster, signal: AbortSignal): Promise<Server | null> {
  const { layout, log } = house;
  const file = await readPidFile(layout);
  if (file === null) return null;
  const occupant = await lastOccupant(layout);
  if (occupant === "elsewhere") await awaitSilence(layout, { signal });
  const running = occupant === "here" ? await identify(file, layout, cluster) : null;
  if (running === null) {
    await clearLeftPidFile(file, layout);
    return null;
  }
  const server = await joinRunning(house, cluster, running, signal);
  if (server !== null) log("embedded_database_joined", { pid: running.pid, port: running.port });
  return server;
}

/** Null if the server ended, or had to be ended, so that a new one may start. */
async function joinRunning(
  { layout, log }: House,
  cluster: Cluster,
  running: Postmaster,
  signal: AbortSignal,
): Promise<Server | null> {
  if (running.phase === "stopping") {
    await stopPostmaster(running.pid);
    return null;
  }
  const ready = await awaitReady(layout, running.pid, signal);
  if (ready === null) return null;
  try {
    return await enter(cluster, ready.port, signal);
  } catch (error) {
    // A server that answers, even with a refusal, may be at work for others. Only silence condemns it.
    if (error instanceof DatabaseError || signal.aborted) throw error;
    log("embedded_database_unresponsive", { pid: running.pid, reason: String(error) });
    await stopPostmaster(running.pid);
    return null;
  }
}

type Start = { readonly purpose: Purpose; readonly tries: number; readonly signal: AbortSignal };

/** Makes what is missing, the programs and the data, and tries once to start the server. */
async function start(
  house: House,
  existing: Cluster | null,
  { purpose, tries, signal }: Start,
): Promise<Server | LastWords> {
  const { layout, account, binaries, log } = house;
  if (existing === null && purpose.kind === "regain") {
    throw embeddedFailure(`The database folder ${layout.cluster} has been removed.`);
  }
  const began = performance.now();
  await sweep(layout, binaries.version, UNFINISHED_CLUSTER);
  const { initdb, postgres } = await prepareRuntime(binaries, layout, account);
  const cluster = existing ?? (await makeCluster(layout, { initdb, account, signal }));
  const port = purpose.kind === "regain" ? purpose.port : await choosePort(layout, tries);
  await occupy(layout);
  const launched = await launch({ postgres, layout, cluster, account, port, signal });
  if ("lastWords" in launched) return launched;
  const { pid } = launched;
  const server = await enter(cluster, port, signal).catch(async (error: unknown) => {
    await stopPostmaster(pid);
    throw error;
  });
  const durationMs = Math.round(performance.now() - began);
  log("embedded_database_started", { pid, port, isNew: existing === null, durationMs });
  return server;
}

async function enter(cluster: Cluster, port: number, signal: AbortSignal): Promise<Server> {
  const { password } = cluster;
  const presence = await announce({ port, password, signal });
  const login = { host: HOST, port, database: DATABASE, user: DATABASE, password };
  const url = `postgres://${DATABASE}:${password}@${HOST}:${port}/${DATABASE}?sslmode=disable`;
  return { cluster, presence, connection: { url, ...login } };
}
