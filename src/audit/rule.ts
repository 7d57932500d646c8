/**
 * The definition of a rule: texts and numbers for people and programs, and two pure functions. `evaluate` returns the
 * twelfths of the points that an item earns; `message` says in one sentence what is wrong with an item that does not
 * earn all points. A rule's number is never changed and never reused, because stored verdicts refer to rules by number.
 */
import type { ChannelName, FeedPart, Item } from "../catalog/item.ts";
import { snakeCase } from "../lib/snake-case.ts";
import type { AuditedShop } from "./audit-context.ts";
import { FAIL, NOT_APPLICABLE, type Outcome, PASS } from "./outcome.ts";
import type { TextFacts } from "./text-checks.ts";
import type { HostFacts, ImageFacts } from "./url-checks.ts";

const MERCHANTS = "https://support.google.com/merchants/answer";
const SEARCH = "https://developers.google.com/search/docs/appearance/structured-data";
const OPENAI = "https://developers.openai.com/commerce/specs/file-upload";

export const REFERENCES = {
  openaiProducts: `${OPENAI}/products`,
  openaiUploads: `${OPENAI}/overview`,
  productData: `${MERCHANTS}/7052112`,
  description: `${MERCHANTS}/6324468`,
  image: `${MERCHANTS}/6324350`,
  price: `${MERCHANTS}/6324371`,
  availability: `${MERCHANTS}/6324448`,
  gtin: `${MERCHANTS}/6324461`,
  restrictedGtin: `${MERCHANTS}/7000684`,
  itemGroup: `${MERCHANTS}/6324507`,
  unitPricing: `${MERCHANTS}/6324455`,
  shipping: `${MERCHANTS}/6324484`,
  merchantListing: `${SEARCH}/merchant-listing`,
  variants: `${SEARCH}/product-variants`,
} as const satisfies Record<string, string>;

export const DIMENSIONS = {
  eligibility: {
    title: "Eligibility",
    question: "Does each channel get all required values in a valid form?",
  },
  identity: {
    title: "Identity and variants",
    question: "Can a channel identify the product and the variant?",
  },
  offer: {
    title: "Offer integrity",
    question: "Are price, sale, stock and shipping plausible and consistent?",
  },
  content: { title: "Content", question: "Do title, description and images explain the product?" },
  class: { title: "Classification and attributes", question: "Can buyers filter and compare the item?" },
  fresh: { title: "Freshness", question: "Do channels read current data?" },
} as const satisfies Record<string, { readonly title: string; readonly question: string }>;
export type Dimension = keyof typeof DIMENSIONS;

/**
 * The channels that read the files. The two ACP files have the same rows and are audited once. `weight` is the
 * channel's share of an item, out of `ALL_WEIGHTS`: an item loses this share if the channel refuses the item. JSON-LD
 * only describes pages that exist already, so a catalog that both shopping channels refuse keeps at most a tenth.
 */
export const FORMATS = {
  acp: { title: "OpenAI", channel: "openai", files: ["acp.csv", "acp.json"], weight: 9 },
  gmc: { title: "Google Merchant Center", channel: "google", files: ["gmc.tsv"], weight: 9 },
  jsonld: {
    title: "Google merchant listings (JSON-LD)",
    channel: "schema_org",
    files: ["jsonld.json"],
    weight: 2,
  },
} as const satisfies Record<
  string,
  {
    readonly title: string;
    readonly channel: ChannelName;
    readonly files: readonly string[];
    readonly weight: number;
  }
>;
export type AuditFormat = keyof typeof FORMATS;
export const ALL_FORMATS: readonly AuditFormat[] = ["acp", "gmc", "jsonld"];
export const ALL_WEIGHTS = 20;

/** Formats as bits, in the order of `ALL_FORMATS`. */
export function bitsOf(formats: readonly AuditFormat[]): number {
  return formats.reduce((bits, format) => bits | (1 << ALL_FORMATS.indexOf(format)), 0);
}

const WEIGHTS = ALL_FORMATS.map((format) => FORMATS[format].weight);
const WEIGHTS_OF_BITS = Array.from({ length: 1 << WEIGHTS.length }, (_, bits) =>
  WEIGHTS.reduce<number>((sum, weight, at) => ((bits >> at) & 1 ? sum + weight : sum), 0),
);

/** The weight of all formats in `bits`. */
export const weightOfBits = (bits: number): number => WEIGHTS_OF_BITS[bits] ?? 0;

export const SEVERITIES = {
  critical: "A channel refuses the item or cannot list it.",
  major: "The item is listed, but shown less or without the value in question.",
  minor: "The item is listed; better data would help it.",
  info: "Advice without points; never affects the score.",
} as const satisfies Record<string, string>;
export type Severity = keyof typeof SEVERITIES;

/** What a rule looks at: the item alone, the other items of its group, or all items before it in the catalog. */
export type RuleScope = "item" | "group" | "catalog";

/**
 * The facts that a rule gets apart from the item. One object serves a whole audit and is refilled for every item, so a
 * rule must not keep it. The `unique…` outcomes fail if an earlier item has the same value.
 */
export type AuditRuleContext = {
  readonly shop: AuditedShop;
  /** Whether the title is dummy text such as "Item 1". */
  readonly isDummyTitle: boolean;
  readonly description: TextFacts;
  readonly host: HostFacts;
  readonly mainImage: ImageFacts;
  /** `single`: the group has no other item. `unknown`: the other items of the group are not available. */
  readonly groupStatus: "none" | "single" | "siblings" | "unknown";
  /**
   * The row is the product itself: its id is the id of the group, and it has no options although its siblings have
   * options.
   */
  readonly isParentRow: boolean;
  /** Whether the item's options have other names than the options of its siblings. */
  readonly hasOtherOptions: boolean;
  /** The field that differs from the first sibling's field although both must be equal. */
  readonly mismatch: "brand" | "groupTitle" | null;
  /** Whether the options are unique among the siblings. */
  readonly uniqueOptions: Outcome;
  readonly uniqueLink: Outcome;
  /** Whether the image is unique among siblings of other colors. */
  readonly uniqueImage: Outcome;
  /** The price is far from the median of its siblings. */
  readonly isPriceOutlier: boolean;
  /** Whether the GTIN is unique in the catalog. */
  readonly uniqueGtin: Outcome;
  /** Whether the first characters of the description are unique among unrelated items. */
  readonly uniqueDescription: Outcome;
  /** How many earlier unrelated products have the same main image or link; UNKNOWN if a single item is audited. */
  readonly sharedImageCount: number;
  readonly sharedLinkCount: number;
  /** The currency of the item's market; undefined when it is not known. */
  readonly marketCurrency: string | undefined;
};

export type MutableRuleContext = { -readonly [Field in keyof AuditRuleContext]: AuditRuleContext[Field] };

export type RuleInfo = {
  readonly number: number;
  readonly id: `${Dimension}.${string}`;
  /** The problem. */
  readonly title: string;
  /** Where the merchant finds the problem: a field of the item, or `settings`. */
  readonly field: keyof Item | "settings";
  readonly points: number;
  readonly severity: Severity;
  /** The formats whose score the rule affects. */
  readonly formats: readonly AuditFormat[];
  /** The formats that refuse the item when it earns none of the points. Only critical rules have some. */
  readonly blocks: readonly AuditFormat[];
  readonly scope: RuleScope;
  /** When the rule applies, as the end of a sentence that begins with "Applies". */
  readonly when: string;
  /** The requirement, and how points are earned. */
  readonly expects: string;
  /** What to do. */
  readonly advice: string;
  /** The channel's own documentation. */
  readonly reference: string;
};

export type AnyRule = RuleInfo & { readonly dimension: Dimension };

/** Returns what reports show of a rule. */
export function infoOf({ number, id, title, dimension, severity, points, advice, reference }: AnyRule) {
  return { number, id, title, dimension, severity, points, advice, reference };
}

/** Returns what a rule requires, and the channels that the requirement matters to. */
export function requirementOf({ field, when, expects, formats, blocks }: AnyRule) {
  return { field: snakeCase(field), applies: when, expects, formats, refused_by: blocks };
}

export type RuleCheck = {
  /** Twelfths earned, or UNKNOWN. Called only where the rule applies. */
  readonly evaluate: (item: Item, context: AuditRuleContext) => Outcome;
  /** Called only for items that do not earn all points. */
  readonly message: (item: Item, context: AuditRuleContext) => string;
};

export type ItemRule = RuleInfo &
  RuleCheck & {
    readonly dimension: Dimension;
    readonly applies: ((item: Item, context: AuditRuleContext) => boolean) | null;
  };

/** A rule about the settings of the shop. It has no points, so no item's score depends on it. */
export type ShopRule = RuleInfo & {
  readonly dimension: Dimension;
  readonly evaluate: (shop: AuditedShop) => Outcome;
  readonly message: (shop: AuditedShop) => string;
};

type Optional = Partial<
  Pick<ItemRule, "points" | "severity" | "formats" | "blocks" | "scope" | "when" | "applies">
>;

/**
 * Makes a rule about items. A rule without points is advice. A rule with a single problem has `found`, from which
 * `evaluate` is derived.
 */
export function itemRule(
  rule: Omit<RuleInfo, keyof Optional> & Optional & (RuleCheck | Omit<ScoredProblem, "earned">),
): ItemRule {
  const check = "found" in rule ? firstProblem({ earned: FAIL, ...rule }) : rule;
  return {
    points: 0,
    severity: "info",
    formats: ALL_FORMATS,
    blocks: [],
    scope: "item",
    when: "always",
    applies: null,
    dimension: dimensionOf(rule.id),
    ...rule,
    ...check,
  };
}

export function shopRule(
  rule: Omit<ShopRule, "dimension" | "field" | "points" | "severity" | "blocks" | "scope">,
): ShopRule {
  const dimension = dimensionOf(rule.id);
  return { ...rule, dimension, field: "settings", points: 0, severity: "info", blocks: [], scope: "item" };
}

function dimensionOf(id: RuleInfo["id"]): Dimension {
  return id.slice(0, id.indexOf(".")) as Dimension;
}

export type ScoredProblem = {
  /** The twelfths of the points that the item still earns. */
  readonly earned: Outcome;
  readonly found: (item: Item, context: AuditRuleContext) => boolean;
  readonly message: (item: Item, context: AuditRuleContext) => string;
};

/** Makes a check from a list of problems, the worst first. The first problem that is found counts. */
export function firstProblem(first: ScoredProblem, ...others: readonly ScoredProblem[]): RuleCheck {
  const { found, earned } = first;
  const rest = others.map((other) => ({ found: other.found, earned: other.earned }));
  return {
    evaluate: (item, context) => {
      if (found(item, context)) return earned;
      for (const other of rest) if (other.found(item, context)) return other.earned;
      return PASS;
    },
    message: (item, context) =>
      [first, ...others].find((problem) => problem.found(item, context))?.message(item, context) ?? "",
  };
}

export function evaluateRule(
  rule: Pick<ItemRule, "applies" | "evaluate" | "formats">,
  item: Item,
  context: AuditRuleContext,
): Outcome {
  const excluded = item.feed?.excluded;
  if (excluded !== undefined && isForOthers(rule, excluded)) return NOT_APPLICABLE;
  return rule.applies === null || rule.applies(item, context) ? rule.evaluate(item, context) : NOT_APPLICABLE;
}

/**
 * Whether only channels that a rule of the merchant keeps the item out of want this: their requirements do not matter
 * for the item.
 */
function isForOthers(
  { formats }: Pick<ItemRule, "formats">,
  excluded: NonNullable<FeedPart["excluded"]>,
): boolean {
  return formats.length < ALL_FORMATS.length && formats.every((format) => excluded[FORMATS[format].channel]);
}

/** An item that earns some points of a critical rule is not refused, so the finding is only major. */
export function severityOf(rule: RuleInfo, earned: Outcome): Severity {
  return rule.severity === "critical" && earned > 0 ? "major" : rule.severity;
}

const MAX_QUOTE = 80;

/** Puts a value in quotes, and shortens a long value. */
export function quoted(value: string): string {
  return value.length <= MAX_QUOTE ? `"${value}"` : `"${value.slice(0, MAX_QUOTE).toWellFormed()}…"`;
}
