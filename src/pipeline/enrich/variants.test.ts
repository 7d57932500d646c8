/** The limit of how many variants of a product rules compare. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../../test/fresh.ts";
import { minimalItem } from "../../../test/item.ts";
import { seedCatalog } from "../../../test/seed.ts";
import type { Rule } from "../../contract/rules.ts";
import { storeItems } from "../render/stored-items.fixture.ts";
import { ruleProblems } from "./rules.ts";
import { loadVariants, MAX_VARIANTS } from "./variants.ts";

const variants = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    minimalItem({ id: `v-${String(at).padStart(4, "0")}`, groupId: "giant" }),
  );

const COMPARES: Rule = {
  name: "Cheapest variant only",
  when: { all: [{ field: "is_cheapest_variant", operator: "is", value: false }] },
  action: { type: "exclude" },
};
const OTHER: Rule = { name: "Condition", action: { type: "default", field: "condition", value: "new" } };

test("variants are compared up to the limit; beyond it none are, and the rules that compare them say so", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const all = variants(MAX_VARIANTS + 1);
  const problems = async () => ruleProblems(db, catalogId, { rules: [OTHER, COMPARES] });
  const comparedWith = async () => {
    const [first] = all;
    assert.ok(first);
    return (await loadVariants(db, catalogId, [first]))(first)?.length;
  };

  await storeItems(db, catalogId, all.slice(0, MAX_VARIANTS));
  assert.equal(await comparedWith(), MAX_VARIANTS);
  assert.deepEqual(await problems(), []);

  await storeItems(db, catalogId, all);
  assert.equal(await comparedWith(), 0);
  const [problem, ...others] = await problems();
  assert.deepEqual(others, []);
  assert.deepEqual([problem?.rule, problem?.code], [1, "group_too_large"]);
  assert.match(problem?.message ?? "", /^The product "giant" has more than 2,000 variants\./);
});
