/**
 * The product export of Shopware 6. Variants name their product by `parent_id` and take from it what they lack; a
 * product that has variants is not an item. The file is read three times: for the ids of such products, for their rows,
 * and for the items. Links are the storefront's own address of a product id. What a variant is chosen by are ids in
 * this export, so its options are not known.
 */
import { isZeroDecimal } from "../../../catalog/decimal.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { imagesOf, shopLink, variantDraft, withImages } from "../../product-record/product-draft.ts";
import { type ParentStore, parentStore } from "../../kit/parent-store.ts";
import { columnTable, type Dialect, type DialectRow, type RowMapper } from "./dialect.ts";
import {
  defined,
  disabledUnless,
  isFullAddress,
  isYes,
  nonEmpty,
  parts,
  stockOf,
  withShownPrices,
} from "./kit.ts";

export const shopware6: Dialect = {
  name: "Shopware 6 product export",
  matches: (names) => ["id", "product_number", "name", "price_gross"].every((name) => names.has(name)),
  columns: columnTable(
    {
      product_number: "item_id",
      name: "title",
      description: "description",
      ean: "gtin",
      manufacturer_name: "brand",
      manufacturer_number: "mpn",
      price_gross: "price",
      list_price_gross: "compare_at_price",
      stock: "quantity",
    },
    /^(?:active|categories)$/,
  ),
  open: ({ storeUrl, scratch }) => {
    const parents = parentStore(scratch);
    const parentIds = new Set<string>();
    const file = { parentIds, parents, storeUrl };
    return {
      passes: [() => parentIdRows(parentIds), () => parentRows(file), () => itemRows(file)],
      close: parents.close,
    };
  },
};

type FileState = {
  readonly parentIds: ReadonlySet<string>;
  readonly parents: ParentStore;
  readonly storeUrl: string | undefined;
};

function parentIdRows(parentIds: Set<string>): RowMapper {
  return {
    row: ({ at }) => {
      const parent = at("parent_id");
      // A key cut out of a row would keep the row's whole chunk in memory; a copy does not.
      if (parent !== undefined) parentIds.add(Buffer.from(parent).toString());
      return [];
    },
  };
}

function parentRows({ parentIds, parents, storeUrl }: FileState): RowMapper {
  return {
    row: (row) => {
      const id = row.at("id") ?? "";
      if (parentIds.has(id)) parents.set([id], productDraft(row, storeUrl));
      return [];
    },
  };
}

function itemRows({ parentIds, parents, storeUrl }: FileState): RowMapper {
  return {
    row: (row) => {
      const { at, line } = row;
      if (parentIds.has(at("id") ?? "")) return [];
      const own = productDraft(row, storeUrl);
      const parentId = at("parent_id");
      if (parentId === undefined) return [{ kind: "draft", draft: own }];
      const parent = parents.get(parentId);
      if (parent !== undefined)
        return [{ kind: "draft", draft: variantOf(parent, own, at("active") !== undefined) }];
      const message = `The variant on line ${line} belongs to ${parentId}, which is not in the file. Export the main product as well.`;
      return [{ kind: "unreadable", itemId: own.id ?? null, message }];
    },
  };
}

function productDraft({ at, readDraft }: DialectRow, storeUrl: string | undefined): Draft {
  const mapped = readDraft();
  const id = at("id");
  const page = id === undefined ? undefined : shopLink(storeUrl, `/detail/${encodeURIComponent(id)}`);
  const closeout = at("is_closeout");
  // Without "closeout" a product can be ordered when none are left; the default export does not say.
  const allowsBackorders = closeout !== undefined && !isYes(closeout);
  const draft: Draft = {
    ...mapped,
    ...defined({
      sku: mapped.id,
      link: mapped.link ?? page,
      availability: stockOf({ isTracked: true, quantity: at("stock"), allowsBackorders }),
      categories: nonEmpty(parts(at("category_paths"), "|").map((path) => parts(path, ">").join(" > "))),
      published: disabledUnless(at("active")),
    }),
  };
  if (isZeroDecimal(draft.listPrice)) delete draft.listPrice;
  const images = parts(at("media"), "|").filter(isFullAddress);
  return withImages(withShownPrices(draft), [at("cover_media_url"), ...images]);
}

/** In Shopware an empty value of a variant is its product's, the price included. */
function variantOf(parent: Draft, own: Draft, hasOwnStatus: boolean): Draft {
  const { price, listPrice } = parent;
  const published = hasOwnStatus ? own.published : parent.published;
  const priced = own.price === undefined ? defined({ price, listPrice }) : {};
  const { published: _parents, ...product } = parent;
  const draft = variantDraft(product, { ...priced, ...own });
  const grouped = { ...draft, ...defined({ groupId: parent.id, groupTitle: parent.title, published }) };
  return withImages(grouped, [...imagesOf(own), ...imagesOf(parent)]);
}
