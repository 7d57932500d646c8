/** How an item got its values: what category mappings, rules and approved values did to each field of the source's item. */
import type { ChannelName, Item } from "../catalog/item.ts";
import { shown } from "./changed-fields.ts";
import { categoryDecision, type Effects, effectiveItem, type Owned } from "./effective.ts";
import type { RuleResult } from "./rules/apply.ts";
import { fieldNamed } from "./rules/field-names.ts";
import { NO_SOURCE, RULE_FIELDS, type RuleField } from "./rules/fields.ts";

type Change = { readonly before: string | null; readonly after: string | null };

/** `after` is null if it was decided that no category fits. */
export type MappingStep = { readonly path: string; readonly after: string | null };
export type RuleStep = Change & {
  readonly rule: string;
  /** Null: of the item, and of all channels. */
  readonly channel: ChannelName | null;
  /** Why the value of the rule is not used. */
  readonly refused: string | null;
};
export type ApprovedStep = Change & { readonly overlayId: string; readonly refused: string | null };

export type FieldHistory = {
  readonly mapping: MappingStep | null;
  readonly rules: readonly RuleStep[];
  readonly approved: ApprovedStep | null;
};

export type ItemHistory = {
  readonly effective: Item;
  /** By the name of the field. */
  readonly fields: ReadonlyMap<string, FieldHistory>;
};

const NOTHING: FieldHistory = { mapping: null, rules: [], approved: null };

const textOf = ({ read }: RuleField, item: Item): string | null => shown(read(item, NO_SOURCE));

export const historyOf = ({ fields }: ItemHistory, field: string): FieldHistory =>
  fields.get(field) ?? NOTHING;

export function itemHistory(source: Item, effects: Effects, owned: Owned): ItemHistory {
  const fields = new Map<string, FieldHistory>();
  const add = (field: string, more: (known: FieldHistory) => Partial<FieldHistory>): void => {
    const known = fields.get(field) ?? NOTHING;
    fields.set(field, { ...known, ...more(known) });
  };
  const mapping = categoryDecision(source, effects);
  if (mapping) add("google_category", () => ({ mapping: { path: mapping.path, after: mapping.category } }));
  const { item } = effectiveItem(source, effects, owned, {
    ruled: (result) => {
      for (const { field, ...step } of ruleSteps(result, effects))
        add(field, ({ rules }) => ({ rules: [...rules, step] }));
    },
    overlaid: ({ id, field }, before, { item: after, refused, isIdle }) => {
      if (isIdle) return;
      const changed = RULE_FIELDS.filter((one) => textOf(one, before) !== textOf(one, after));
      const own = fieldNamed(field);
      for (const one of new Set([...(own ? [own] : []), ...changed]))
        add(one.name, () => ({
          approved: {
            overlayId: id,
            before: textOf(one, before),
            after: textOf(one, after),
            refused: refused ?? null,
          },
        }));
    },
  });
  return { effective: item, fields };
}

/** Changes and refusals, in the order of the rules. An exclusion is no change of a field. */
function ruleSteps({ trace, refused }: RuleResult, { rules: { rules } }: Effects) {
  const steps = [
    ...trace
      .filter(({ field }) => field !== "excluded")
      .map(({ rule, channel = null, field, before, after }) => ({
        field,
        rule,
        channel,
        before: shown(before),
        after: shown(after),
        refused: null,
      })),
    ...refused.map(({ rule, channel = null, field, message }) => ({
      field,
      rule,
      channel,
      before: null,
      after: null,
      refused: message,
    })),
  ];
  const order = new Map(rules.map(({ name }, at) => [name, at]));
  return steps.toSorted((a, b) => (order.get(a.rule) ?? 0) - (order.get(b.rule) ?? 0));
}
