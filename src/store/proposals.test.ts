/**
 * Proposals in the database: sums that are always right, rows that are written only when they differ, writers that take
 * turns.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closeAfterTests } from "../../test/close-after.ts";
import { freshDb } from "../../test/fresh.ts";
import { newId } from "../lib/id.ts";
import type { ProposalState } from "../contract/proposals.ts";
import { insertCatalog } from "./catalogs.ts";
import { countProposals, listProposalGroups } from "./proposal-lists.ts";
import { decideProposals, inSteps, listChosen, undoStep } from "./proposal-decisions.ts";
import { lockProposals, markStale, type NewProposal, saveProposals } from "./proposals.ts";
import { cases } from "../../test/long.ts";

const db = closeAfterTests(await freshDb());

async function newCatalog(): Promise<string> {
  const id = newId();
  const token = Buffer.from(id);
  await insertCatalog(db, {
    id,
    slug: `shop-${id}`,
    name: "Shop",
    settings: {},
    feedTokenHash: token,
    feedTokenEncrypted: token,
  });
  return id;
}

const proposal = (itemId: string, value: string, more: Partial<NewProposal> = {}): NewProposal => ({
  id: newId(),
  itemId,
  field: "brand",
  value,
  current: null,
  sourceHash: Buffer.alloc(16),
  extractor: "brand",
  version: 1,
  evidence: [{ field: "title", from: 0, to: 4, text: "Acme" }],
  siblingId: null,
  confidence: 0.9,
  isGrounded: true,
  isGenerated: false,
  rule: null,
  gain: 0.1,
  groupKey: Buffer.from(value.padEnd(16)),
  ...more,
});

const rowsOf = async (catalogId: string) =>
  db.query<{ id: string; version: string }>({
    text: "select id, xmin::text || ctid::text as version from proposals where catalog_id = $1 order by item_id",
    values: [catalogId],
  });

const save = async (catalogId: string, proposals: readonly NewProposal[]): Promise<void> =>
  db.tx(async (tx) => {
    await lockProposals(tx, catalogId);
    await saveProposals(tx, { catalogId, runId: newId() }, proposals);
  });

test("a proposal that is found again is written only if it differs", async () => {
  const catalogId = await newCatalog();
  const found = [proposal("a", "Acme"), proposal("b", "Acme"), proposal("c", "Kiln")];
  await save(catalogId, found);
  const before = await rowsOf(catalogId);

  await save(
    catalogId,
    found.map((one) => ({ ...one, id: newId() })),
  );
  const same = await rowsOf(catalogId);
  await save(catalogId, [{ ...(found[1] ?? assert.fail()), gain: 0.2 }]);
  const changed = await rowsOf(catalogId);

  assert.deepEqual(same, before);
  assert.deepEqual(
    changed.map(({ version }, at) => version === before[at]?.version),
    [true, false, true],
  );
});

test("what is not proposed any more for the items that were read again is stale, and nothing else", async () => {
  const catalogId = await newCatalog();
  await save(catalogId, [
    proposal("a", "Acme"),
    proposal("b", "Acme"),
    proposal("c", "Acme"),
    proposal("b", "Blue", { field: "color", extractor: "color" }),
  ]);

  const stale = await markStale(db, catalogId, {
    itemIds: ["a", "b"],
    extractors: ["brand"],
    proposals: [proposal("a", "Acme")],
  });

  assert.equal(stale, 1);
  assert.deepEqual(await countProposals(db, catalogId), { pending: 3, stale: 1 });
});

const STATES = ["pending", "approved", "rejected", "stale", "conflicted", "retired"] as const;
const anyProposals = fc.array(
  fc.record({
    item: fc.constantFrom("a", "b", "c"),
    value: fc.constantFrom("Acme", "Kiln"),
    gain: fc.constantFrom(0, 0.1, 1 / 3),
    isGrounded: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant("save" as const), found: anyProposals }),
  fc.record({ kind: fc.constant("state" as const), at: fc.nat(5), to: fc.constantFrom(...STATES) }),
  fc.record({ kind: fc.constant("delete" as const), item: fc.constantFrom("a", "b", "c") }),
  fc.record({
    kind: fc.constantFrom("decide" as const, "undo" as const),
    value: fc.constantFrom("Acme", "Kiln"),
  }),
);

test("whatever is written, the sums of groups and states are those of the proposals", async () => {
  const run = async (text: string, ...values: readonly unknown[]) => db.query({ text, values });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 12 }), async (steps) => {
      const catalogId = await newCatalog();
      let decisionId = newId();
      for (const step of steps) {
        if (step.kind === "save")
          await save(catalogId, [
            ...new Map(
              step.found.map(({ item, value, ...more }) => [`${item} ${value}`, proposal(item, value, more)]),
            ).values(),
          ]);
        if (step.kind === "state")
          await run(
            `update proposals set state = $2
              where id = (select id from proposals where catalog_id = $1 order by id offset $3 limit 1)
                and ($2 not in ('approved', 'conflicted') or not exists (
                  select from proposals o where o.catalog_id = $1 and o.item_id = proposals.item_id
                     and o.state in ('approved', 'conflicted')))`,
            catalogId,
            step.to,
            step.at,
          );
        if (step.kind === "delete")
          await run("delete from proposals where catalog_id = $1 and item_id = $2", catalogId, step.item);
        if (step.kind === "decide") {
          decisionId = newId();
          const group = Buffer.from(step.value.padEnd(16)).toString("hex");
          const decision = { keyId: null, reason: null, version: null, decisionId };
          const from: readonly ProposalState[] = ["pending"];
          for (const ids of inSteps(await listChosen(db, catalogId, { group }, from)))
            await decideProposals(db, catalogId, ids, { from, to: "rejected", ...decision });
        }
        if (step.kind === "undo") await undoStep(db, catalogId, { decisionId, version: null });
      }

      const kept = await run(
        `select state, encode(group_key, 'hex') as key, field, items, gain::text, ungrounded, generated
           from proposal_groups where catalog_id = $1 order by state, key`,
        catalogId,
      );
      const counted = await run(
        `select state, encode(group_key, 'hex') as key, min(field) as field, count(*) as items, sum(gain::numeric)::text as gain,
                count(*) filter (where not is_grounded) as ungrounded, count(*) filter (where is_generated) as generated
           from proposals where catalog_id = $1 group by state, group_key order by state, key`,
        catalogId,
      );
      const asNumbers = (rows: readonly unknown[]) =>
        (rows as readonly { gain: string }[]).map((row) => ({ ...row, gain: Number(row.gain) }));
      assert.deepEqual(asNumbers(kept), asNumbers(counted));
      const byState = await run(
        "select state, count(*) as items from proposals where catalog_id = $1 group by state",
        catalogId,
      );
      assert.deepEqual(
        await countProposals(db, catalogId),
        Object.fromEntries(
          (byState as readonly { state: string; items: number }[]).map(({ state, items }) => [state, items]),
        ),
      );
    }),
    { numRuns: cases(30) },
  );
});

test("groups come in order of their points, page after page", async () => {
  const catalogId = await newCatalog();
  await save(
    catalogId,
    Array.from({ length: 9 }, (_, at) => proposal(`i${at}`, `B${at}`, { gain: (at % 4) / 3 })),
  );
  const all = await listProposalGroups(db, catalogId, { state: "pending", limit: 100 });

  const paged = [];
  for (let after = undefined as (typeof all)[number] | undefined; ; ) {
    const page = await listProposalGroups(db, catalogId, { state: "pending", after, limit: 2 });
    paged.push(...page);
    after = page.at(-1);
    if (after === undefined) break;
  }

  assert.deepEqual(paged, all);
  assert.equal(all.length, 9);
  const gains = all.map(({ gain }) => gain);
  assert.deepEqual(
    gains,
    gains.toSorted((a, b) => b - a),
  );
});

test("writers in any order of items wait for each other, and none fails", async () => {
  const catalogId = await newCatalog();
  const items = Array.from({ length: 40 }, (_, at) => `i${at}`);
  const found = items.map((item) => proposal(item, item));
  await save(catalogId, found);

  const rounds = Array.from({ length: 6 }, async (_, at) => {
    const order = at % 2 === 0 ? found : found.toReversed();
    for (const one of order.slice(0, 10))
      await db.tx(async (tx) => {
        await lockProposals(tx, catalogId);
        await saveProposals(tx, { catalogId, runId: newId() }, [{ ...one, gain: at }]);
        await saveProposals(tx, { catalogId, runId: newId() }, [
          { ...(found[(at * 7) % 40] ?? one), gain: at + 0.5 },
        ]);
      });
  });

  await Promise.all(rounds);
  assert.deepEqual(await countProposals(db, catalogId), { pending: 40 });
});

test("a catalog can be deleted with its proposals", async () => {
  const catalogId = await newCatalog();
  await save(catalogId, [proposal("a", "Acme"), proposal("b", "Other")]);
  await db.execute({ text: "delete from catalogs where id = $1", values: [catalogId] });
  assert.deepEqual(await rowsOf(catalogId), []);
});
