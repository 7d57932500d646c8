import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceEvent } from "../sources/source.ts";
import { intake, type Sink } from "./intake.ts";

const draft = (position: number): SourceEvent => ({
  kind: "draft",
  position,
  draft: { id: `A${position}`, title: "Mug", link: "https://shop.example/mug", price: "5.00 EUR" },
  decimalMark: ".",
});
const end: SourceEvent = { kind: "end", validators: null, expected: null };

function source(events: readonly (SourceEvent | readonly SourceEvent[])[]) {
  const state = { isClosed: false };
  async function* read() {
    try {
      for (const event of events) yield event;
    } finally {
      state.isClosed = true;
    }
  }
  return { state, intake: { events: read(), settings: {}, signal: new AbortController().signal } };
}

function collector(more: Partial<Sink> = {}) {
  const rows: string[] = [];
  const sink: Sink = {
    add: (row, position) => {
      rows.push(`${position} ${row.kind}`);
      return undefined;
    },
    warn: ({ code }) => rows.push(code),
    ...more,
  };
  return { rows, sink };
}

const note: SourceEvent = {
  kind: "warning",
  warning: { itemId: null, position: null, field: null, code: "source_note", message: "Note." },
};

test("drafts are normalized, and items, rejections and warnings reach the sink in their order", async () => {
  const empty: SourceEvent = { kind: "draft", position: 2, draft: {} };
  const { rows, sink } = collector();

  const result = await intake(source([draft(1), empty, note, draft(3), end]).intake, sink);

  assert.deepEqual(rows, ["1 item", "2 rejected", "source_note", "3 item"]);
  assert.equal(result, end);
});

test("a source that stops without an end is not complete", async () => {
  const { sink } = collector();

  assert.equal(await intake(source([draft(1)]).intake, sink), null);
});

test("a full sink ends the loop and closes the source", async () => {
  const { rows, sink } = collector({ isFull: () => rows.length === 2 });
  const { state, intake: from } = source([[draft(1), draft(2), draft(3)], end]);

  assert.equal(await intake(from, sink), null);
  assert.deepEqual(rows, ["1 item", "2 item"]);
  assert.ok(state.isClosed);
});

test("the sink is flushed after every batch, and awaited when it must catch up", async () => {
  const steps: string[] = [];
  const { sink } = collector({
    add: async (_row, position) => {
      await Promise.resolve();
      steps.push(`added ${position}`);
    },
    flush: async () => {
      await Promise.resolve();
      steps.push("flushed");
    },
  });

  await intake(source([[draft(1), draft(2)], [draft(3)]]).intake, sink);

  assert.deepEqual(steps, ["added 1", "added 2", "flushed", "added 3", "flushed"]);
});

test("what the sink takes as a change is not normalized", async () => {
  const { rows, sink } = collector({
    take: ({ position }) => (position === 1 ? undefined : false),
  });

  await intake(source([draft(1), draft(2), end]).intake, sink);

  assert.deepEqual(rows, ["2 item"]);
});

test("an aborted read throws the reason and closes the source", async () => {
  const { sink } = collector();
  const { state, intake: from } = source([draft(1), end]);

  await assert.rejects(intake({ ...from, signal: AbortSignal.abort(new Error("stop")) }, sink), /stop/);
  assert.ok(state.isClosed);
});

test("an abort stops in the middle of a batch and closes the source", async () => {
  const abort = new AbortController();
  const { rows, sink } = collector();
  const { state, intake: reading } = source([[draft(1), draft(2), draft(3), end]]);
  const add: Sink["add"] = (row, position) => {
    if (position === 2) abort.abort(new Error("enough"));
    return sink.add(row, position);
  };

  await assert.rejects(intake({ ...reading, signal: abort.signal }, { ...sink, add }), /enough/);

  assert.deepEqual(rows, ["1 item", "2 item"]);
  assert.equal(state.isClosed, true);
});
