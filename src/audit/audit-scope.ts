/**
 * The items that an audit compares with each other: a whole catalog in one pass, or one group. It fills the
 * `RuleContext` of each item; what is outside of the scope is unknown.
 */
import { isDummyText } from "../catalog/filler-words.ts";
import type { ItemGroup } from "../catalog/item-group.ts";
import type { Item } from "../catalog/item.ts";
import { type AuditContext, type Shop, shopOf } from "./audit-context.ts";
import { CatalogIndex, configuredCurrency } from "./catalog-index.ts";
import { PASS, UNKNOWN } from "./outcome.ts";
import type { MutableRuleContext, RuleContext } from "./rule.ts";
import { Siblings } from "./siblings.ts";
import { NO_TEXT_FACTS, type TextFacts, textFacts } from "./text-checks.ts";
import { type HostFacts, hostFacts, type ImageFacts, imageFacts, NO_IMAGE_FACTS } from "./url-checks.ts";

export class ItemFacts {
  private readonly storeHost: string | null;
  private lastDescription = "";
  private lastText: TextFacts = NO_TEXT_FACTS;
  /** The link up to the slash after its host. */
  private lastOrigin = "";
  private lastHost: HostFacts = { host: "", isPublic: false, isOwn: false };
  private lastImageUrl = "";
  private lastImage: ImageFacts = NO_IMAGE_FACTS;

  constructor(storeHost: string | null) {
    this.storeHost = storeHost;
  }

  fill({ title, description, link, images }: Item, context: MutableRuleContext): void {
    context.isDummyTitle = isDummyText(title);
    context.description = description === undefined ? NO_TEXT_FACTS : this.textFacts(description);
    context.host = this.hostFacts(link);
    context.mainImage = images === undefined ? NO_IMAGE_FACTS : this.imageFacts(images[0] ?? "");
  }

  private textFacts(description: string): TextFacts {
    if (description !== this.lastDescription) {
      this.lastDescription = description;
      this.lastText = textFacts(description);
    }
    return this.lastText;
  }

  private hostFacts(link: string): HostFacts {
    if (this.lastOrigin === "" || !link.startsWith(this.lastOrigin)) {
      this.lastHost = hostFacts(link, this.storeHost);
      const slash = link.indexOf("/", link.indexOf("//") + 2);
      this.lastOrigin = slash < 0 ? "" : link.slice(0, slash + 1);
    }
    return this.lastHost;
  }

  private imageFacts(url: string): ImageFacts {
    if (url !== this.lastImageUrl) {
      this.lastImageUrl = url;
      this.lastImage = imageFacts(url);
    }
    return this.lastImage;
  }
}

export type AuditScope = {
  readonly shop: Shop;
  /** Before the items of a group, or of a part of one. */
  readonly startGroup: (group: ItemGroup) => void;
  /** The items in the order of their group. The context is valid until the next call. */
  readonly contextOf: (item: Item) => RuleContext;
};

/** A whole catalog, read once in catalog order. */
export function catalogScope(audit: AuditContext): AuditScope {
  const siblings = new Siblings();
  const index = new CatalogIndex(audit.settings);
  const shop = shopOf(audit);
  const context = emptyContext(shop);
  const facts = new ItemFacts(shop.host);
  return {
    shop,
    startGroup: (group) => {
      siblings.startGroup(group);
      index.startGroup(group);
    },
    contextOf: (item) => {
      facts.fill(item, context);
      siblings.fill(item, context);
      index.fill(item, context);
      return context;
    },
  };
}

/** A single item with the other items of its group, if they are known. */
export function groupScope(audit: AuditContext, hasSiblings: boolean): AuditScope {
  const siblings = new Siblings();
  const shop = shopOf(audit);
  return {
    shop,
    startGroup: (group) => siblings.startGroup(group),
    contextOf: (item) => {
      const context = emptyContext(shop);
      new ItemFacts(shop.host).fill(item, context);
      siblings.fill(item, context);
      if (!hasSiblings && item.groupId !== undefined) context.groupStatus = "unknown";
      context.marketCurrency = configuredCurrency(item, audit.settings);
      context.uniqueGtin = UNKNOWN;
      context.uniqueDescription = UNKNOWN;
      context.sharedImageCount = UNKNOWN;
      context.sharedLinkCount = UNKNOWN;
      return context;
    },
  };
}

function emptyContext(shop: Shop): MutableRuleContext {
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
