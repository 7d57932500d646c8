/** The schemas by themselves: what they accept and what they reject. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { newId } from "../lib/id.ts";
import { Data, DateTime, Nullable, Uuid } from "./shapes.ts";
import { FeedEntry, FeedsAnswer, LastRender } from "./feeds.ts";
import { Problem } from "./problem.ts";
import { AcceptedAnswer, SyncedAnswer, SyncRun, SyncsAnswer, TriggerSync } from "./syncs.ts";

const ID = "01999999-1234-7abc-8abc-0123456789ab";
const AT = "2026-11-15T06:00:00.000Z";
const ENTRY = {
  file: "acp.csv",
  content_type: "text/csv; charset=utf-8",
  url: "https://feeds.example/f/a/b/acp.csv",
};
const RENDER = {
  run_id: ID,
  status: "succeeded",
  stats: { items: 3, files: {} },
  started_at: AT,
  finished_at: AT,
};
const REJECTION = {
  item_id: null,
  position: 1,
  field: null,
  code: "missing_id",
  message: "The item has no id.",
};
const STATS = {
  seen: 2,
  upserted: 1,
  rejected: 1,
  warnings: 0,
  rejections: [REJECTION],
  rejection_codes: { missing_id: 1 },
  unchanged: 0,
  removed: 0,
  not_read: 0,
  warning_codes: {},
  warning_examples: [],
};
const RUN = {
  run_id: ID,
  source_id: ID,
  status: "succeeded",
  stats: STATS,
  started_at: AT,
  finished_at: AT,
  error: null,
};
const PROBLEM = {
  type: "urn:shelfwire:problem:not_found",
  title: "There is nothing at this address.",
  status: 404,
  detail: "There is nothing at this address.",
  code: "not_found",
  request_id: "a",
};
const without = (value: object, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));

type Case = {
  readonly schema: TSchema;
  readonly fits: readonly unknown[];
  readonly misfits: readonly unknown[];
};

const CASES: Readonly<Record<string, Case>> = {
  Uuid: {
    schema: Uuid,
    fits: [ID, ID.toUpperCase(), newId(), "00000000-0000-0000-0000-000000000000"],
    misfits: [
      "",
      "x",
      `urn:uuid:${ID}`,
      `{${ID}}`,
      ` ${ID}`,
      `${ID}\n`,
      ID.replaceAll("-", ""),
      ID.replace("9", "g"),
      7,
      null,
    ],
  },
  DateTime: {
    schema: DateTime,
    fits: [AT, new Date().toISOString()],
    misfits: ["", "yesterday", "2026-11-15", "2026-13-15T06:00:00.000Z", 1_763_186_400, null],
  },
  Nullable: { schema: Nullable(Uuid), fits: [null, ID], misfits: ["", undefined, 0] },
  Data: { schema: Data(Uuid, "An id."), fits: [{ data: ID }], misfits: [{}, { data: null }, ID, null] },
  FeedEntry: {
    schema: FeedEntry,
    fits: [ENTRY, { ...ENTRY, file: "jsonld.json" }],
    misfits: [
      { ...ENTRY, file: "acp.xml" },
      { ...ENTRY, url: "no address" },
      without(ENTRY, "content_type"),
      {},
    ],
  },
  LastRender: {
    schema: LastRender,
    fits: [RENDER],
    misfits: [
      { ...RENDER, status: "failed" },
      { ...RENDER, stats: {} },
      { ...RENDER, stats: { items: 1.5 } },
      { ...RENDER, finished_at: null },
    ],
  },
  FeedsAnswer: {
    schema: FeedsAnswer,
    fits: [
      { data: { feeds: [ENTRY, ENTRY, ENTRY, ENTRY], last_render: null } },
      { data: { feeds: [ENTRY, ENTRY, ENTRY, ENTRY], last_render: RENDER } },
    ],
    misfits: [
      { data: { feeds: [ENTRY, ENTRY, ENTRY], last_render: null } },
      { data: { feeds: [ENTRY, ENTRY, ENTRY, ENTRY, ENTRY], last_render: null } },
      { data: { feeds: [ENTRY, ENTRY, ENTRY, ENTRY] } },
    ],
  },
  SyncRun: {
    schema: SyncRun,
    fits: [
      RUN,
      { ...RUN, source_id: null },
      { ...RUN, status: "running", finished_at: null },
      { ...RUN, status: "failed", error: { code: "source_timeout", message: "Too slow." } },
    ],
    misfits: [
      { ...RUN, status: "queued" },
      { ...RUN, started_at: null },
      { ...RUN, source_id: "x" },
      { ...RUN, stats: {} },
      { ...RUN, stats: { ...STATS, seen: "2" } },
    ],
  },
  SyncsAnswer: {
    schema: SyncsAnswer,
    fits: [{ data: { syncs: [] } }, { data: { syncs: Array.from({ length: 50 }, () => RUN) } }],
    misfits: [{ data: { syncs: Array.from({ length: 51 }, () => RUN) } }, { data: [] }, { syncs: [] }],
  },
  SyncedAnswer: {
    schema: SyncedAnswer,
    fits: [
      { data: { run_id: ID, stats: STATS } },
      { data: { run_id: ID, stats: { ...STATS, render_error: { code: "render_held", message: "Held." } } } },
      { data: { run_id: ID, stats: { ...STATS, rejections: Array.from({ length: 100 }, () => REJECTION) } } },
    ],
    misfits: [
      { data: { run_id: ID } },
      { data: { run_id: ID, stats: without(STATS, "rejections") } },
      { data: { run_id: ID, stats: { ...STATS, rejections: Array.from({ length: 101 }, () => REJECTION) } } },
      { data: { run_id: ID, stats: { ...STATS, rejections: [without(REJECTION, "message")] } } },
    ],
  },
  AcceptedAnswer: {
    schema: AcceptedAnswer,
    fits: [{ data: { run_id: ID, status: "running" } }],
    misfits: [{ data: { run_id: ID } }, { data: { run_id: ID, status: "queued" } }],
  },
  TriggerSync: {
    schema: TriggerSync,
    fits: [{ source_id: ID }, { source_id: ID, dry_run: true }, { source_id: ID, unknown: true }],
    misfits: [
      {},
      { source_id: ID, guard: "maybe" },
      { source_id: null },
      { source_id: 1 },
      { sourceId: ID },
      [ID],
      ID,
      null,
    ],
  },
  Problem: {
    schema: Problem,
    fits: [
      PROBLEM,
      { ...PROBLEM, instance: "/a", run_id: ID, errors: [{ pointer: "/source_id", detail: "is no UUID" }] },
    ],
    misfits: [
      without(PROBLEM, "code"),
      without(PROBLEM, "request_id"),
      { ...PROBLEM, status: "404" },
      { ...PROBLEM, errors: ["x"] },
    ],
  },
};

for (const [name, { schema, fits, misfits }] of Object.entries(CASES)) {
  test(`${name} accepts valid values and refuses invalid ones`, () => {
    const validator = Compile(schema);

    for (const value of fits) assert.ok(validator.Check(value), `should fit: ${JSON.stringify(value)}`);
    for (const value of misfits)
      assert.ok(!validator.Check(value), `should not fit: ${JSON.stringify(value)}`);
  });
}

/** Every schema with a title that is reachable from the values, by title. */
function titled(node: unknown, found = new Map<string, Set<string>>()): Map<string, Set<string>> {
  if (typeof node !== "object" || node === null) return found;
  const { title } = node as { readonly title?: unknown };
  if (typeof title === "string") found.set(title, (found.get(title) ?? new Set()).add(JSON.stringify(node)));
  for (const [key, value] of Object.entries(node)) if (key !== "examples") titled(value, found);
  return found;
}

test("titles of schemas are unique: they are the names in the OpenAPI document", async () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.includes(".test."));
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, unknown>),
  );

  const found = titled(modules.flatMap((module) => Object.values(module)));

  assert.ok(found.size > 30);
  for (const [title, forms] of found) assert.equal(forms.size, 1, title);
});
