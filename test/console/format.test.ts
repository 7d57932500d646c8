/** Times as people read them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRelative } from "../../console/src/format.ts";
import { proposalsText } from "../../console/src/messages/proposals.ts";
import { PROPOSABLE_FIELDS } from "../../src/contract/propose-value.ts";
import { proposableField } from "../../src/enrich/overlays.ts";
import { EXTRACTORS } from "../../src/enrich/extractors/registry.ts";

const NOW = Date.parse("2026-11-16T12:00:00.000Z");
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];
const relative = (seconds: number) => formatRelative(new Date(NOW + seconds * 1_000).toISOString(), NOW);

test("relative times are rounded to the nearest unit, in both directions", () => {
  const cases: readonly (readonly [number, string])[] = [
    [6 * HOUR - 2, "in 6 hours"],
    [5.6 * HOUR, "in 6 hours"],
    [5.4 * HOUR, "in 5 hours"],
    [-90 * MINUTE - 1, "2 hours ago"],
    [-59.9 * MINUTE, "1 hour ago"],
    [-23.8 * HOUR, "1 day ago"],
    [-59.8, "1 minute ago"],
    [-45, "45 seconds ago"],
    [4, "just now"],
    [90 * DAY - 1, "in 3 months"],
    [30 * DAY - 1, "in 1 month"],
    [7 * DAY - 1, "in 1 week"],
    [360 * DAY, "in 1 year"],
  ];
  for (const [seconds, text] of cases) assert.equal(relative(seconds), text, String(seconds));
});

test("the filter of proposals has the fields that values are proposed for, by their names in the API", () => {
  const named = Object.keys(proposalsText.fields);
  for (const field of [...PROPOSABLE_FIELDS, ...EXTRACTORS.flatMap(({ fields }) => fields)])
    assert.ok(named.includes(field), `${field} has no name`);
  for (const field of named) assert.equal(proposableField(field)?.name, field);
});
