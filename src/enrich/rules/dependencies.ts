/** What rules depend on besides the item itself. */

export type RuleDependencies = {
  /** On the name of the item's source. */
  readonly usesSource: boolean;
  /** On the day: days since or until a date. */
  readonly usesDay: boolean;
  /** On the other variants of the product. */
  readonly usesVariants: boolean;
};

/** By the JSON of the rules. A text that only looks like one of the fields does no harm. */
export const dependenciesOf = (rules: string): RuleDependencies => ({
  usesSource: /"source"|\{source\b/.test(rules),
  usesDay: /\bdays_(?:since|until)\./.test(rules),
  usesVariants: /\bgroup_(?:min|max)\.|\bis_(?:cheapest|first)_variant\b/.test(rules),
});
