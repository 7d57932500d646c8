import assert from "node:assert/strict";
import { inspect } from "node:util";

/** Calls a function with the values of each case but the last, which it must return. */
export function assertCases<Inputs extends readonly unknown[], Result>(
  call: (...inputs: Inputs) => Result,
  cases: readonly (readonly [...Inputs, Result])[],
): void {
  for (const values of cases) {
    const inputs = values.slice(0, -1) as unknown as Inputs;
    assert.deepEqual(call(...inputs), values.at(-1), inspect(inputs, { maxStringLength: 50 }));
  }
}

/** Calls a function with each input; all results must be the same. */
export function assertAll<Input, Result>(
  call: (input: Input) => Result,
  result: Result,
  inputs: readonly Input[],
): void {
  for (const input of inputs) assert.deepEqual(call(input), result, inspect(input, { maxStringLength: 50 }));
}
