/**
 * Looks at every regular expression of `src/` without running it, by the detector that eslint-plugin-regexp uses:
 * repetitions that share characters, and searches that begin anew at every place. `linear.long.test.ts` measures the
 * expressions and finds more.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "scslre";
import { ALWAYS_MATCHES, BOUNDED, BUILT_IN_FUNCTIONS } from "./bounded.ts";
import { buildingFiles, builtAtImport, literals, type Pattern } from "./patterns.ts";

function problems({ source, flags }: Pattern): readonly string[] {
  return analyse({ source, flags }).reports.map(
    ({ type, character }) => `${type} of ${character.literal.source}`,
  );
}

const problemsOf = (patterns: readonly Pattern[]): readonly string[] =>
  patterns
    .filter(({ source }) => !Object.hasOwn(BOUNDED, source) && !ALWAYS_MATCHES.has(source))
    .flatMap((one) => problems(one).map((problem) => `${one.place} /${one.source}/${one.flags}: ${problem}`));

test("a pattern that is known to be quadratic is found", () => {
  for (const source of ["\\s+$", "\\s*;\\s*", "(a+)+$"])
    assert.notEqual(problems({ place: "", source, flags: "" }).length, 0, source);
});

test("no regular expression in src has repetitions that take more than linear time", () => {
  assert.deepEqual(problemsOf(literals()), []);
});

test("the lists of exceptions have no pattern that src does not have", () => {
  const sources = new Set(literals().map(({ source }) => source));
  const unknown = [...Object.keys(BOUNDED), ...ALWAYS_MATCHES].filter((source) => !sources.has(source));

  assert.deepEqual(unknown, []);
});

test("every pattern that is built from texts is known, and takes linear time", () => {
  const built = builtAtImport();
  const known = new Set([...built.map(({ place }) => place), ...Object.keys(BUILT_IN_FUNCTIONS)]);

  assert.deepEqual(
    buildingFiles().filter((file) => !known.has(file)),
    [],
  );
  assert.deepEqual(problemsOf(built), []);
});
