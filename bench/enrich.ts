/**
 * `node bench/enrich.ts [--items 1000000]`: a large catalog with a proposal for every item, of which one group of a
 * tenth is approved at once. Measures how long lists, the approval and its run take, what the API answers meanwhile,
 * and the memory of the processes.
 */
import { parseArgs } from "node:util";
import { encodeItem, type Item } from "../src/catalog/item.ts";
import { basisHash } from "../src/enrich/basis.ts";
import { proposableField } from "../src/enrich/overlays.ts";
import { newId } from "../src/lib/id.ts";
import { groupKeyOf } from "../src/pipeline/enrich/new-proposal.ts";
import { waitForRun } from "../src/pipeline/requests.ts";
import type { Db } from "../src/store/db.ts";
import { lockProposals, type NewProposal, saveProposals } from "../src/store/proposals.ts";
import { createSubject } from "./cycle.ts";
import { openBenchFolder } from "./folder.ts";
import { startProgram } from "./program.ts";
import { percentile } from "./statistics.ts";

const { values } = parseArgs({ options: { items: { type: "string", default: "20000" } } });
const items = Number(values.items);
/** Items that get the same brand by one decision. */
const branded = Math.floor(items / 10);
const BATCH = 5_000;

const itemOf = (at: number): Item => ({
  id: `item-${String(at).padStart(8, "0")}`,
  title: `Acme stoneware mug number ${at} for coffee and tea`,
  description: `A mug of glazed stoneware, made by hand in small batches, number ${at}. `.repeat(6),
  link: `https://shop.example/p/${at}`,
  images: [`https://shop.example/i/${at}.jpg`],
  price: { amount: "19.50", currency: "USD" },
  availability: "in_stock",
  categories: [["Home", "Kitchen", "Mugs"]],
});

function proposalOf(item: Item, field: "brand" | "mpn", value: string): NewProposal {
  const known = proposableField(field);
  if (!known) throw new Error(`no field ${field}`);
  const evidence = [{ field: "title", from: 0, to: 4, text: "Acme" }];
  const draft = { extractor: field, field, value };
  return {
    ...draft,
    id: newId(),
    itemId: item.id,
    current: null,
    sourceHash: basisHash(item, known, { evidence, siblingBody: null }),
    version: 1,
    evidence,
    siblingId: null,
    confidence: 0.9,
    isGrounded: true,
    isGenerated: false,
    rule: "brand",
    gain: field === "brand" ? 4 : 1,
    groupKey: groupKeyOf(draft),
  };
}

/** As a sync would store them, without its reading. */
async function fill(db: Db, catalogId: string): Promise<void> {
  for (let from = 0; from < items; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, items - from) }, (_, at) => itemOf(from + at));
    const encoded = batch.map(encodeItem);
    await db.execute({
      text: `insert into items (catalog_id, id, fingerprint, sort_key, body)
             select $1, i.id, decode(i.fingerprint, 'hex'), i.id, i.body
               from unnest($2::text[], $3::text[], $4::text[]) as i (id, fingerprint, body)`,
      values: [
        catalogId,
        batch.map(({ id }) => id),
        encoded.map(({ fingerprint }) => fingerprint),
        encoded.map(({ body }) => body),
      ],
    });
    const proposals = batch.map((item, at) =>
      from + at < branded ? proposalOf(item, "brand", "Acme") : proposalOf(item, "mpn", `M-${from + at}`),
    );
    await db.tx(async (tx) => {
      await lockProposals(tx, catalogId);
      await saveProposals(tx, { catalogId, runId: null }, proposals);
    });
  }
  const text = "update catalogs set item_count = $2, snapshot = 1 where id = $1";
  await db.execute({ text, values: [catalogId, items] });
  await db.execute({ text: "analyze", values: [] });
}

await using folder = await openBenchFolder();
await using program = await startProgram(folder.root);
const { system, url, processes } = program;
const { catalogId, key } = await createSubject(system, "http://127.0.0.1:9/never");
const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const began = performance.now();
  const result = await work();
  process.stdout.write(`${name}: ${Math.round(performance.now() - began)} ms\n`);
  return result;
};

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      prefer: "respond-async",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}

type Group = {
  readonly group: string;
  readonly items: number;
  readonly examples: readonly { readonly id: string }[];
};
const RULES = {
  rules: [{ name: "Condition", action: { type: "default", field: "condition", value: "new" } }],
};

await timed(`${items} items and proposals stored`, async () => fill(system.db, catalogId));
const { groups } = (await timed("first page of groups", async () => call("GET", "/proposals"))) as {
  readonly groups: readonly Group[];
};
await timed("first page of groups of one field", async () => call("GET", "/proposals?field=mpn"));
await timed("first page of proposals", async () => call("GET", "/proposals/items?state=pending"));
const [group] = groups;
if (group?.items !== branded) throw new Error("the largest group is another one");
const last = groups.at(-1)?.examples[0]?.id;
const others = groups.slice(1, 40).flatMap(({ examples }) => examples.map(({ id }) => id));

const done = new AbortController();
let failed = 0;
const latencies = new Map<string, number[]>();
/** One call after the other, until the run has ended. */
async function watch(name: string, pauseMs: number, ask: () => Promise<unknown>): Promise<void> {
  const all: number[] = [];
  latencies.set(name, all);
  while (!done.signal.aborted) {
    const began = performance.now();
    await ask().catch((error: unknown) => {
      failed += 1;
      process.stdout.write(`${String(error)}\n`);
    });
    all.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const watching = [
  watch("GET /feeds", 20, async () => call("GET", "/feeds")),
  watch("GET /proposals", 100, async () => call("GET", "/proposals?limit=20")),
  watch("approval of another item", 500, async () => {
    const id = others.pop();
    // An approval of the same proposal again is answered too, and takes its turn like any other.
    await call("POST", "/proposals/approve", { ids: [id ?? last] });
  }),
];
const decided = (await timed(`approval of ${branded}`, async () =>
  call("POST", "/proposals/approve", { group: group.group, expected: group.items }),
)) as { readonly run_id: string; readonly decision_id: string };
const waiting = { db: system.db, notices: system.notices, signal: AbortSignal.timeout(3_600_000) };
const applied = timed("its run", async () => waitForRun(waiting, decided.run_id));
await timed("rules saved meanwhile", async () => call("PUT", "/rules", RULES));
await applied;
done.abort();
await Promise.all(watching);
const undone = (await timed(`undo of ${branded}`, async () =>
  call("POST", "/proposals/withdraw", { decision_id: decided.decision_id }),
)) as { readonly run_id: string };
await timed("its run", async () => waitForRun(waiting, undone.run_id));

for (const [name, all] of latencies)
  process.stdout.write(
    `${name}: ${all.length} calls, p50 ${percentile(all, 0.5).toFixed(0)} ms, p99 ${percentile(all, 0.99).toFixed(0)} ms, longest ${Math.max(...all).toFixed(0)} ms\n`,
  );
const peak = await processes.peakMemory();
process.stdout.write(`failed calls: ${failed}\n`);
process.stdout.write(`peak memory: ${JSON.stringify(peak)}\n`);
