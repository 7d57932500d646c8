/**
 * hotline.ua's XML (`price` with an `item` for each item) and Yandex Market Language (`yml_catalog`), which Russian and
 * Ukrainian marketplaces read: `offers` with an `offer` for each item. Categories come before the offers, as a tree of
 * ids; offers name theirs by id. Weights are in kilograms, dimensions in centimeters.
 */
import type { Draft } from "../../../catalog/draft.ts";
import { readCondition } from "../../../catalog/vocabulary/condition.ts";
import { FormatError } from "../../../lib/formats/format-error.ts";
import type { XmlElement } from "../../../lib/formats/xml-elements.ts";
import { trimmedText } from "../../product-record/cells.ts";
import { countOmissions, defined } from "./kit.ts";
import {
  childrenNamed,
  childText,
  childTexts,
  type ItemReading,
  parameterFields,
  withoutAlias,
  type XmlDialect,
} from "./xml-dialect.ts";

const MAX_CATEGORIES = 100_000;
const DEEPEST_PATH = 20;

type YandexCategory = { readonly name: string; readonly parent: string | undefined };

export const yandex: XmlDialect = {
  name: "Yandex YML",
  matches: (root, record) => root === "yml_catalog" && record === "offer",
  records: new Set(["offer"]),
  lists: ["category", "currency"],
  columns: {
    model: "product_title",
    oldprice: "old_price",
    old_price: "old_price",
    price_old: "old_price",
    currency_id: "currency",
    currencyid: "currency",
    vendor: "vendor",
    vendor_code: "mpn",
    quantity_in_stock: "quantity",
    stock_quantity: "quantity",
    count: "quantity",
    ...withoutAlias("category_id categoryid condition param dimensions type_prefix"),
    // About the listing, not about the item.
    ...withoutAlias("type bid cbid fee cpa"),
  },
  open: () => {
    const categories = new Map<string, YandexCategory>();
    let baseCurrency: string | undefined;
    return {
      listed: (element) => {
        if (element.name.toLowerCase() === "currency") {
          baseCurrency ??= baseCurrencyOf(element);
          return;
        }
        const id = element.attributes["id"] ?? childText(element, "id");
        const parentId = element.attributes["parentId"] ?? childText(element, "parentid");
        const name = childText(element, "name") ?? trimmedText(element.text);
        if (id === undefined || name === undefined) return;
        if (categories.size >= MAX_CATEGORIES)
          throw new FormatError("too_large", `The file has more than ${MAX_CATEGORIES} categories.`);
        categories.set(id, { name, parent: parentId === id ? undefined : parentId });
      },
      begin: () => begin(categories, baseCurrency),
    };
  },
};

/** The currency with the rate 1. */
function baseCurrencyOf({ attributes: { rate, id } }: XmlElement): string | undefined {
  return Number(rate) === 1 ? id : undefined;
}

/** Its prices are in hryvnias, in an element of that name; those in dollars are for hotline's own use. */
export const hotline: XmlDialect = {
  ...yandex,
  name: "hotline.ua XML",
  matches: (root, record) => root === "price" && record === "item",
  records: new Set(["item"]),
  columns: {
    url: "link",
    price_ruah: "price",
    oldprice: "old_price",
    code: "mpn",
    barcode: "gtin",
    stock: "availability",
    ...withoutAlias("category_id condition param price_rusd delivery shipping region guarantee custom"),
  },
  open: () => {
    const { listed, begin: beginYandex } = yandex.open();
    return {
      ...(listed !== undefined && { listed }),
      begin: () => {
        const reading = beginYandex();
        const complete = (element: XmlElement, draft: Draft): Draft => {
          const { condition: _, ...completed } = reading.complete(element, { currency: "UAH", ...draft });
          // Of the numbers, 0 is new; hotline's other numbers are not read.
          return childText(element, "condition") === "0" ? { ...completed, condition: "new" } : completed;
        };
        return { ...reading, complete };
      },
    };
  },
};

/** `baseCurrency`: that of prices whose offers name none. */
function begin(
  categories: ReadonlyMap<string, YandexCategory>,
  baseCurrency: string | undefined,
): ItemReading {
  const unknown = countOmissions(
    (count, ids) =>
      `${count} category ids of offers are not in the file's list of categories and are not used: ${ids}.`,
  );

  function pathOf(id: string): string | undefined {
    const levels: string[] = [];
    for (let at: string | undefined = id; at !== undefined && levels.length < DEEPEST_PATH; ) {
      const category = categories.get(at);
      if (category === undefined) break;
      levels.unshift(category.name);
      at = category.parent;
    }
    if (levels.length === 0) unknown.add(id);
    return levels.length === 0 ? undefined : levels.join(" > ");
  }

  function complete(element: XmlElement, draft: Draft): Draft {
    const paths = childTexts(element, "categoryid").flatMap((id) => pathOf(id) ?? []);
    const hasName = childText(element, "name") !== undefined;
    const isNamedByModel = childText(element, "model") !== undefined || draft.title === undefined;
    const title = !hasName && isNamedByModel ? titleOf(element) : undefined;
    const params = childrenNamed(element, "param").map(({ attributes, text }) => {
      const value = trimmedText(text);
      const unit = trimmedText(attributes["unit"] ?? "");
      return {
        name: trimmedText(attributes["name"] ?? ""),
        value: value === undefined || unit === undefined ? value : `${value} ${unit}`,
      };
    });
    const currency = (draft.currency ?? baseCurrency)?.toUpperCase();
    return {
      ...parameterFields(params, draft.groupId),
      ...dimensionsOf(childText(element, "dimensions")),
      ...defined({
        categories: paths.length === 0 ? undefined : paths,
        condition: conditionOf(element),
        weightUnit: draft.weight === undefined ? undefined : "kg",
      }),
      ...draft,
      ...(title === undefined ? {} : { title }),
      ...(currency === undefined ? {} : { currency }),
    };
  }

  return { complete, notes: unknown.notes };
}

/** An offer without a name is named by what it is, who makes it and the model. A maker alone is no name. */
function titleOf(element: XmlElement): string | undefined {
  const [type, vendor, model] = ["typeprefix", "vendor", "model"].map((name) => childText(element, name));
  if (type === undefined && model === undefined) return undefined;
  return [type, vendor, model].filter((part) => part !== undefined).join(" ");
}

/** `<condition type="likenew">`; what has a condition at all is not new. */
function conditionOf(element: XmlElement): string | undefined {
  const [condition] = childrenNamed(element, "condition");
  if (condition === undefined) return undefined;
  const stated = trimmedText(condition.attributes["type"] ?? "") ?? trimmedText(condition.text) ?? "";
  return readCondition(stated) === undefined ? "used" : stated;
}

/** `20.1/20.55/22.5`: length, width and height. */
function dimensionsOf(text: string | undefined): Draft {
  const [length, width, height, ...more] = (text ?? "").split("/").map((part) => part.trim());
  const sizes = [length, width, height];
  if (more.length > 0 || !sizes.every((size) => size !== undefined && /^\d{1,6}(?:[.,]\d{1,4})?$/.test(size)))
    return {};
  return defined({ length, width, height, dimensionsUnit: "cm" });
}
