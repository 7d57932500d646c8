/** A run of the benchmark as a JSON file, to compare it with another one. */
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import type { ShareCosts } from "./shares.ts";
import type { Row } from "./table.ts";

export type BenchResult = {
  readonly at: string;
  readonly node: string;
  readonly cores: number;
  readonly processor: string;
  /** Load before and after: the usual reason when two runs differ. */
  readonly load: readonly number[];
  readonly sizes: readonly SizeCost[];
  readonly shares: ShareCosts | null;
  readonly rows: readonly Row[];
};

/** Microseconds an item, wall time. */
export type SizeCost = { readonly items: number } & Readonly<Record<"sync" | "render" | "changed", number>>;

export const currentLoad = (): number => Number((loadavg()[0] ?? 0).toFixed(1));

export const machine = (): Pick<BenchResult, "at" | "node" | "cores" | "processor"> => ({
  at: new Date().toISOString(),
  node: process.version,
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? "unknown",
});

export async function writeResult(path: string, result: BenchResult): Promise<void> {
  await writeFile(path, `${JSON.stringify(result, null, 1)}\n`);
}

export async function readResult(path: string): Promise<BenchResult> {
  const result = JSON.parse(await readFile(path, "utf8")) as Partial<BenchResult>;
  if (!Array.isArray(result.rows)) throw new Error(`${path} is not a result of the benchmark`);
  return result as BenchResult;
}
