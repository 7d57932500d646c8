/**
 * Splits a group's variants into those a format carries and those it leaves out. The profile words the reasons,
 * the format says when each applies; the first that applies is the one reported.
 */
import type { Exclusion } from "../channel.ts";
import { type ExclusionRule, namesOf } from "./field-table.ts";
import type { Variant } from "./variants.ts";

export type ExclusionCheck<Place> = ExclusionRule & {
  readonly code: string;
  readonly applies: (variant: Variant, place: Place) => boolean;
};

export type Sorted = { readonly carried: readonly Variant[]; readonly excluded: readonly Exclusion[] };

/** Joins the profile's reasons with the tests; a reason without a test does not compile. */
export function exclusionRules<Code extends string, Place>(
  rules: Readonly<Record<Code, ExclusionRule>>,
  tests: Readonly<Record<Code, ExclusionCheck<Place>["applies"]>>,
): readonly ExclusionCheck<Place>[] {
  return namesOf(rules).map((code) => ({ code, ...rules[code], applies: tests[code] }));
}

const NOTHING: readonly Exclusion[] = [];

export function splitExcluded<Place>(
  variants: readonly Variant[],
  reasons: readonly ExclusionCheck<Place>[],
  place: Place,
): Sorted {
  const carried: Variant[] = [];
  let excluded: Exclusion[] | undefined;
  for (const variant of variants) {
    const reason = reasons.find(({ applies }) => applies(variant, place));
    if (reason === undefined) {
      carried.push(variant);
    } else {
      const { code, field, message } = reason;
      excluded ??= [];
      excluded.push({ itemId: variant.item.id, code, field, message });
    }
  }
  return { carried, excluded: excluded ?? NOTHING };
}
