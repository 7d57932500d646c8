/**
 * The same catalog through what one would run otherwise: a plain script, and a feed generator from npm. Each is a new
 * process, from its start to its end; ours is the first sync and render of the same size. The others check nothing,
 * store nothing and compress nothing.
 */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { catalogCsv } from "./catalog.ts";
import { duration, megabytes } from "./report.ts";
import type { Measured } from "./size.ts";
import { median } from "./statistics.ts";
import type { Row } from "./table.ts";

const PEERS = join(import.meta.dirname, "peers");
const INSTALL_MS = 120_000;

type Peer = { readonly name: string; readonly script: string; readonly result: string };
type Cost = { readonly ms: number; readonly peakMb: number };

const SCRIPT: Peer = { name: "a script with csv-parse", script: "plain-script.ts", result: "jsonld.json" };
const GENERATOR: Peer = {
  name: "google-merchant-feed (npm), one file",
  script: "feed-generator.ts",
  result: "feed.xml",
};

export async function measurePeers(
  sizes: readonly Measured[],
  talk: (text: string) => void,
): Promise<readonly Row[]> {
  const dir = await mkdtemp(join(tmpdir(), "shelfwire-bench-"));
  try {
    const peers = (await install(dir)) ? [SCRIPT, GENERATOR] : [SCRIPT];
    if (peers.length === 1) talk("peers: google-merchant-feed cannot be installed");
    const rows: Row[] = [];
    for (const size of sizes) {
      const source = join(dir, "source.csv");
      await pipeline(Readable.from(catalogCsv(size.items, "first")), createWriteStream(source));
      for (const peer of peers) {
        const cost = await run(peer, source, dir).catch(() => null);
        if (cost) rows.push(...peerRows(size, peer, cost));
        else talk(`peers: ${peer.name} fails with ${size.items} items`);
      }
    }
    return rows;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Into the temporary folder: the benchmark's dependencies are not those of the program. */
async function install(dir: string): Promise<boolean> {
  await writeFile(join(dir, "package.json"), "{}");
  const options = { cwd: dir, timeout: INSTALL_MS };
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "google-merchant-feed@0.1.2"];
  return promisify(execFile)("npm", install, options).then(
    () => true,
    () => false,
  );
}

async function run({ script, result }: Peer, source: string, dir: string): Promise<Cost> {
  const began = performance.now();
  const child = fork(join(PEERS, script), [source, dir], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const said = once(child, "message") as Promise<[number]>;
  const [status] = (await once(child, "exit")) as [number | null];
  const ms = performance.now() - began;
  if (status !== 0) throw new Error(`${script} failed`);
  await stat(join(dir, result));
  const [peakMb] = await said;
  return { ms, peakMb };
}

function peerRows({ items, rounds, memory }: Measured, { name }: Peer, { ms, peakMb }: Cost): Row[] {
  const times = rounds.map(({ first }) => first.wallMs);
  return [
    {
      what: "file to four feeds, beside other programs",
      items,
      figure: duration(median(times)),
      against: name,
      reference: duration(ms),
      ratios: times.map((own) => own / ms),
      better: "lower",
    },
    ...(memory
      ? [
          {
            what: "peak memory, beside other programs",
            items,
            figure: megabytes(memory.serverMb + memory.workerMb),
            against: name,
            reference: megabytes(peakMb),
            ratios: [(memory.serverMb + memory.workerMb) / peakMb],
            better: "lower" as const,
          },
        ]
      : []),
  ];
}
