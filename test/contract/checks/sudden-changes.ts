/** Every sudden change at several sizes, and plain catalogs: what a successful sync brings is in all four files. */
import { FORMATS, plainRows } from "../catalogs.ts";
import type { Format } from "../catalogs.ts";
import { CHANGES } from "../changes.ts";
import type { Check } from "../check.ts";
import { openScenario } from "../scenario.ts";
import { createSemaphore } from "../semaphore.ts";
import type { SetUp } from "../set-up.ts";

/** Each size is tried with the least that a catalog may have, and with all fields in one of the two formats. */
const CASES: readonly (readonly [size: number, format: Format])[] = [
  [1, "minimal CSV"],
  [1, "JSON"],
  [3, "minimal CSV"],
  [3, "full CSV"],
  [10, "minimal CSV"],
  [10, "JSON"],
  [24, "minimal CSV"],
  [24, "full CSV"],
  [50, "minimal CSV"],
  [50, "JSON"],
];

/** More at once would only wait for each other: the service runs on a few cores. */
const atMost = createSemaphore(6);

const idOf = (name: string): string =>
  `change-${name
    .replace("×", "times")
    .replace("÷", "divided by")
    .replaceAll(/[^a-zA-Z0-9]+/g, "-")}`.replace(/-$/, "");

type Case = { readonly name: string; readonly run: (setUp: SetUp) => Promise<void> };

function casesOf({ apply }: (typeof CHANGES)[number]): readonly Case[] {
  const cases = CASES.map(([size, format]): Case | null => {
    const before = plainRows(size);
    const after = apply(before);
    // A minimal catalog does not have the fields that some changes are about.
    const isSame = FORMATS[format](after).text === FORMATS[format](before).text;
    if (isSame && after !== before && format === "minimal CSV" && size > 1) return null;
    const run: Case["run"] = async (setUp) =>
      setUp.withCatalog(async (catalog) => {
        const scenario = await openScenario(catalog, format, before);
        await scenario.syncTo(before);
        await scenario.syncTo(after);
      });
    return { name: `${format} of size ${size}`, run };
  });
  const first: Case = {
    name: "first sync of a full CSV of size 50",
    run: async (setUp) =>
      setUp.withCatalog(async (catalog) => {
        const rows = apply(plainRows(50));
        await (await openScenario(catalog, "full CSV", rows)).syncTo(rows);
      }),
  };
  return [...cases.filter((entry) => entry !== null), first];
}

/** All cases are run, so that a failure names every size and format that is concerned. */
async function runCases(cases: readonly Case[], setUp: SetUp): Promise<void> {
  const results = await Promise.allSettled(cases.map(async ({ run }) => atMost(async () => run(setUp))));
  const failures = results.flatMap((result, index) =>
    result.status === "rejected" ? [`${cases[index]?.name}: ${messageOf(result.reason)}`] : [],
  );
  if (failures.length > 0) {
    throw new Error(`${failures.length} of ${cases.length} cases fail:\n  ${failures.join("\n  ")}`);
  }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").slice(0, 500);

export const SUDDEN_CHANGES: readonly Check[] = CHANGES.map((change) => ({
  id: idOf(change.name),
  title: `after "${change.name}" every file has every item`,
  run: async (setUp) => runCases(casesOf(change), setUp),
}));

/** A catalog of each size from 1 to 50 that a small shop may have. */
const PLAIN_SIZES = [1, 2, 3, 5, 10, 24, 25, 50];

export const PLAIN_CATALOGS: readonly Check[] = (Object.keys(FORMATS) as Format[]).map((format) => ({
  id: `plain-${format.toLowerCase().replace(" ", "-")}`,
  title: `a catalog of 1 to 50 items as ${format} is in all four files after its first sync`,
  run: async (setUp) => {
    const cases = PLAIN_SIZES.map((size) => ({
      name: `size ${size}`,
      run: async (using: SetUp) =>
        using.withCatalog(async (catalog) => {
          const rows = plainRows(size);
          await (await openScenario(catalog, format, rows)).syncTo(rows);
        }),
    }));
    await runCases(cases, setUp);
  },
}));
