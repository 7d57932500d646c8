/**
 * The items that an audit compares with each other: a whole catalog in one pass, or one group. The scope fills the
 * `RuleContext` of each item; facts about items outside of the scope are unknown.
 */
import { isDummyText } from "../catalog/filler-words.ts";
import type { ItemGroup, Item } from "../catalog/item.ts";
import { memoizeLast } from "../lib/memoize.ts";
import { type AuditContext, type AuditedShop, shopOf } from "./audit-context.ts";
import type { CatalogTables } from "./catalog-tables.ts";
import { CatalogIndex, configuredCurrency } from "./catalog-index.ts";
import { PASS, UNKNOWN } from "./outcome.ts";
import type { MutableRuleContext, AuditRuleContext } from "./rule.ts";
import { Siblings } from "./siblings.ts";
import { NO_TEXT_FACTS, textFacts } from "./text-checks.ts";
import { hostFacts, imageFacts, NO_HOST_FACTS, NO_IMAGE_FACTS } from "./url-checks.ts";

export type AuditScope = {
  readonly shop: AuditedShop;
  /** Must be called before the items of a group, or of a part of a group. */
  readonly startGroup: (group: ItemGroup) => void;
  /** Must be called for the items in the order of their group. The context is valid until the next call. */
  readonly contextOf: (item: Item) => AuditRuleContext;
  /** Replaces the facts about the item in the last context by the facts about the item that a channel publishes. */
  readonly fillFacts: (item: Item) => void;
};

/** Compares the items of a whole catalog, which is read once in catalog order. */
export function catalogScope(audit: AuditContext, tables: CatalogTables): AuditScope {
  const siblings = new Siblings();
  const index = new CatalogIndex(audit.settings, tables);
  const shop = shopOf(audit);
  const context = emptyContext(shop);
  const fillFacts = itemFacts(shop.host);
  return {
    shop,
    startGroup: (group) => {
      siblings.startGroup(group);
      index.startGroup(group);
    },
    contextOf: (item) => {
      fillFacts(item, context);
      siblings.fill(item, context);
      index.fill(item, context);
      return context;
    },
    fillFacts: (item) => fillFacts(item, context),
  };
}

/** Compares a single item with the other items of its group, if these items are known. */
export function groupScope(audit: AuditContext, hasSiblings: boolean): AuditScope {
  const siblings = new Siblings();
  const shop = shopOf(audit);
  const fillFacts = itemFacts(shop.host);
  let context = emptyContext(shop);
  return {
    shop,
    startGroup: (group) => siblings.startGroup(group),
    contextOf: (item) => {
      context = emptyContext(shop);
      fillFacts(item, context);
      siblings.fill(item, context);
      if (!hasSiblings && item.groupId !== undefined) context.groupStatus = "unknown";
      context.marketCurrency = configuredCurrency(item, audit.settings);
      context.uniqueGtin = UNKNOWN;
      context.uniqueDescription = UNKNOWN;
      context.sharedImageCount = UNKNOWN;
      context.sharedLinkCount = UNKNOWN;
      return context;
    },
    fillFacts: (item) => fillFacts(item, context),
  };
}

/**
 * Computes the facts that depend on the item alone. Consecutive items mostly share description, host and image, so the
 * last facts are kept.
 */
function itemFacts(storeHost: string | null) {
  const textOf = memoizeLast(textFacts);
  const imageOf = memoizeLast(imageFacts);
  const hostOf = memoizeLast((origin: string) =>
    origin === "" ? NO_HOST_FACTS : hostFacts(origin, storeHost),
  );
  return ({ title, description, link, images }: Item, context: MutableRuleContext): void => {
    context.isDummyTitle = isDummyText(title);
    context.description = description === undefined ? NO_TEXT_FACTS : textOf(description);
    context.host = hostOf(originOf(link));
    context.mainImage = images === undefined ? NO_IMAGE_FACTS : imageOf(images[0] ?? "");
  };
}

/** Returns the link up to the slash after its host; empty for an item without a link. */
function originOf(link: string | undefined): string {
  if (link === undefined) return "";
  const slash = link.indexOf("/", link.indexOf("//") + 2);
  return slash < 0 ? link : link.slice(0, slash + 1);
}

function emptyContext(shop: AuditedShop): MutableRuleContext {
  return {
    shop,
    isDummyTitle: false,
    description: NO_TEXT_FACTS,
    host: { host: "", isPublic: true, isOwn: true },
    mainImage: NO_IMAGE_FACTS,
    groupStatus: "none",
    isParentRow: false,
    hasOtherOptions: false,
    mismatch: null,
    uniqueOptions: PASS,
    uniqueLink: PASS,
    uniqueImage: PASS,
    isPriceOutlier: false,
    uniqueGtin: PASS,
    uniqueDescription: PASS,
    sharedImageCount: 0,
    sharedLinkCount: 0,
    marketCurrency: undefined,
  };
}
