/** Short hands for writing a field table: one line a field, the kind first. */
import type { Field, Limit, Requirement } from "./field-table.ts";

type More = Omit<Field, "kind" | "requirement" | "source">;

/** Makes the function that declares fields of one kind. */
export function fieldOf<Kind extends string>(kind: Kind) {
  return (requirement: Requirement, source: string | null, more: More = {}) => ({
    kind,
    requirement,
    source,
    ...more,
  });
}

const limitBy =
  (over: Limit["over"]) =>
  (codePoints: number): Limit => ({ codePoints, over });

export const cut = limitBy("cut");
export const keep = limitBy("keep");
export const drop = limitBy("drop");
export const exclude = limitBy("exclude");
export const shorten = limitBy("shorten");
