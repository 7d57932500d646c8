/**
 * Feed URLs beside nginx and a bare Node.js server, which serve the same bytes, in turns: unchanged files (304) on few
 * and on many connections, and whole files. On a machine with two cores the load generator has one of them.
 */
import { chmod, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openBenchFolder } from "./folder.ts";
import { startBareServer } from "./bare-server.ts";
import { createSubject, runCycle } from "./cycle.ts";
import { generateLoad, type Load, type Rate } from "./load-generator.ts";
import { startNginx } from "./nginx.ts";
import { type Program, startProgram } from "./program.ts";
import { openShop } from "./shop.ts";
import { median } from "./statistics.ts";
import { markdownTable, number, type Row, type Target } from "./table.ts";

export type ServingOptions = {
  readonly rounds: number;
  readonly ms: number;
  readonly items: number;
  readonly signal: AbortSignal;
  readonly talk: (text: string) => void;
};

type Case = Pick<Load, "client" | "connections" | "status"> & {
  readonly what: string;
  readonly target?: Target | undefined;
  readonly figureOf: (rate: Rate) => number;
  readonly show: (figure: number) => string;
};

const unchanged = {
  client: "undici",
  status: 304,
  target: { sign: "≥", value: 0.5 },
  figureOf: ({ answersPerS }: Rate) => answersPerS,
  show: (figure: number) => `${number(figure)}/s`,
} as const;
const whole = {
  client: "undici",
  status: 200,
  connections: 16,
  target: { sign: "≥", value: 0.8 },
  figureOf: ({ bytesPerS }: Rate) => bytesPerS / 1e6,
  show: (figure: number) => `${number(figure)} MB/s`,
} as const;
/** Without a target: no server in JavaScript gets as far as nginx. */
const raw = { client: "raw", target: undefined } as const;

const CASES: readonly Case[] = [
  { what: "feed URL, unchanged (304), 10 connections", connections: 10, ...unchanged },
  { what: "feed URL, unchanged (304), 50 connections", connections: 50, ...unchanged },
  { what: "feed URL, unchanged (304), 500 connections", connections: 500, ...unchanged },
  { what: "feed URL, the whole file, 16 connections", ...whole },
  { what: "… unchanged, 50 raw connections", connections: 50, ...unchanged, ...raw },
  { what: "… the whole file, 16 raw connections", ...whole, ...raw },
];

const WARM_UP = { client: "raw", connections: 10, status: 304, ms: 500 } as const;
const FILE = "acp.csv";

/** A server, and where it has the file. */
type Server = { readonly name: string; readonly port: number; readonly path: string; readonly etag: string };

export async function measureServing(options: ServingOptions): Promise<readonly Row[]> {
  const { items, signal, talk } = options;
  await using parts = new AsyncDisposableStack();
  const { root, dir } = parts.use(await openBenchFolder());
  const www = join(root, "www");
  await mkdir(www);
  talk(`serving: publishing ${number(items)} items`);
  const shop = parts.use(await openShop(dir, items));
  const program = parts.use(await startProgram(join(root, "data")));
  const { path, file } = await publish(program, { shop: shop.url, signal, dataDir: join(root, "data") });
  const copy = join(www, "feed");
  await copyFile(file, copy);
  await chmod(copy, 0o644);

  const ours = await serverOf("Shelfwire", Number(new URL(program.url).port), path);
  const bare = parts.use(await startBareServer(copy));
  const nginx = await startNginx(copy, dir);
  if (nginx) parts.use(nginx);
  else talk("serving: nginx cannot be downloaded; only a bare Node.js server is beside it");
  const others = [
    ...(nginx ? [await serverOf("nginx", nginx.port, "/feed")] : []),
    await serverOf("a bare Node.js server", bare.port, "/feed"),
  ];
  for (const { port, path, etag } of [ours, ...others])
    await generateLoad({ port, path, headers: { "if-none-match": etag }, ...WARM_UP });
  const rows: Row[] = [];
  for (const each of CASES) rows.push(...(await compareServers(each, ours, others, options)));
  return rows;
}

async function compareServers(
  each: Case,
  ours: Server,
  others: readonly Server[],
  { rounds, ms, signal, talk }: ServingOptions,
): Promise<readonly Row[]> {
  const { what, client, connections, status, target, figureOf, show } = each;
  const measure = async ({ port, path, etag }: Server): Promise<number> => {
    signal.throwIfAborted();
    const headers = { "accept-encoding": "identity", ...(status === 304 && { "if-none-match": etag }) };
    return figureOf(await generateLoad({ port, path, headers, client, connections, ms, status }));
  };
  const measured: { ours: number; others: number[] }[] = [];
  while (measured.length < rounds) {
    const figures = { ours: await measure(ours), others: [] as number[] };
    for (const other of others) figures.others.push(await measure(other));
    measured.push(figures);
    talk(
      `${what}: ${show(figures.ours)}, ${others.map(({ name }, i) => `${name} ${show(figures.others[i] ?? 0)}`).join(", ")}`,
    );
  }
  return others.map(({ name }, i) => ({
    what,
    items: null,
    figure: show(median(measured.map((round) => round.ours))),
    against: name,
    reference: show(median(measured.map((round) => round.others[i] ?? 0))),
    ratios: measured.map((round) => round.ours / (round.others[i] ?? 0)),
    better: "higher",
    ...(name === "nginx" && target && { target }),
  }));
}

async function serverOf(name: string, port: number, path: string): Promise<Server> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "HEAD",
    headers: { "accept-encoding": "identity" },
  });
  const etag = answer.headers.get("etag");
  if (answer.status !== 200 || etag === null) throw new Error(`${name} answered ${answer.status}`);
  return { name, port, path, etag };
}

/** The path of the first feed URL, and its file on disk. */
async function publish(
  { system, processes, url }: Program,
  { shop, signal, dataDir }: { shop: string; signal: AbortSignal; dataDir: string },
): Promise<{ readonly path: string; readonly file: string }> {
  const subject = await createSubject(system, shop);
  const { files } = await runCycle({ system, processes, signal }, subject);
  const answer = await fetch(`${url}/api/v1/feeds`, { headers: { authorization: `Bearer ${subject.key}` } });
  const { data } = (await answer.json()) as { data: { feeds: { file: string; url: string }[] } };
  const feed = data.feeds.find(({ file }) => file === FILE);
  const stored = files.find(({ file }) => file === FILE);
  if (!feed || !stored) throw new Error("nothing was published");
  return {
    path: new URL(feed.url).pathname,
    file: join(dataDir, "feeds", subject.catalogId, stored.folder, FILE),
  };
}

if (import.meta.main) {
  const rows = await measureServing({
    rounds: 3,
    ms: 2_000,
    items: 20_000,
    signal: new AbortController().signal,
    talk: (text) => process.stderr.write(`${text}\n`),
  });
  process.stdout.write(markdownTable(rows));
}
