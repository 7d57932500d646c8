/** The tables of docs/publish-guard.md are what the code gives; and its limits are wrong as rarely as the page says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GUARD_SIGNALS } from "../src/contract/publish-guard.ts";
import { LIMITS } from "../src/pipeline/publication/guard/limits.ts";
import { checkSection, table } from "../test/doc-sections.ts";
import { replay } from "./guard-replay/replay.ts";
import { accidentTable, deliberateTable, ordinaryTable } from "./guard-replay/tables.ts";

const PAGE = "docs/publish-guard.md";

test("the page has the limits and their defaults", async () => {
  const rows = GUARD_SIGNALS.map((signal) => {
    const { unit, limit, minItems, description } = LIMITS[signal];
    const value = unit === "share" ? `${Math.round(100 * limit)} %` : `a factor of ${limit}`;
    return [`\`${signal}\``, description, value, String(minItems)];
  });
  await checkSection(
    PAGE,
    "limits",
    table(["Signal", "What is compared", "Limit", "From so many items"], rows),
  );
});

test("a hundred ordinary days cause few false alarms, and whole accidents are held", async () => {
  const result = replay();
  await checkSection(PAGE, "ordinary", ordinaryTable(result));
  await checkSection(PAGE, "accidents", accidentTable(result));
  await checkSection(PAGE, "deliberate", deliberateTable(result));
  const renders = result.daily.reduce((sum, one) => sum + one.renders, 0);
  const alarms = result.daily.reduce((sum, one) => sum + one.falseAlarms, 0);
  assert.ok(alarms <= renders / 200, `${alarms} false alarms in ${renders} renders`);
  for (const { name, held, shops } of result.accidents)
    assert.ok((held[0] ?? 0) >= shops - 2, `${name}: held in ${held[0]} of ${shops} shops`);
});
