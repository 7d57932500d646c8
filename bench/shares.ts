/** What a cycle of sync and render costs by the share of items that changed, compared with the first cycle of the same catalog. */
import { join } from "node:path";
import { openBenchFolder } from "./folder.ts";
import { SHARES } from "./catalog.ts";
import { createSubject, type Cycle, runCycle } from "./cycle.ts";
import { startProgram } from "./program.ts";
import { duration } from "./report.ts";
import { openShop } from "./shop.ts";
import type { Row } from "./table.ts";

export type ShareCost = { readonly share: number; readonly ms: number };
export type ShareCosts = {
  readonly items: number;
  readonly firstMs: number;
  readonly costs: readonly ShareCost[];
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
  const { system, processes } = parts.use(await startProgram(join(root, "data")));
  const subject = await createSubject(system, shop.url);
  const cycle = async (): Promise<Cycle> => runCycle({ system, processes, signal }, subject);
  const first = await cycle();
  const costs: ShareCost[] = [];
  for (const edition of ["blank_column", ...SHARES] as const) {
    shop.show(edition, { hasValidators: true });
    const { stats, wallMs } = await cycle();
    costs.push({ share: stats.upserted / items, ms: wallMs });
  }
  return { items, firstMs: first.wallMs, costs };
}

export function shareRows({ items, firstMs, costs }: ShareCosts): readonly Row[] {
  return costs.map(({ share, ms }) => ({
    what: `${Number((share * 100).toPrecision(1))} % changed, sync and render`,
    items,
    figure: duration(ms),
    against: "the first, in this series",
    reference: duration(firstMs),
    ratios: [ms / firstMs],
    better: "lower",
  }));
}
