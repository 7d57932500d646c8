/**
 * The XML that Heureka (CZ, SK), Zboží.cz and Glami read: `SHOP` with a `SHOPITEM` for each item. Prices include tax
 * and name no currency. `DELIVERY_DATE` is the number of days until dispatch, 0 for what is in stock, or the day from
 * which an item is available.
 */
import { counted } from "../../../lib/counted.ts";
import { parseInstant } from "../../../catalog/dates.ts";
import type { Draft, ShippingDraft } from "../../../catalog/draft.ts";
import type { XmlElement } from "../../../lib/formats/xml-elements.ts";
import { defined, countOmissions } from "./kit.ts";
import {
  categoryPath,
  childrenNamed,
  childText,
  childTexts,
  type ItemReading,
  parameterFields,
  withoutAlias,
  type XmlDialect,
} from "./xml-dialect.ts";

export const heureka: XmlDialect = {
  name: "Heureka XML",
  matches: (_, record) => record === "shopitem",
  records: new Set(["shopitem"]),
  columns: {
    productname: "title",
    // The name with what the shop adds to it ("free gift"): the title only where there is no other.
    product: "product_title",
    url: "link",
    imgurl: "image_link",
    imgurl_alternative: "additional_image_link",
    price_vat: "price",
    price: "list_price",
    price_before_discount: "compare_at_price",
    manufacturer: "manufacturer",
    productno: "mpn",
    item_type: "condition",
    ...withoutAlias("categorytext param delivery delivery_date"),
    // About the listing on the comparison site, not about the item.
    ...withoutAlias(
      "vat dues heureka_cpc glami_cpc max_cpc max_cpc_search accessory gift gift_id extended_warranty special_service sales_voucher shop_depots url_size",
    ),
  },
  open: () => ({ begin }),
};

function begin(): ItemReading {
  const netPrices = countOmissions(
    (count) =>
      `${counted(count, "item has", "items have")} only a price without tax (PRICE). Where the shop shows prices with tax, export PRICE_VAT.`,
  );
  const unreadTimes = countOmissions(
    (count, values) =>
      `${count} delivery dates are neither a number of days nor a date, so the availability is not known: ${values}.`,
  );

  function complete(element: XmlElement, draft: Draft): Draft {
    const isNet = childText(element, "price_vat") === undefined && draft.price !== undefined;
    if (isNet) netPrices.add();
    const written = childText(element, "delivery_date");
    const time = deliveryTime(written);
    if (written !== undefined && time === null) unreadTimes.add(written);
    const categories = childTexts(element, "categorytext").map((text) => categoryPath(text, "|"));
    const shipping = ratesOf(element, time?.days);
    return {
      ...parameterFields(
        childrenNamed(element, "param").map((param) => ({
          name: childText(param, "param_name"),
          value: childText(param, "val"),
        })),
        draft.groupId,
      ),
      ...(time === null ? {} : time.draft),
      ...defined({
        categories: categories.length === 0 ? undefined : categories,
        shipping: shipping.length === 0 ? undefined : shipping,
        priceIncludesTax: isNet ? "false" : undefined,
      }),
      ...draft,
    };
  }

  return { complete, notes: () => [...netPrices.notes(), ...unreadTimes.notes()] };
}

type DeliveryTime = { readonly days: string | undefined; readonly draft: Draft };

/**
 * An item that is dispatched in some days is in stock and has a handling time. A date is the day from
 * which a pre-order is delivered.
 */
function deliveryTime(text: string | undefined): DeliveryTime | null {
  if (text === undefined) return null;
  if (/^\d{1,3}$/.test(text)) return { days: text, draft: { availability: "in stock", deliveryTime: text } };
  const date = parseInstant(text, "start");
  if (date.kind === "invalid") return null;
  return { days: undefined, draft: { availability: "preorder", availabilityDate: date.value.slice(0, 10) } };
}

/** Prices of delivery paid in advance. Those for cash on delivery (`DELIVERY_PRICE_COD`) have no place in a feed. */
function ratesOf(element: XmlElement, days: string | undefined): ShippingDraft[] {
  return childrenNamed(element, "delivery").flatMap((delivery) => {
    const price = childText(delivery, "delivery_price");
    const service = childText(delivery, "delivery_id");
    if (price === undefined) return [];
    return [
      {
        price,
        ...(service === undefined ? {} : { service }),
        ...(days === undefined ? {} : { maxHandling: days }),
      },
    ];
  });
}
