/**
 * Measures the disk space of an audit's findings and the cost of their queries: a million items with five findings
 * each, and a tenth without findings. Prints Markdown.
 */
import type { Db } from "../src/store/db.ts";
import { listFindings, openVerdictStaging, replaceVerdicts } from "../src/store/verdicts.ts";
import { withOwnDatabase } from "./own-database.ts";
import { type Randomness, randomness } from "./randomness.ts";

const ITEMS = 1_000_000;
const RULES = 56;
const CATALOG = { id: "01900000-0000-7000-8000-000000000001", number: 1 };

async function fill(db: Db): Promise<number> {
  const random = randomness(7);
  const began = performance.now();
  await db.session(async (session) => {
    const staging = await openVerdictStaging(session, CATALOG.number);
    for (let i = 0; i < ITEMS; i += 1) {
      const rules = i % 10 === 0 ? [] : fiveOf(random);
      const full = staging.add(`sku-${1_000_000 + i}`, rules.length > 0 ? verdictOf(rules) : null, rules);
      if (full) await full;
    }
    await staging.finish([]);
    await session.tx(async (tx) => replaceVerdicts(tx, CATALOG.id, "all"));
  });
  return performance.now() - began;
}

/** The square makes low rule numbers frequent. */
function fiveOf({ below }: Randomness): number[] {
  const rules = new Set<number>();
  while (rules.size < 5) rules.add(1 + Math.floor((below(1_000) / 1_000) ** 2 * RULES));
  return [...rules].sort((a, b) => a - b);
}

function verdictOf(rules: readonly number[]): Uint8Array {
  return Uint8Array.from([90, ...rules.flatMap((rule) => [rule, 0x36])]);
}

async function sizes(db: Db): Promise<Readonly<Record<string, number>>> {
  await db.execute({ text: "vacuum analyze verdicts", values: [] });
  const [row] = await db.query<Record<string, number>>({
    text: `select pg_relation_size('verdicts')::float8 as rows, pg_relation_size('verdicts_pkey')::float8 as key,
                  pg_relation_size('verdicts_by_rule')::float8 as "by rule",
                  pg_total_relation_size('verdicts')::float8 as "in all"`,
    values: [],
  });
  return row ?? {};
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

await withOwnDatabase(async (db) => {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  print(`${ITEMS} items staged and merged in ${((await fill(db)) / 1_000).toFixed(1)} s\n`);
  print("| part | MB | bytes an item |\n|---|---|---|");
  for (const [part, bytes] of Object.entries(await sizes(db))) {
    print(`| ${part} | ${(bytes / 1e6).toFixed(0)} | ${(bytes / ITEMS).toFixed(0)} |`);
  }
  print("\n| page of 100 findings | ms |\n|---|---|");
  for (const [what, rules] of Object.entries({
    "any rule": null,
    "a frequent rule": [1],
    "a rare rule": [RULES],
  })) {
    for (const from of ["", "sku-1900000"]) {
      const ms = await timed(async () => listFindings(db, CATALOG, { rules, from, limit: 100 }));
      print(`| ${what}${from === "" ? "" : ", near the end"} | ${ms.toFixed(1)} |`);
    }
  }
});
