/**
 * What a cycle of sync and render costs by the share of items that changed, compared with the first cycle of the same
 * catalog.
 */
import { join } from "node:path";
import { openBenchFolder } from "./folder.ts";
import { SHARES } from "./catalog.ts";
import { createSubject, type Cycle, runCycle } from "./cycle.ts";
import { startProgram } from "./program.ts";
import { median } from "./statistics.ts";
import type { System } from "../src/cli/system.ts";
import { waitForRun } from "../src/pipeline/requests.ts";
import { findRunCausedBy } from "../src/store/runs.ts";
import { duration } from "./report.ts";
import { openShop } from "./shop.ts";
import type { Row } from "./table.ts";

export type ShareCost = { readonly share: number; readonly ms: number };
export type ShareCosts = {
  readonly items: number;
  readonly firstMs: number;
  readonly costs: readonly ShareCost[];
  /** From a `PATCH` with one item until it is in all published files. */
  readonly pushMs: number;
};

export async function measureShares(
  items: number,
  signal: AbortSignal,
  talk: (text: string) => void,
): Promise<ShareCosts> {
  await using parts = new AsyncDisposableStack();
  const { root, dir } = parts.use(await openBenchFolder());
  talk(`${items} items: the cost by the share of changed items`);
  const shop = parts.use(await openShop(dir, items, ["first", "blank_column", ...SHARES]));
  const { system, processes, url } = parts.use(await startProgram(join(root, "data")));
  const subject = await createSubject(system, shop.url);
  const cycle = async (): Promise<Cycle> => runCycle({ system, processes, signal }, subject);
  const first = await cycle();
  const costs: ShareCost[] = [];
  for (const edition of ["blank_column", ...SHARES] as const) {
    shop.show(edition, { hasValidators: true });
    const { stats, wallMs } = await cycle();
    costs.push({ share: stats.upserted / items, ms: wallMs });
  }
  const pushes: number[] = [];
  for (let round = 0; round < PUSHES; round += 1)
    pushes.push(await pushOne({ system, url, key: subject.key, signal }, round));
  return { items, firstMs: first.wallMs, costs, pushMs: median(pushes) };
}

const PUSHES = 3;

type Pushing = {
  readonly system: System;
  readonly url: string;
  readonly key: string;
  readonly signal: AbortSignal;
};

async function pushOne({ system, url, key, signal }: Pushing, round: number): Promise<number> {
  const { db, notices } = system;
  const product = {
    id: "pushed",
    title: "A pushed lamp",
    link: "https://shop.example/pushed",
    price: `${round + 1}.00 USD`,
  };
  const began = performance.now();
  const answer = await fetch(`${url}/api/v1/catalog`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify([product]),
    signal,
  });
  const { data } = (await answer.json()) as { data?: { run_id: string } };
  const render = data && (await findRunCausedBy(db, data.run_id));
  if (!render) throw new Error(`the push was answered with ${answer.status}, and no render`);
  const { state } = await waitForRun({ db, notices, signal }, render.id);
  if (state !== "succeeded") throw new Error(`the render after the push is ${state}`);
  return performance.now() - began;
}

export function shareRows({ items, firstMs, costs, pushMs }: ShareCosts): readonly Row[] {
  const row = (what: string, ms: number): Row => ({
    what,
    items,
    figure: duration(ms),
    against: "the first, in this series",
    reference: duration(firstMs),
    ratios: [ms / firstMs],
    better: "lower",
  });
  return [
    ...costs.map(({ share, ms }) =>
      row(`${Number((share * 100).toPrecision(1))} % changed, sync and render`, ms),
    ),
    row("one item pushed, until it is in all files", pushMs),
  ];
}
