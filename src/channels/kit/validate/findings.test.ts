import assert from "node:assert/strict";
import { test } from "node:test";
import { Collector, error, Findings, info, mildly, warning } from "./findings.ts";

const RULES = {
  bad: error("It is bad."),
  odd: warning("It is odd."),
  note: info("It is noted."),
  both: error("It may be bad.", mildly("warning", "on Sundays")),
};

function collected(most: number): { collector: Collector; findings: Findings<keyof typeof RULES> } {
  const collector = new Collector(RULES, most);
  return { collector, findings: new Findings(collector) };
}

test("everything is counted, however little is kept", () => {
  const { collector, findings } = collected(5);
  for (let line = 1; line <= 1_000; line += 1) {
    findings.at(line, `item ${line}`);
    findings.say("odd", { field: "color" });
    if (line === 900) findings.say("bad");
  }

  const { counts, rules, problems } = collector.summary();
  assert.deepEqual(counts, { error: 1, warning: 1_000, info: 0 });
  assert.deepEqual(
    problems.map(({ rule, line }) => [rule, line]),
    [["bad", 900], ...[1, 2, 3, 4].map((line) => ["odd", line])],
  );
  assert.deepEqual(
    rules.map(({ rule, count, examples }) => [rule, count, examples.map(({ line }) => line)]),
    [
      ["bad", 1, [900]],
      ["odd", 1_000, [1, 2, 3]],
    ],
  );
});

test("a rule that fires late has its examples even when the list is full of others", () => {
  const { collector, findings } = collected(1);
  findings.at(1, null);
  for (let n = 0; n < 10; n += 1) findings.say("odd");
  findings.say("note");

  const note = collector.summary().rules.find(({ rule }) => rule === "note");
  assert.equal(note?.examples.length, 1);
});

test("a rule of two severities is counted in each", () => {
  const { collector, findings } = collected(10);
  findings.say("both");
  findings.say("both", { isMild: true });
  findings.say("bad", { isMild: true });

  const { counts, rules } = collector.summary();
  assert.deepEqual(counts, { error: 2, warning: 1, info: 0 });
  assert.deepEqual(
    rules.map(({ rule, severity }) => `${severity} ${rule}`),
    ["error both", "error bad", "warning both"],
  );
});

test("values are cut to 80 characters, never in the middle of one", () => {
  const { collector, findings } = collected(10);
  const whole = "x".repeat(80);
  findings.say("bad", { value: whole });
  findings.say("bad", { value: `${whole}x` });
  findings.say("bad", { value: `${"x".repeat(78)}😀😀` });

  assert.deepEqual(
    collector.summary().problems.map(({ value }) => value),
    [whole, `${"x".repeat(79)}…`, `${"x".repeat(78)}…`],
  );
});
