/**
 * Laws of alerts over time: a problem that comes and goes sends few mails, and recipients know how things stand in the
 * end.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AlertRow } from "../../store/alerts.ts";
import { dueMail, MAIL_EVERY_MS, markNotified } from "./due-mail.ts";
import { changedRows, follow, type FoundProblem } from "./follow.ts";

const START = Date.parse("2026-11-16T06:00:00.000Z");
const MINUTE = 60_000;
const DAY_MIN = 1_440;

const found = (more: Partial<FoundProblem> = {}): FoundProblem => ({
  code: "source_stale",
  severity: "failing",
  message: "It is old.",
  action: null,
  since: new Date(START).toISOString(),
  subject: "s1",
  ...more,
});

/** A catalog that is checked every minute. */
class World {
  rows: readonly AlertRow[] = [];
  mails: {
    readonly minute: number;
    readonly problems: readonly string[];
    readonly resolved: readonly string[];
  }[] = [];
  written = 0;
  #ids = 0;
  #minute = 0;
  #lastMailAt: Date | null = null;

  check(problems: readonly FoundProblem[]): void {
    const now = new Date(START + this.#minute * MINUTE);
    const newId = () => `id-${(this.#ids += 1)}`;
    const before = this.rows;
    this.rows = follow(before, problems, { catalogId: "c", now, newId });
    const due = dueMail(this.rows, { now, lastMailAt: this.#lastMailAt });
    if (due) {
      const codes = (rows: readonly AlertRow[]) => rows.map(({ code, subject }) => `${code} ${subject}`);
      this.mails.push({ minute: this.#minute, problems: codes(due.problems), resolved: codes(due.resolved) });
      this.#lastMailAt = now;
      this.rows = markNotified(this.rows, due, now, newId());
    }
    this.written += changedRows(before, this.rows).length;
    this.#minute += 1;
  }

  for(minutes: number, problems: readonly FoundProblem[]): this {
    for (let i = 0; i < minutes; i += 1) this.check(problems);
    return this;
  }
}

test("a problem is mailed once after five minutes, and once when it has stayed away for half an hour", () => {
  const world = new World().for(3 * DAY_MIN, [found()]).for(60, []);

  assert.deepEqual(world.mails, [
    { minute: 5, problems: ["source_stale s1"], resolved: [] },
    { minute: 3 * DAY_MIN + 30, problems: [], resolved: ["source_stale s1"] },
  ]);
  assert.equal(world.rows[0]?.resolvedAt?.getTime(), START + 3 * DAY_MIN * MINUTE);
});

test("a problem that is over within five minutes is not mailed", () => {
  assert.deepEqual(new World().for(4, [found()]).for(120, []).mails, []);
});

test("several problems that come together are one message, the most severe first", () => {
  const world = new World()
    .for(3, [found()])
    .for(20, [
      found(),
      found({ code: "push_failed", severity: "attention" }),
      found({ code: "render_failed" }),
    ]);

  assert.deepEqual(world.mails, [
    { minute: 5, problems: ["render_failed s1", "source_stale s1", "push_failed s1"], resolved: [] },
  ]);
});

test("a problem that may pass by itself is mailed after its own time, also if another one is mailed before", () => {
  const retried = (["destination_failing", "webhook_failing"] as const).map((code) =>
    found({ code, severity: "attention" }),
  );
  const brief = new World().for(35, [found(), ...retried]).for(60, [found()]);
  assert.deepEqual(brief.mails, [{ minute: 5, problems: ["source_stale s1"], resolved: [] }]);

  const lasting = new World().for(60, [found(), ...retried]);
  assert.deepEqual(lasting.mails.slice(1), [
    { minute: 40, problems: ["destination_failing s1", "webhook_failing s1"], resolved: [] },
  ]);
});

test("what only matters in the long run is not mailed, unless it makes the catalog fail", () => {
  const world = new World().for(DAY_MIN, [found({ code: "source_failing", severity: "attention" })]);
  assert.deepEqual(world.mails, []);

  world.for(20, [found({ code: "source_failing" })]);
  assert.deepEqual(world.mails, [{ minute: DAY_MIN, problems: ["source_failing s1"], resolved: [] }]);
});

test("a problem of another source is another one", () => {
  const world = new World().for(20, [found()]).for(30, [found(), found({ subject: "s2" })]);

  assert.deepEqual(
    world.mails.map(({ problems }) => problems),
    [["source_stale s1"], ["source_stale s2"]],
  );
});

test("while nothing changes, a row is written every ten minutes at most", () => {
  const world = new World().for(DAY_MIN, [found()]);
  assert.ok(world.written <= DAY_MIN / 10 + 2, String(world.written));
});

test("texts are those of the last check, in the list and in the mail", () => {
  const world = new World();
  const at = (minute: number) => [found({ message: `It failed for ${minute} minutes.` })];
  for (let minute = 0; minute < 5; minute += 1) world.check(at(minute));
  assert.equal(world.rows[0]?.message, "It failed for 4 minutes.");

  world.check(at(5));
  assert.equal(world.mails.length, 1);
  assert.equal(world.rows[0]?.message, "It failed for 5 minutes.");
  assert.equal(world.rows[0]?.since.getTime(), START);
});

test("a problem that was over and begins again lasts since it began again", () => {
  const later = START + 20 * MINUTE;
  const world = new World().for(10, [found()]).for(11, []);
  world.check([found({ since: new Date(later).toISOString() })]);

  assert.deepEqual(
    world.rows.map(({ since, clearedAt }) => [since.getTime(), clearedAt]),
    [[later, null]],
  );
});

test("renders that are held for different reasons are different alerts", () => {
  const held = (subject: string, minute: number) =>
    found({ code: "render_held", subject, since: new Date(START + minute * MINUTE).toISOString() });
  const world = new World().for(4, [held("items_removed", 0)]).for(10, [held("price_median", 4)]);

  const open = world.rows.filter(({ clearedAt }) => clearedAt === null);
  assert.deepEqual(
    open.map(({ subject, since }) => [subject, since.getTime()]),
    [["price_median", START + 4 * MINUTE]],
  );
  assert.deepEqual(world.mails, [{ minute: 9, problems: ["render_held price_median"], resolved: [] }]);
});

/** Minutes with and without the problem, in turn. */
const phases = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 2, maxLength: 40 });

test("however often a problem comes and goes, there are few mails, and the last one is true", () => {
  fc.assert(
    fc.property(phases, (lengths) => {
      const world = new World();
      lengths.forEach((length, i) => world.for(length, i % 2 === 0 ? [found()] : []));
      const isOn = lengths.length % 2 === 1;
      // Until everything has been said.
      world.for(2 * DAY_MIN, isOn ? [found()] : []);

      const kinds = world.mails.map(({ problems }) => (problems.length > 0 ? "problem" : "resolved"));
      kinds.forEach((kind, i) => assert.equal(kind, i % 2 === 0 ? "problem" : "resolved"));
      assert.equal(kinds.at(-1) ?? "resolved", isOn ? "problem" : "resolved");
      for (const { minute } of world.mails) {
        const inDay = world.mails.filter(
          (other) => other.minute > minute - DAY_MIN && other.minute <= minute,
        );
        assert.ok(inDay.length <= 7, `${inDay.length} mails within a day`);
      }
      const minutes = world.mails.map(({ minute }) => minute);
      for (let i = 1; i < minutes.length; i += 1)
        assert.ok((minutes[i] ?? 0) - (minutes[i - 1] ?? 0) >= MAIL_EVERY_MS / MINUTE);
    }),
    { numRuns: 30 },
  );
});

test("there is never more than one open row of a problem, and each was opened before it ended", () => {
  const some = fc.subarray([found(), found({ subject: "s2" }), found({ code: "render_failed" })]);
  fc.assert(
    fc.property(fc.array(fc.tuple(some, fc.integer({ min: 1, max: 90 })), { maxLength: 20 }), (steps) => {
      const world = new World();
      for (const [problems, minutes] of steps) {
        world.for(minutes, problems);
        const open = world.rows.filter(({ resolvedAt }) => resolvedAt === null);
        assert.equal(new Set(open.map(({ code, subject }) => `${code} ${subject}`)).size, open.length);
        for (const { code, subject } of problems)
          assert.ok(open.some((row) => row.code === code && row.subject === subject));
        for (const { openedAt, resolvedAt } of world.rows)
          assert.ok(resolvedAt === null || openedAt <= resolvedAt);
      }
    }),
    { numRuns: 30 },
  );
});
