/** Valid and invalid request bodies about sources and pushes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { PushHeaders, PushQuery, UpdateQuery } from "./catalog.ts";
import { ChangedSource, NewSource, RemovedSource, TriedSource } from "./sources.ts";

const ID = "01999999-1234-7abc-8abc-0123456789ab";
const settings = { url: "https://shop.example/feed.csv" };
const NEW = { kind: "feed_url", settings };

const CASES: Readonly<Record<string, readonly [TSchema, fits: unknown[], misfits: unknown[]]>> = {
  NewSource: [
    NewSource,
    [
      NEW,
      { ...NEW, name: "Outlet", enabled: false, interval_s: 300, max_removed_ratio: 0 },
      { ...NEW, interval_s: 604_800 },
    ],
    [
      {},
      { settings },
      { kind: "feed_url" },
      { ...NEW, settings: { url: 7 } },
      { ...NEW, settings: { url: null } },
      { ...NEW, settings: { username: "a\u0000b" } },
      { ...NEW, name: " " },
      { ...NEW, name: "a\u0000b" },
      { ...NEW, name: "x".repeat(201) },
      { ...NEW, enabled: "yes" },
      { ...NEW, interval_s: 299 },
      { ...NEW, interval_s: 604_801 },
      { ...NEW, interval_s: 300.5 },
      { ...NEW, max_removed_ratio: -0.1 },
      { ...NEW, max_removed_ratio: 1.1 },
      { ...NEW, catalog_id: ID },
    ],
  ],
  ChangedSource: [
    ChangedSource,
    [{ id: ID }, { id: ID, settings: { password: null } }, { id: ID, name: "Depot", enabled: true }],
    [
      {},
      { id: "x" },
      { id: ID, kind: "feed_url" },
      { id: ID, settings: { url: 7 } },
      { id: ID, interval_s: 60 },
    ],
  ],
  RemovedSource: [
    RemovedSource,
    [
      { id: ID, items: "keep" },
      { id: ID, items: "remove" },
    ],
    [{ id: ID }, { items: "keep" }, { id: ID, items: "burn" }, { id: ID, items: true }],
  ],
  TriedSource: [TriedSource, [{ id: ID }, NEW, { id: ID, settings }], [{ id: "x" }, { url: "x" }, []]],
  PushQuery: [
    PushQuery,
    [{}, ...["0", "1", "0.5", "1.0", "0.999999"].map((ratio) => ({ max_removed_ratio: ratio }))],
    [
      { max_removed: "1" },
      ...["", "2", "1.1", "-0.1", ".5", "1e0", "0.5x", " 1"].map((ratio) => ({ max_removed_ratio: ratio })),
    ],
  ],
  UpdateQuery: [UpdateQuery, [{}], [{ max_removed_ratio: "1" }]],
  PushHeaders: [
    PushHeaders,
    [{}, { "idempotency-key": "nightly 7", host: "x" }, { "idempotency-key": "k".repeat(255) }],
    [{ "idempotency-key": "" }, { "idempotency-key": "k".repeat(256) }, { "idempotency-key": "schlüssel" }],
  ],
};

for (const [name, [schema, fits, misfits]] of Object.entries(CASES)) {
  test(`${name} accepts valid values and refuses invalid ones`, () => {
    const validator = Compile(schema);

    for (const value of fits) assert.ok(validator.Check(value), `should fit: ${JSON.stringify(value)}`);
    for (const value of misfits)
      assert.ok(!validator.Check(value), `should not fit: ${JSON.stringify(value)}`);
  });
}
