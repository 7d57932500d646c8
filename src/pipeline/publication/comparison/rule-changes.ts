/** Which fields of items a change of the rules can change. */
import type { Rule, RuleSet } from "../../../contract/rules.ts";
import { fieldNamed } from "../../../enrich/rules/field-names.ts";

/** Prices are written together: setting one may change the others. */
const PRICES = ["price", "sale_price", "list_price", "sale_from", "sale_to"];
const LINKS = ["link", "mobile_link", "canonical_link"];

/**
 * Of rules that only one of the versions has, and of those that read what they set; of all of them if their order
 * differs.
 */
export function fieldsChanged(before: RuleSet, after: RuleSet): ReadonlySet<string> {
  const [was, is] = [before, after].map(({ rules }) => enabledRules(rules));
  if (!was || !is) return new Set();
  const [wasKnown, isKnown] = [new Set(was.keys()), new Set(is.keys())];
  const common = [...is.keys()].filter((text) => was.has(text));
  const isInOrder = [...was.keys()].filter((text) => is.has(text)).every((text, at) => common[at] === text);
  const changed = isInOrder ? wasKnown.symmetricDifference(isKnown) : wasKnown.union(isKnown);
  const all = new Map([...was, ...is]);
  const fields = [...changed].flatMap((text) => targetsOf(all.get(text)));
  return withDependents(fields, [...all.values()]);
}

/** By their JSON, in their order. */
const enabledRules = (rules: readonly Rule[]): ReadonlyMap<string, Rule> =>
  new Map(rules.filter(({ enabled }) => enabled !== false).map((rule) => [JSON.stringify(rule), rule]));

/** These fields, and those that rules set depending on them. */
export function withDependents(fields: readonly string[], rules: readonly Rule[]): ReadonlySet<string> {
  const found = new Set(fields);
  const reads = rules.map((rule) => ({ targets: targetsOf(rule), read: fieldsRead(rule) }));
  for (let known = -1; known !== found.size; ) {
    known = found.size;
    for (const { targets, read } of reads)
      if (read.some((field) => found.has(field))) for (const field of targets) found.add(field);
  }
  return found;
}

/** What the chosen rules set, and what other rules make of it. */
export function fieldsSetBy(isChosen: (rule: Rule) => boolean, rules: readonly Rule[]): ReadonlySet<string> {
  const enabled = rules.filter((rule) => rule.enabled !== false);
  return withDependents(enabled.filter(isChosen).flatMap(targetsOf), enabled);
}

/** `shipping.DE` counts as `shipping`, and days until a date as the date. */
function nameOf(name: string): string {
  const field = fieldNamed(name);
  return field?.entryOf ?? field?.name ?? name;
}

/** Not a field: the decision of a rule to leave an item out. */
export const EXCLUDED = "excluded";

/** The fields that a rule sets. */
function targetsOf(rule: Rule | undefined): readonly string[] {
  if (!rule) return [];
  const { type, field } = rule.action;
  if (type === "exclude") return [EXCLUDED];
  const own = field === undefined ? LINKS : [nameOf(field)];
  return own.some((name) => PRICES.includes(name)) ? PRICES : own;
}

/** In conditions, in actions that copy, and in templates. */
const READ = /"(?:field|from)":"([^"\\]+)"|\{([^{}|"\\]+)/g;
/** In formulas; names of functions do no harm. */
const NAME = /[\p{L}_][\p{L}\p{N}_.]*/gu;

/** Fields that follow from others. Prices are written together, so that one of them stands for all. */
const MADE_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["discount_percent", ["price"]],
  ["margin_percent", ["price", "cost"]],
]);

function fieldsRead({ when, action }: Rule): readonly string[] {
  const texts = JSON.stringify([when ?? null, action]).matchAll(READ);
  const names = [
    ...texts.map(([, named, inTemplate]) => named ?? inTemplate ?? ""),
    ...(action.formula ?? "").matchAll(NAME).map(([name]) => name),
  ];
  return names.map((name) => nameOf(name.trim())).flatMap((name) => MADE_OF.get(name) ?? [name]);
}
