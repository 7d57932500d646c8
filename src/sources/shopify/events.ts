/** One product as events: a draft for every variant, and a rejection for what cannot be read. */
import type { SourceEvent } from "../source.ts";
import { mapVariant, type ShopFacts } from "./map.ts";
import type { Register } from "./register.ts";
import type { ShopifySettings } from "./settings.ts";
import { isUnreadable, type ShopProduct, type Unreadable } from "./wire.ts";

export type Mapping = {
  readonly settings: ShopifySettings;
  readonly shop: ShopFacts;
  readonly register: Register;
};

export function* productEvents(
  product: ShopProduct | Unreadable,
  { settings, shop, register }: Mapping,
): Generator<SourceEvent, void, void> {
  if (isUnreadable(product)) {
    yield rejected(product, null, register);
    return;
  }
  if (product.variants.length === 0) {
    yield rejected(
      { unreadable: "The product has no variant, so there is nothing to sell." },
      product,
      register,
    );
  }
  for (const variant of product.variants) {
    const draft = mapVariant(product, variant, { shop, settings });
    if (isUnreadable(draft)) yield rejected(draft, null, register);
    else yield { kind: "draft", position: register.nextPosition(), draft, decimalMark: "." };
  }
}

function rejected({ unreadable }: Unreadable, product: ShopProduct | null, register: Register): SourceEvent {
  const itemId = product === null ? null : String(product.number);
  const position = register.nextPosition();
  return {
    kind: "rejected",
    rejection: { itemId, position, field: null, code: "unreadable_row", message: unreadable },
  };
}
