/** The laws of an assessment: the state is that of the first entry, and entries are ordered by consequence. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { ATTENTION_CODES } from "../../contract/status.ts";
import type { Exceeded, GuardSettings } from "../../contract/publish-guard.ts";
import type { CatalogStatusFacts, FileFacts } from "../../store/status.ts";
import type { OriginFacts } from "../../store/troubled-origins.ts";
import { assess } from "./attention.ts";
import type { StatusFacts } from "./problem.ts";

const NOW = new Date("2026-11-16T12:00:00.000Z");
const ID = "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff";
const EXCEEDED: Exceeded = {
  signal: "price_zero",
  subject: null,
  before: 0,
  after: 30,
  change: 1,
  limit: 0.02,
  message: "30 of 30 items cost nothing.",
};

const UNLIKELY: Exceeded = {
  ...EXCEEDED,
  signal: "same_price",
  message: "30 of 30 items have the same price.",
};

const past = fc.integer({ min: 0, max: 40 * 86_400_000 }).map((ms) => new Date(NOW.getTime() - ms));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const count = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2_000_000 }));
const percent = fc.integer({ min: 0, max: 100 });
const error = fc.record({
  code: fc.constantFrom("source_timeout", "catalog_collapsed", "source_unauthorized", "internal"),
  message: fc.constantFrom("The shop did not answer in time.", ""),
});

const catalog: fc.Arbitrary<CatalogStatusFacts> = fc.record({
  id: fc.constant(ID),
  slug: fc.constant("shop"),
  itemCount: count,
  sourceItems: count,
  restoredAt: maybe(past),
  snapshotAt: past,
  feedTokenEncrypted: fc.constant(Buffer.alloc(0)),
  sources: count,
  openSyncs: count,
  overdue: count,
  overdueSince: maybe(past),
  lastSuccessAt: maybe(past),
  lastSuccessRunId: maybe(fc.constant(ID)),
  renderStartedAt: maybe(past),
  renderFinishedAt: maybe(past),
  failedRenderId: maybe(fc.constant(ID)),
  discardedRunId: maybe(fc.constant(ID)),
  failedRenderAt: maybe(past),
  failedRenderError: maybe(error),
  discardedAt: maybe(past),
  discardReason: maybe(fc.constant("Wrong prices.")),
  hasUnpublished: fc.boolean(),
  heldRunId: maybe(fc.constant(ID)),
  heldSince: maybe(past),
  heldExceeded: maybe(fc.constant([])),
  publishedLimits: maybe(
    fc.record({
      exceeded: fc.constantFrom([], [EXCEEDED], [UNLIKELY]),
      since: fc.constant(NOW.toISOString()),
    }),
  ),
  publishedRunId: maybe(fc.constant(ID)),
  publishGuard: fc.constant({}),
  pausedAt: maybe(past),
  pauseReason: maybe(fc.constant("Wrong prices.")),
  isRenderOpen: fc.boolean(),
  failedAuditId: maybe(fc.constant(ID)),
  failedAuditAt: maybe(past),
  failedAuditError: maybe(error),
  score: maybe(percent),
  grade: fc.constant("C" as const),
  previousScore: maybe(percent),
  measuredAt: maybe(past),
  highlights: fc.constant(null),
  servedScore: maybe(percent),
  servedMeasuredAt: maybe(past),
  servedHighlights: maybe(
    fc.record({
      ceiling: maybe(
        fc.record({
          limit: percent,
          reason: fc.constant("3 of 48 items are refused by a channel (6.2 %)."),
        }),
      ),
      raw: fc.double({ min: 0, max: 100, noNaN: true }),
      refused: maybe(count),
      refusing_rule: maybe(fc.constant("identity.brand")),
      first_rule: maybe(fc.constant("content.images")),
      falling_rule: maybe(fc.constant("content.description")),
    }),
  ),
  bestScore: maybe(percent),
  bestScoreAt: maybe(past),
});

const origin: fc.Arbitrary<OriginFacts> = fc.record({
  catalogId: fc.constant(ID),
  sourceId: maybe(fc.constant(ID)),
  name: fc.constantFrom("Shop", "Outlet"),
  intervalS: fc.integer({ min: 300, max: 604_800 }),
  enabled: fc.boolean(),
  itemCount: count,
  createdAt: past,
  runId: maybe(fc.constant(ID)),
  error: maybe(error),
  failures: count,
  failingSince: maybe(past),
  successRunId: maybe(fc.constant(ID)),
  lastSuccessAt: maybe(past),
  finishedAt: maybe(past),
  seen: count,
  rejected: count,
  encodingNote: maybe(fc.constant("Two encodings suit the file.")),
  largeRemoval: maybe(
    fc.record({
      run_id: fc.constant(ID),
      at: past.map((at) => at.toISOString()),
      removed: count,
      left: count,
    }),
  ),
  isOpen: fc.boolean(),
});

const file: fc.Arbitrary<FileFacts> = fc.record({
  catalogId: fc.constant(ID),
  file: fc.constantFrom("acp.csv", "acp.json", "gmc.tsv", "jsonld.json"),
  written: count,
  excluded: count,
  refused: count,
  excludedByRule: count,
  bytes: count,
  changedAt: past,
  fetchedAt: maybe(past),
  fetchedBy: maybe(fc.constant("Google")),
  fetchedStatus: maybe(fc.constant(200)),
});

const facts: fc.Arbitrary<StatusFacts> = fc.record({
  catalog,
  origins: fc.array(origin, { maxLength: 4 }),
  files: fc.array(file, { maxLength: 4 }),
  endpoints: fc.array(
    fc.record({
      catalogId: fc.constant(ID),
      id: fc.constant(ID),
      url: fc.constantFrom("https://receiver.example/a/b", "not an address"),
      lastFailure: maybe(fc.constant("It answered with status 500.")),
      failingSince: maybe(past),
      disabledAt: maybe(past),
    }),
    { maxLength: 2 },
  ),
  silent: fc.array(
    fc.record({
      catalogId: fc.constant(ID),
      file: fc.constantFrom("acp.csv", "gmc.tsv"),
      consumer: fc.constantFrom("Google", "Meta"),
      lastAt: past,
      usualGapS: fc.integer({ min: 0, max: 604_800 }),
      rendersBehind: fc.integer({ min: 1, max: 100 }),
    }),
    { maxLength: 2 },
  ),
  destinations: fc.array(
    fc.record({
      catalogId: fc.constant(ID),
      id: fc.constant(ID),
      name: fc.constantFrom("OpenAI", "Partner"),
      failingSince: past,
      lastSuccessAt: maybe(past),
      lastError: maybe(fc.constant("The login was refused.")),
      hasGivenUp: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  alerts: fc.record({
    maxFeedAgeS: maybe(fc.integer({ min: 3_600, max: 30 * 86_400 })),
    minScoreDrop: fc.integer({ min: 1, max: 100 }),
    mailFailingSince: maybe(past),
    mailError: maybe(fc.constant("The mail server refused the login.")),
  }),
  isTokenReadable: fc.boolean(),
});

test("the state is the worst severity, which is that of the first entry, whose sentence is the reason", () => {
  fc.assert(
    fc.property(facts, (all) => {
      const { state, reason, action, attention } = assess(all, NOW);
      const severities = attention.map(({ severity }) => severity);
      const worst = severities.includes("failing") ? "failing" : (severities[0] ?? "ok");
      assert.equal(state, worst);
      assert.deepEqual(action, attention[0]?.action ?? null);
      assert.ok((attention[0]?.message ?? reason).startsWith(reason));
      assert.ok(reason.endsWith(".") && !reason.includes(". "), reason);
      assert.ok(!/null|undefined|NaN|Invalid/.test(JSON.stringify(attention.map(({ message }) => message))));
    }),
  );
});

test("failing entries come first, and entries of the same severity are in the order of their codes", () => {
  fc.assert(
    fc.property(facts, (all) => {
      const { attention } = assess(all, NOW);
      const ranks = attention.map(
        ({ severity, code }) =>
          (severity === "failing" ? 0 : ATTENTION_CODES.length) + ATTENTION_CODES.indexOf(code),
      );
      assert.deepEqual(
        ranks,
        ranks.toSorted((a, b) => a - b),
      );
    }),
  );
});

test("a catalog without items is failing if one of its files was fetched within 30 days", () => {
  fc.assert(
    fc.property(facts, (all) => {
      const entry = assess(all, NOW).attention.find(({ code }) => code === "no_items");
      const isFetched = all.files.some(
        ({ fetchedAt }) => fetchedAt !== null && NOW.getTime() - fetchedAt.getTime() <= 30 * 86_400_000,
      );
      if (entry) assert.equal(entry.severity, isFetched ? "failing" : "attention");
    }),
  );
});

test("docs/api.md explains every code, in the order of consequence", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../docs/api.md"), "utf8");
  const table = page.slice(page.indexOf("| Code | When | Failing |")).split("\n\n")[0] ?? "";

  assert.deepEqual(
    [...table.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code),
    [...ATTENTION_CODES],
  );
});

test("every code can arise", () => {
  const missing = new Set<string>(ATTENTION_CODES);
  for (const all of fc.sample(facts, { seed: 16, numRuns: 2_000 }))
    for (const { code } of assess(all, NOW).attention) missing.delete(code);

  assert.deepEqual([...missing], []);
});

/** A catalog in which nothing is wrong. */
const CALM: StatusFacts = {
  ...(fc.sample(facts, { seed: 16, numRuns: 1 })[0] as StatusFacts),
  origins: [],
  files: [],
  endpoints: [],
  silent: [],
  destinations: [],
  isTokenReadable: true,
};

test("files that were published outside a limit are shown for a day, with the way back", () => {
  const shown = (since: string) =>
    assess(
      {
        ...CALM,
        catalog: { ...CALM.catalog, publishedLimits: { exceeded: [EXCEEDED], since }, publishedRunId: ID },
      },
      NOW,
    ).attention.find(({ code }) => code === "limits_exceeded");

  const entry = shown("2026-11-16T11:00:00.000Z");
  assert.deepEqual(
    [entry?.severity, entry?.message, entry?.action],
    [
      "attention",
      "The files that were published 1 hour ago differ a lot from the files before them. 30 of 30 items cost nothing. If this is not intended, roll back.",
      { kind: "open_render", target: ID },
    ],
  );
  assert.equal(shown("2026-11-15T11:00:00.000Z"), undefined);
});

test("values that are unlikely in themselves are shown as long as the files have them, unless the limit is off", () => {
  const shown = (publishGuard: GuardSettings) =>
    assess(
      {
        ...CALM,
        catalog: {
          ...CALM.catalog,
          publishedLimits: { exceeded: [UNLIKELY], since: "2026-01-01T00:00:00.000Z" },
          publishedRunId: ID,
          publishGuard,
        },
      },
      NOW,
    ).attention.find(({ code }) => code === "unlikely_values");

  assert.equal(
    shown({})?.message,
    "The published files have values that are probably wrong. 30 of 30 items have the same price. If they are right, switch the limit off: same_price.",
  );
  assert.equal(shown({ limits: { same_price: "off" } }), undefined);
});

test("items that a rule leaves out are no problem; refused ones are counted without them", () => {
  const [one] = fc.sample(file, { seed: 16, numRuns: 1 });
  assert.ok(one);
  const refused = (more: Partial<FileFacts>) =>
    assess({ ...CALM, files: [{ ...one, file: "gmc.tsv", refused: 0, ...more }] }, NOW).attention.find(
      ({ code }) => code === "items_refused",
    );

  assert.equal(refused({ written: 50, excluded: 50, excludedByRule: 50 }), undefined);
  assert.equal(refused({ written: 99, excluded: 51, excludedByRule: 50 }), undefined);
  const entry = refused({ written: 90, excluded: 60, excludedByRule: 50 });
  assert.equal(entry?.count, 10);
  assert.equal(
    entry.message,
    "10 of 100 items are not in gmc.tsv. Items that a rule leaves out (50) are not counted.",
  );
  const written = refused({ written: 60, excluded: 0, refused: 18, excludedByRule: 0 });
  assert.deepEqual(
    [written?.message, written?.count, written?.severity],
    ["18 of 60 items will be refused by Google.", 18, "attention"],
  );
});

test("a pause quotes its reason, and stays beside a render that limits hold", () => {
  const held = (pauseReason: string, signals: readonly string[]) => {
    const heldExceeded = signals.map((signal) => ({
      signal,
      message: `${signal}.`,
    })) as unknown as Exceeded[];
    const catalog = { ...CALM.catalog, pausedAt: NOW, pauseReason, heldRunId: ID, heldExceeded };
    const codes = ["render_held", "publication_paused"];
    return assess({ ...CALM, catalog }, NOW).attention.filter(({ code }) => codes.includes(code));
  };

  const alone = held("stop for a while", ["publication_paused"]);
  assert.deepEqual(
    alone.map(({ code, severity }) => [code, severity]),
    [["publication_paused", "attention"]],
  );
  assert.match(alone[0]?.message ?? "", / held\. The reason: "stop for a while"\. Release publication when/);
  assert.match(held("Wrong prices.", [])[0]?.message ?? "", / The reason: "Wrong prices"\. Release/);
  assert.deepEqual(
    held("Wrong prices.", ["publication_paused", "price_median"]).map(({ code }) => code),
    ["render_held", "publication_paused"],
  );
});
