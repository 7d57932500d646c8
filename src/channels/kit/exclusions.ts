/**
 * Splits a group's members into those a format carries and those it leaves out. The profile words the reasons,
 * the format says when each applies; the first that applies is the one reported.
 */
import type { Exclusion } from "../channel.ts";
import { type ExclusionRule, namesOf } from "./field-table.ts";
import type { Member } from "./variants.ts";

export type Refusal<Place> = ExclusionRule & {
  readonly code: string;
  readonly applies: (member: Member, place: Place) => boolean;
};

export type Sorted = { readonly carried: readonly Member[]; readonly excluded: readonly Exclusion[] };

/** Joins the profile's reasons with the tests; a reason without a test does not compile. */
export function refusals<Code extends string, Place>(
  rules: Readonly<Record<Code, ExclusionRule>>,
  tests: Readonly<Record<Code, Refusal<Place>["applies"]>>,
): readonly Refusal<Place>[] {
  return namesOf(rules).map((code) => ({ code, ...rules[code], applies: tests[code] }));
}

const NOTHING: readonly Exclusion[] = [];

export function sortOut<Place>(
  members: readonly Member[],
  reasons: readonly Refusal<Place>[],
  place: Place,
): Sorted {
  const carried: Member[] = [];
  let excluded: Exclusion[] | undefined;
  for (const member of members) {
    const reason = reasons.find(({ applies }) => applies(member, place));
    if (reason === undefined) {
      carried.push(member);
    } else {
      const { code, field, message } = reason;
      excluded ??= [];
      excluded.push({ itemId: member.item.id, code, field, message });
    }
  }
  return { carried, excluded: excluded ?? NOTHING };
}
