/**
 * Ceneo's XML: `offers` with an `o` for each item, whose id, address, price and availability are attributes. Prices
 * name no currency, weights are in kilograms.
 */
import { counted } from "../../../lib/counted.ts";
import type { Draft } from "../../../catalog/draft.ts";
import type { XmlElement } from "../../../lib/formats/xml-elements.ts";
import { trimmedText } from "../../product-record/cells.ts";
import { countOmissions, defined } from "./kit.ts";
import {
  categoryPath,
  childrenNamed,
  childTexts,
  type ItemReading,
  type Parameter,
  parameterFields,
  withoutAlias,
  type XmlDialect,
} from "./xml-dialect.ts";

/**
 * What `avail` means: dispatched within 24 hours (1), 3 days, a week or two weeks; on order (90); to be asked of the
 * shop (99); pre-order (110). What is dispatched in some days is in stock with a handling time.
 */
const AVAILABILITY: ReadonlyMap<string, Draft> = new Map([
  ["1", { availability: "in stock", deliveryTime: "1" }],
  ["3", { availability: "in stock", deliveryTime: "3" }],
  ["7", { availability: "in stock", deliveryTime: "7" }],
  ["14", { availability: "in stock", deliveryTime: "14" }],
  ["90", { availability: "backorder" }],
  ["110", { availability: "preorder" }],
]);
const ASK_THE_SHOP = "99";

export const ceneo: XmlDialect = {
  name: "Ceneo XML",
  matches: (root, record) => root === "offers" && record === "o",
  records: new Set(["o"]),
  columns: {
    url: "link",
    desc: "description",
    stock: "quantity",
    ...withoutAlias("avail cat imgs attrs"),
    // About the listing at Ceneo, not about the item.
    ...withoutAlias("basket set"),
  },
  open: () => ({ begin }),
};

function begin(): ItemReading {
  const unread = countOmissions(
    (count, values) =>
      `${counted(count, "item has", "items have")} an availability (avail) that does not say whether it is in stock: ${values}.`,
  );

  function complete(element: XmlElement, draft: Draft): Draft {
    const written = element.attributes["avail"];
    const stock = written === undefined ? undefined : AVAILABILITY.get(written);
    if (written !== undefined && stock === undefined)
      unread.add(written === ASK_THE_SHOP ? "99 (ask the shop)" : written);
    const [image, ...more] = imagesOf(element);
    const categories = childTexts(element, "cat").map((text) => categoryPath(text, "/"));
    return {
      ...parameterFields(childrenNamed(element, "attrs").flatMap(attributesIn), draft.groupId),
      ...stock,
      ...defined({
        image,
        additionalImages: more.length === 0 ? undefined : more,
        categories: categories.length === 0 ? undefined : categories,
        weightUnit: draft.weight === undefined ? undefined : "kg",
      }),
      ...draft,
    };
  }

  return { complete, notes: unread.notes };
}

function imagesOf(element: XmlElement): string[] {
  const all = childrenNamed(element, "imgs").flatMap((list) => [
    ...childrenNamed(list, "main"),
    ...childrenNamed(list, "i"),
  ]);
  return [...new Set(all.flatMap(({ attributes }) => trimmedText(attributes["url"] ?? "") ?? []))];
}

function attributesIn(list: XmlElement): Parameter[] {
  return childrenNamed(list, "a").map(({ attributes, text }) => ({
    name: attributes["name"]?.replaceAll("_", " "),
    value: trimmedText(text),
  }));
}
