/**
 * No regular expression in `src/` takes more than about linear time. Outside text reaches nearly all of them, and a
 * cell may have 1,000,000 characters: a quadratic pattern would block a worker for minutes.
 *
 * Growth is measured, not seconds: each pattern runs over texts that are made from the pattern itself (`attacks.ts`)
 * and over long runs of usual characters, and over four times as many. Linear time is 4 times as long, quadratic time
 * 16 times. `lint.test.ts` looks at the patterns without running them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Attack, attacksOn } from "./attacks.ts";
import { BOUNDED, BUILT_IN_FUNCTIONS } from "./bounded.ts";
import { builtAtImport, literals, type Pattern, patternsOfSchemas } from "./patterns.ts";

/** What runs of text are made of: every kind of character that a pattern has a class for, and usual pairs. */
const UNITS = [
  ` \t\n\u00a0;,:|/\\'"&<>()[]{}=+-_.@#%*?!a1Z0é`.split(""),
  ["a ", "; ", ", ", " ;", " >", "> ", "<a", "<!", "</", "&a", "&#", "a.", "a-", "1,", "1.", "1 ", "\r\n"],
  ["a:", "a/", "://", "<>", "[]", "()", '""', "'a", "a=", '="', "--", "<!--", "]]>", "{{", "http://"],
  ["&#x1", "<p ", "a;", "a,", "a\n", "\n ", "-1", "1:", "T1", "1x", "%2", "a_", "a|", "a>", "x:", ".jpg?"],
].flat();
const BEFORE = ["", "a", "<", "1"];
/** The second makes the rest of a pattern fail after the run; the third is where `.` stops. */
const AFTER = ["a", "\u0001", "\na\n"];

const SIZE = 600;
/** A linear pattern needs a few microseconds for this much text, a quadratic one more than this many milliseconds. */
const SUSPECT_MS = 0.06;
const MAX_EXPONENT = 1.45;

const attacks = new Map<string, readonly (readonly [text: string, attack: Attack])[]>();

/** Kept, because every pattern is tried on nearly the same texts. */
function attacksBy(before: string, unit: string) {
  const key = `${before}\0${unit}`;
  let found = attacks.get(key);
  if (found === undefined) {
    const all = AFTER.map((after): Attack => {
      return (size) => [before, unit.repeat(Math.ceil(size / unit.length)), after].join("");
    });
    found = all.map((attack) => [attack(SIZE), attack] as const);
    attacks.set(key, found);
  }
  return found;
}

/** Texts of usual characters, whatever the pattern is. */
function* usualTexts(source: string) {
  const own = source.replaceAll(/\\./g, "").replaceAll(/[\\^$*+?.()[\]{}|]/g, "");
  const signs = own.replaceAll(/[\w\s]/g, "");
  for (const unit of new Set([...UNITS, ...own.split("")])) {
    for (const before of new Set([...BEFORE, ...signs.split("")])) yield* attacksBy(before, unit);
  }
}

/** All matches in the text, as `replace`, `split` and `matchAll` find them: `test` and `exec` do a part of it. */
function timed(pattern: RegExp, text: string, repeats: number): number {
  let best = Infinity;
  for (let i = 0; i < repeats; i += 1) {
    pattern.lastIndex = 0;
    const began = performance.now();
    if (pattern.sticky) pattern.exec(text);
    else text.replace(pattern, "");
    best = Math.min(best, performance.now() - began);
  }
  return best;
}

/** The text in which the pattern grows faster than it may, if there is one. */
function slowest({ source, flags }: Pattern): string | undefined {
  const pattern = new RegExp(source, /[gy]/.test(flags) ? flags : `${flags}g`);
  const own = attacksOn(source, flags).map((attack) => [attack(SIZE), attack] as const);
  for (const [text, attack] of [...own, ...usualTexts(source)]) {
    if (timed(pattern, text, 1) < SUSPECT_MS || timed(pattern, text, 5) < SUSPECT_MS) continue;
    const exponent = () =>
      Math.log(timed(pattern, attack(4 * SIZE), 3) / timed(pattern, text, 5)) / Math.log(4);
    // A busy machine may disturb one measurement, hardly three.
    if ([exponent, exponent, exponent].every((measure) => measure() > MAX_EXPONENT)) {
      return `n^${exponent().toFixed(1)} on ${JSON.stringify(attack(12))}`;
    }
  }
  return undefined;
}

const slowOf = (patterns: Iterable<Pattern>): readonly string[] =>
  [...patterns].flatMap((pattern) => {
    if (Object.hasOwn(BOUNDED, pattern.source)) return [];
    const found = slowest(pattern);
    return found === undefined ? [] : [`${pattern.place} /${pattern.source}/${pattern.flags} is ${found}`];
  });

test("a pattern that is known to be quadratic is found", () => {
  for (const source of [
    "\\s+$",
    "\\s*;\\s*",
    "<title[^>]*>([^<]{1,200})",
    "stock.*_id$",
    "^a:\\s*([ -~]*)$",
  ]) {
    assert.ok(slowest({ place: "", source, flags: "i" }), source);
  }
});

test("every regular expression in src takes about linear time, whatever the text", () => {
  assert.deepEqual(slowOf(literals()), []);
});

test("every pattern that is built from texts takes about linear time, whatever the text", () => {
  const inFunctions = Object.entries(BUILT_IN_FUNCTIONS).flatMap(([place, sources]) =>
    sources.map((source) => ({ place, source, flags: "" })),
  );
  assert.deepEqual(slowOf([...builtAtImport(), ...inFunctions]), []);
});

test("every pattern of a schema takes about linear time, whatever the text", async () => {
  const patterns = await patternsOfSchemas();
  assert.ok(patterns.length >= 4);
  assert.deepEqual(slowOf(patterns), []);
});
