/**
 * The sheet "Products" of OpenCart's Export/Import tool, saved as CSV. Options, additional images and special prices
 * are in other sheets and not in the file. Links use the product's number, by which OpenCart finds any page.
 */
import type { Draft } from "../../../catalog/draft.ts";
import { shopLink } from "../../product-record/product-draft.ts";
import { columnTable, type Dialect, onePass, type RowMapper, withoutLanguage } from "./dialect.ts";
import {
  defined,
  disabledUnless,
  isYesOrAbsent,
  pageById,
  countOmissions,
  stockOf,
  withoutUntrackedQuantity,
  withShownPrices,
} from "./kit.ts";

export const opencart: Dialect = {
  name: "OpenCart product export",
  matches: (names) =>
    ["product_id", "model", "image_name", "stock_status_id"].every((name) => names.has(name)),
  columns: columnTable(
    {
      product_id: "item_id",
      name: "title",
      description: "description",
      sku: "sku",
      upc: "gtin",
      ean: "gtin",
      jan: "gtin",
      isbn: "gtin",
      mpn: "mpn",
      manufacturer: "brand",
      price: "price",
      quantity: "quantity",
      weight: "weight",
      weight_unit: "weight_unit",
      length: "length",
      width: "width",
      height: "height",
      length_unit: "dimensions_unit",
    },
    /^(?:status|categories|shipping)$/,
    withoutLanguage,
  ),
  decimalMark: ".",
  open: ({ storeUrl }) => onePass(() => productRows(storeUrl)),
};

const PAGE = "/index.php?route=product/product&product_id=";

function productRows(storeUrl: string | undefined): RowMapper {
  const taxed = countOmissions(
    (count) =>
      `${count} prices belong to a tax class: OpenCart stores them without tax. Where the shop shows prices with tax, map a column that has them.`,
  );
  return {
    row: ({ at, readDraft }) => {
      const mapped = readDraft();
      if ((at("tax_class_id") ?? "0") !== "0") taxed.add();
      const image = at("image_name");
      const item: Draft = {
        ...mapped,
        ...defined({
          sku: mapped.sku ?? at("model"),
          link: mapped.link ?? pageById(storeUrl, PAGE, mapped.id),
          image: mapped.image ?? (image === undefined ? undefined : imageOf(storeUrl, image)),
          availability: stockOf({
            isTracked: isYesOrAbsent(at("subtract")),
            quantity: at("quantity"),
            allowsBackorders: false,
          }),
          published: disabledUnless(at("status")),
        }),
      };
      return [{ kind: "draft", draft: withoutUntrackedQuantity(withShownPrices(item)) }];
    },
    end: taxed.notes,
  };
}

/** Images lie below the folder `image` of the shop. */
function imageOf(storeUrl: string | undefined, name: string): string {
  if (/^https?:/i.test(name)) return name;
  return shopLink(
    storeUrl,
    `/image/${name.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/")}`,
  );
}
