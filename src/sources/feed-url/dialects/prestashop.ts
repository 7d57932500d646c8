/**
 * PrestaShop's product files: the CSV of its import (which export modules write as well), and the list that the
 * back office exports. Links use the product's number, from which PrestaShop finds the page's proper address.
 */
import { isZeroDecimal } from "../../../catalog/decimal.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { withImages } from "../../product-record/product-draft.ts";
import { columnTable, type Dialect, type MakeRowMapper, onePass, type DialectRow } from "./dialect.ts";
import {
  colonPairs,
  defined,
  discounted,
  countOmissions,
  imageParts,
  nonEmpty,
  pageById,
  parts,
  stockOf,
  unitlessWeights,
  withShownPrices,
} from "./kit.ts";

const PRICE_COLUMNS = ["price_tax_included", "price_tax_incl", "price_tax_excluded", "price_tax_excl"];
const GROSS_COLUMNS = PRICE_COLUMNS.slice(0, 2);
const NET_COLUMNS = [...PRICE_COLUMNS.slice(2), "price_tax_excluded_or_price_tax_included"];

export const prestashop: Dialect = {
  name: "PrestaShop product export",
  matches: (names) =>
    [...GROSS_COLUMNS, ...NET_COLUMNS].some((name) => names.has(name)) &&
    (names.has("active_0_1") ||
      names.has("url_rewritten") ||
      (names.has("product_id") && names.has("reference"))),
  columns: columnTable(
    {
      product_id: "item_id",
      id: "item_id",
      name: "title",
      reference: "sku",
      ean13: "gtin",
      ean_13: "gtin",
      upc: "gtin",
      mpn: "mpn",
      manufacturer: "brand",
      brand: "brand",
      summary: "short_description",
      short_description: "short_description",
      description: "description",
      quantity: "quantity",
      condition: "condition",
      width: "width",
      height: "height",
      depth: "length",
      weight: "weight",
    },
    /^(?:image|category|status|active|visibility)$/,
  ),
  open: ({ storeUrl }) => onePass(productRows(storeUrl)),
};

const PAGE = "/index.php?controller=product&id_product=";

function productRows(storeUrl: string | undefined): MakeRowMapper {
  return ({ names }) => {
    // "none" is a value here, where other cells mean nothing by it.
    const visibility = names.indexOf("visibility");
    const weights = unitlessWeights();
    const netPrices = countOmissions(
      (count) =>
        `${count} prices are without tax ("Price tax excluded"), because the export has no others. Where the shop shows prices with tax, export the column with tax included.`,
    );
    const grossCuts = countOmissions(
      (count, ids) =>
        `${count} discounts are amounts with tax on prices without tax and are left out (products ${ids}).`,
    );

    function draftOf({ at, cells, readDraft }: DialectRow): Draft {
      const mapped = readDraft();
      const { isNet, isCutUnknown, ...prices } = pricesOf(at, mapped.price);
      if (isNet) netPrices.add();
      if (isCutUnknown) grossCuts.add(mapped.id);
      const draft: Draft = {
        ...mapped,
        ...defined({
          link: mapped.link ?? pageById(storeUrl, PAGE, mapped.id),
          ...prices,
          priceIncludesTax: isNet ? "false" : undefined,
          availability: availabilityOf(at),
          categories: categoriesOf(at),
          details: featuresOf(at("feature")),
          published: publicationOf(at, cells[visibility]),
          isDigital: at("virtual_product") === "1" ? "true" : undefined,
        }),
      };
      const images = imageParts(at("image_urls_x_y_z", "image"));
      return withImages(weights.drop(withoutUnitlessSize(withShownPrices(draft))), images);
    }

    return {
      row: (row) => [{ kind: "draft", draft: draftOf(row) }],
      end: () => [...netPrices.notes(), ...grossCuts.notes(), ...weights.notes()],
    };
  };
}

/** The unit of lengths is a setting of the shop, which the export does not say. */
function withoutUnitlessSize({ length, width, height, ...draft }: Draft): Draft {
  if (draft.dimensionsUnit === undefined) return draft;
  return { ...draft, ...defined({ length, width, height }) };
}

/** A discount in percent is the same with tax and without; one in an amount is with tax. */
function pricesOf(at: DialectRow["at"], mapped: string | undefined) {
  const gross = mapped ?? at(...GROSS_COLUMNS);
  const price = gross ?? at(...NET_COLUMNS);
  const amount = at("discount_amount");
  const isNet = gross === undefined && price !== undefined;
  const isCutUnknown = isNet && amount !== undefined && !isZeroDecimal(amount);
  return {
    isNet,
    isCutUnknown,
    price,
    salePrice:
      price === undefined || isCutUnknown ? undefined : salePrice(price, at("discount_percent"), amount),
    saleFrom: day(at("discount_from_yyyy_mm_dd")),
    saleTo: day(at("discount_to_yyyy_mm_dd")),
  };
}

function salePrice(
  price: string,
  percent: string | undefined,
  amount: string | undefined,
): string | undefined {
  if (percent !== undefined) return discounted(price, { percent });
  return amount === undefined ? undefined : discounted(price, { amount });
}

/** `0000-00-00` is how databases write that there is none. */
function day(text: string | undefined): string | undefined {
  return text?.startsWith("0000") === true ? undefined : text;
}

function availabilityOf(at: DialectRow["at"]): string | undefined {
  if (at("available_for_order_0_no_1_yes") === "0") return "out of stock";
  const allowsBackorders = at("out_of_stock_action", "out_of_stock") === "1";
  return stockOf({ isTracked: true, quantity: at("quantity"), allowsBackorders });
}

function categoriesOf(at: DialectRow["at"]): readonly string[] | undefined {
  const paths = parts(at("categories_x_y_z", "category"), ",").map((path) =>
    parts(path, "/")
      .filter((name, index) => index > 0 || !/^(?:home|accueil|root|inicio|startseite)$/i.test(name))
      .join(" > "),
  );
  return nonEmpty(paths.filter((path) => path !== "" && !/^\d+$/.test(path)));
}

/** `Material:Cotton:1,Style:Casual:2`: features are shown on the product's page. */
function featuresOf(text: string | undefined): Draft["details"] {
  const features = parts(text, ",").map((feature) => feature.split(":", 2).join(":"));
  return nonEmpty(colonPairs(features));
}

function publicationOf(at: DialectRow["at"], visibility: string | undefined): string | undefined {
  const active = at("active_0_1", "status", "active");
  if (active !== undefined && /^(?:0|false|no|disabled|offline)$/i.test(active)) return "disabled";
  return visibility?.trim().toLowerCase() === "none" ? "hidden" : undefined;
}
