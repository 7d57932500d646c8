/** One product as events: a draft for every variant, and a rejection for what cannot be read. */
import type { SourceEvent } from "../source.ts";
import { mapVariant, type ShopFacts } from "./map.ts";
import type { EventBuilder } from "../kit/event-builder.ts";
import type { DropReasonName } from "./drop-reasons.ts";
import type { ShopifySettings } from "./settings.ts";
import { isUnreadable, type ShopProduct, type Unreadable } from "./wire.ts";

export type Mapping = {
  readonly settings: ShopifySettings;
  readonly shop: ShopFacts;
  readonly events: EventBuilder<DropReasonName>;
};

export function* productEvents(
  product: ShopProduct | Unreadable,
  { settings, shop, events }: Mapping,
): Generator<SourceEvent, void, void> {
  if (isUnreadable(product)) {
    yield events.reject({ message: product.unreadable });
    return;
  }
  if (product.variants.length === 0) {
    const message = "The product has no variant, so there is nothing to sell.";
    yield events.reject({ itemId: String(product.number), message });
  }
  for (const variant of product.variants) {
    const draft = mapVariant(product, variant, { shop, settings });
    yield isUnreadable(draft) ? events.reject({ message: draft.unreadable }) : events.draft(draft);
  }
}
