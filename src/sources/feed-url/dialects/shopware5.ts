/**
 * The article export of Shopware 5 (SwagImportExport). Every row is an item; rows of one `mainnumber` are variants of
 * one article. Prices are those of the customer group EK, with tax. The export has no links and no file can make
 * them, so they need a `link_template`.
 */
import { isZeroDecimal } from "../../../catalog/decimal.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { withImages } from "../../product-record/product-draft.ts";
import { columnTable, type Dialect, onePass, type MakeRowMapper, type DialectRow } from "./dialect.ts";
import {
  colonPairs,
  defined,
  disabledUnless,
  isYes,
  nonEmpty,
  parts,
  stockOf,
  unitlessWeights,
  unlinkedItems,
  withShownPrices,
} from "./kit.ts";

export const shopware5: Dialect = {
  name: "Shopware 5 article export",
  matches: (names) => ["ordernumber", "mainnumber", "name"].every((name) => names.has(name)),
  columns: columnTable(
    {
      ordernumber: "item_id",
      name: "title",
      supplier: "brand",
      price_ek: "price",
      price: "price",
      pseudoprice_ek: "compare_at_price",
      pseudoprice: "compare_at_price",
      instock: "quantity",
      description: "short_description",
      description_long: "description",
      ean: "gtin",
      suppliernumber: "mpn",
      weight: "weight",
    },
    /^(?:active|image_url|categories)$/,
  ),
  open: () => onePass(articleRows),
};

const articleRows: MakeRowMapper = ({ has }) => {
  const weights = unitlessWeights();
  const links = unlinkedItems(has("link"), "https://shop.example/search?sSearch={ordernumber}");
  return {
    row: ({ at, readDraft }) => {
      const mapped = readDraft();
      const options = colonPairs(parts(at("configurator_options"), "|"));
      const isVariant = options.length > 0 || at("mainnumber") !== at("ordernumber");
      const draft: Draft = {
        ...mapped,
        ...defined({
          sku: mapped.id,
          options: nonEmpty(options),
          groupId: isVariant ? at("mainnumber") : undefined,
          groupTitle: isVariant ? mapped.title : undefined,
          availability: availabilityOf(at),
          published: disabledUnless(at("active")),
        }),
      };
      if (isZeroDecimal(draft.listPrice)) delete draft.listPrice;
      const images = parts(at("image_url", "imageurl"), "|");
      const item = withImages(weights.drop(withShownPrices(draft)), images);
      return [links.add(item)];
    },
    end: () => [...weights.notes(), ...links.notes()],
  };
};

/** Articles that are not "last stock" can be ordered when none are left. */
function availabilityOf(at: DialectRow["at"]): string | undefined {
  const allowsBackorders = at("laststock") !== undefined && !isYes(at("laststock"));
  return stockOf({ isTracked: true, quantity: at("instock"), allowsBackorders });
}
