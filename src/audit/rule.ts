/**
 * What a rule is: facts for people and programs, and two pure functions. `grade` says how an item fares, `say` says
 * in one sentence what is wrong; `say` is only ever asked about items that `grade` found wanting. Numbers are for
 * good: a stored verdict names rules by them, so a number is never changed and never given to another rule.
 */
import type { Item } from "../catalog/item.ts";
import { FINE, NOT_APPLICABLE, type Outcome } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Shop } from "./shop.ts";

export const DIMENSIONS = {
  eligibility: {
    title: "Eligibility",
    question: "Does each channel get everything it demands, in valid form?",
  },
  identity: {
    title: "Identity and variants",
    question: "Can a machine tell which product and which variant this is?",
  },
  offer: {
    title: "Offer integrity",
    question: "Are price, sale, stock and shipping believable and consistent?",
  },
  content: { title: "Content", question: "Would a buyer or an assistant understand it?" },
  class: { title: "Classification and attributes", question: "Can it be filtered and compared?" },
  fresh: { title: "Freshness", question: "Is what channels read current?" },
} as const satisfies Record<string, { readonly title: string; readonly question: string }>;
export type Dimension = keyof typeof DIMENSIONS;

/** Who reads our files. The two ACP files carry the same rows and are judged once. */
export const FORMATS = {
  acp: { title: "OpenAI", files: ["acp.csv", "acp.json"] },
  gmc: { title: "Google Merchant Center", files: ["gmc.tsv"] },
  jsonld: { title: "Google merchant listings from JSON-LD", files: ["jsonld.json"] },
} as const satisfies Record<string, { readonly title: string; readonly files: readonly string[] }>;
export type Format = keyof typeof FORMATS;
export const ALL_FORMATS: readonly Format[] = ["acp", "gmc", "jsonld"];

export const SEVERITIES = {
  critical: "A channel refuses the item or cannot list it.",
  major: "The item is listed, but shown less or without the value in question.",
  minor: "Allowed; it should be better.",
  info: "Advice. No points, never in the score.",
} as const satisfies Record<string, string>;
export type Severity = keyof typeof SEVERITIES;

/** The item alone; the other items of its group; all items before it in the catalog. */
export type Sight = "item" | "group" | "catalog";

export type RuleFacts = {
  readonly number: number;
  readonly id: `${Dimension}.${string}`;
  readonly title: string;
  /** What the merchant would look at: a field of the item, or `settings`. */
  readonly field: keyof Item | "settings";
  readonly points: number;
  readonly severity: Severity;
  /** The formats that lose by it. */
  readonly formats: readonly Format[];
  /** The formats that refuse the item when it fails outright. Only critical rules have some. */
  readonly blocks: readonly Format[];
  /** How far the rule has to look. */
  readonly sight: Sight;
  /** When the rule applies, as the end of a sentence that begins with "Applies". */
  readonly when: string;
  /** What is asked, and how it is graded. */
  readonly expects: string;
  readonly advice: string;
  /** Where the outside rule is written down. */
  readonly reference: string;
};

export type Judgment = {
  /** Twelfths earned, or UNKNOWN. Only asked where the rule applies. */
  readonly grade: (item: Item, place: Place) => Outcome;
  readonly say: (item: Item, place: Place) => string;
};

export type ItemRule = RuleFacts &
  Judgment & {
    readonly dimension: Dimension;
    readonly applies: ((item: Item, place: Place) => boolean) | null;
  };

/** A rule about the settings of the shop. It has no points, so no item's score depends on it. */
export type ShopRule = RuleFacts & {
  readonly dimension: Dimension;
  readonly grade: (shop: Shop) => Outcome;
  readonly say: (shop: Shop) => string;
};

type Optional = {
  readonly blocks?: readonly Format[];
  readonly sight?: Sight;
  readonly when?: string;
  readonly applies?: ItemRule["applies"];
};

/** Fills in what most rules leave unsaid, and gives all of them one shape: they are asked a million times a run. */
export function itemRule(rule: Omit<RuleFacts, keyof Optional> & Optional & Judgment): ItemRule {
  const { number, id, title, field, points, severity, formats, expects, advice, reference, grade, say } =
    rule;
  return {
    number,
    id,
    title,
    dimension: dimensionOf(id),
    field,
    points,
    severity,
    formats,
    blocks: rule.blocks ?? [],
    sight: rule.sight ?? "item",
    when: rule.when ?? "always",
    expects,
    advice,
    reference,
    applies: rule.applies ?? null,
    grade,
    say,
  };
}

export function shopRule(
  rule: Omit<ShopRule, "dimension" | "field" | "points" | "severity" | "blocks" | "sight">,
): ShopRule {
  const dimension = dimensionOf(rule.id);
  return { ...rule, dimension, field: "settings", points: 0, severity: "info", blocks: [], sight: "item" };
}

function dimensionOf(id: RuleFacts["id"]): Dimension {
  return id.slice(0, id.indexOf(".")) as Dimension;
}

/** One thing that can be wrong: what is left of the points then, how it is found, and how it is said. */
export type Fault = {
  readonly grade: number;
  readonly found: (item: Item, place: Place) => boolean;
  readonly say: (item: Item, place: Place) => string;
};

/** A judgment by a list of faults: the first one found counts, so the gravest stand first. */
export function byFaults(...faults: readonly [Fault, ...Fault[]]): Judgment {
  const say: Judgment["say"] = (item, place) =>
    faults.find(({ found }) => found(item, place))?.say(item, place) ?? "";
  const [{ found, grade }, ...others] = faults;
  // Most rules have one fault, and all are asked for every item.
  if (others.length === 0) return { grade: (item, place) => (found(item, place) ? grade : FINE), say };
  return {
    grade: (item, place) => {
      for (const fault of faults) if (fault.found(item, place)) return fault.grade;
      return FINE;
    },
    say,
  };
}

export function judge(rule: ItemRule, item: Item, place: Place): Outcome {
  return rule.applies === null || rule.applies(item, place) ? rule.grade(item, place) : NOT_APPLICABLE;
}

/** A critical rule that is met in part does not keep the item out, so such a finding is no more than major. */
export function severityOf(rule: RuleFacts, grade: Outcome): Severity {
  return rule.severity === "critical" && grade > 0 ? "major" : rule.severity;
}

const LONGEST_QUOTE = 80;

/** A value as a sentence repeats it: within quotes, cut when it is long. */
export function quoted(value: string): string {
  return value.length <= LONGEST_QUOTE ? `"${value}"` : `"${value.slice(0, LONGEST_QUOTE).toWellFormed()}…"`;
}
