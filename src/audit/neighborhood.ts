/**
 * Where each item stands: fills the one `Place` of an audit from the shop, the siblings and the catalog. With less to
 * look at (one item and perhaps its siblings) it says that it cannot see the rest.
 */
import type { Item } from "../catalog/item.ts";
import { CatalogMemory, currencyAt } from "./catalog-memory.ts";
import { NO_IMAGE_SIGNS } from "./image-name.ts";
import type { ItemGroup } from "../catalog/item-group.ts";
import { Looks } from "./looks.ts";
import { FINE, UNKNOWN } from "./outcome.ts";
import type { Place, PlaceUnderWay } from "./place.ts";
import { type AuditContext, type Shop, shopOf } from "./shop.ts";
import { Siblings } from "./siblings.ts";
import { NO_SIGNS } from "./text-signs.ts";

export type Neighborhood = {
  readonly shop: Shop;
  /** Before the items of a group, or of a part of one. */
  readonly enter: (group: ItemGroup) => void;
  /** The items in the order of their group. The place is good until the next look. */
  readonly look: (item: Item) => Place;
};

/** The neighborhood of a whole catalog that is walked through once. */
export function wholeCatalog(context: AuditContext): Neighborhood {
  const siblings = new Siblings();
  const memory = new CatalogMemory(context.settings);
  const shop = shopOf(context);
  const place = emptyPlace(shop);
  const looks = new Looks(shop.host);
  return {
    shop,
    enter: (group) => {
      siblings.enter(group);
      memory.enter(group);
    },
    look: (item) => {
      looks.look(item, place);
      siblings.look(item, place);
      memory.look(item, place);
      return place;
    },
  };
}

/** The neighborhood of a single item: its group, if it is at hand, and nothing of the rest of the catalog. */
export function oneGroup(context: AuditContext, hasSiblings: boolean): Neighborhood {
  const siblings = new Siblings();
  const shop = shopOf(context);
  return {
    shop,
    enter: (group) => siblings.enter(group),
    look: (item) => {
      const place = emptyPlace(shop);
      new Looks(shop.host).look(item, place);
      siblings.look(item, place);
      if (!hasSiblings && item.groupId !== undefined) place.kin = "unseen";
      place.currency = currencyAt(item, context.settings);
      place.gtin = UNKNOWN;
      place.opening = UNKNOWN;
      place.imageSharers = UNKNOWN;
      place.linkSharers = UNKNOWN;
      return place;
    },
  };
}

function emptyPlace(shop: Shop): PlaceUnderWay {
  return {
    shop,
    isDummyTitle: false,
    description: NO_SIGNS,
    host: { host: "", isPublic: true, isOwn: true },
    mainImage: NO_IMAGE_SIGNS,
    kin: "none",
    isParentRow: false,
    isUneven: false,
    odd: null,
    choice: FINE,
    link: FINE,
    image: FINE,
    isOutlier: false,
    gtin: FINE,
    opening: FINE,
    imageSharers: 0,
    linkSharers: 0,
    currency: undefined,
  };
}
