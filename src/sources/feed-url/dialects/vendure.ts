/**
 * Vendure's product CSV. The row that names a product is its first variant; rows without a name are further ones.
 * Cells are padded to line up. Vendure has no storefront of its own, so links need a `link_template`.
 */
import type { Draft } from "../../../catalog/draft.ts";
import { imagesOf, withImages } from "../../product-record/product-draft.ts";
import type { RecordResult } from "../../source.ts";
import {
  columnTable,
  type Dialect,
  type MakeRowMapper,
  onePass,
  type DialectRow,
  withoutLanguage,
} from "./dialect.ts";
import {
  colonPairs,
  defined,
  disabledUnless,
  fileNameImages,
  isFullAddress,
  isYesOrAbsent,
  unlinkedItems,
  namedFieldReader,
  nonEmpty,
  type OmissionCount,
  parts,
  stockOf,
  withoutUntrackedQuantity,
} from "./kit.ts";

export const vendure: Dialect = {
  name: "Vendure product export",
  matches: (names) =>
    ["option_groups", "option_values", "sku", "price"].every((name) => hasColumn(names, name)),
  columns: columnTable(
    { name: "title", description: "description", sku: "sku", price: "price", stock_on_hand: "quantity" },
    null,
    withoutLanguage,
  ),
  decimalMark: ".",
  isPadded: true,
  cellNames: firstLanguage,
  open: () => onePass(variantRows),
};

/** With or without a language: `optionGroups`, `optionGroups:en`. */
function hasColumn(names: ReadonlySet<string>, wanted: string): boolean {
  return names.has(wanted) || names.values().some((name) => withoutLanguage(name) === wanted);
}

type VendureProduct = {
  readonly draft: Draft;
  readonly groupNames: readonly string[];
  readonly slug: string | undefined;
};

const variantRows: MakeRowMapper = ({ has }) => {
  const context: MapperContext = { facets: facetReader(), images: fileNameImages() };
  const links = unlinkedItems(has("link"), "https://shop.example/products/{slug}");
  let product: VendureProduct | null = null;

  function row(row: DialectRow): readonly RecordResult[] {
    if (row.at("name") !== undefined) product = productOf(row, context);
    if (product === null) {
      const message = `The variant on line ${row.line} has no product above it. Export the products again without sorting the rows.`;
      return [{ kind: "unreadable", itemId: null, message }];
    }
    return [links.add(variantOf(product, row, context))];
  }

  function lose(): [] {
    product = null;
    return [];
  }

  return { row, lose, end: () => [...context.images.notes(), ...links.notes()] };
};

type MapperContext = {
  readonly facets: (text: string | undefined) => Draft;
  readonly images: OmissionCount;
};

function productOf({ at, readDraft }: DialectRow, context: MapperContext): VendureProduct {
  const { title, description, link } = readDraft();
  const described = { ...context.facets(at("facets")), ...defined({ title, description, link }) };
  const published = disabledUnless(at("enabled"));
  return {
    slug: at("slug"),
    groupNames: parts(at("option_groups"), "|"),
    draft: withImages({ ...described, ...defined({ published }) }, addresses(at("assets"), context)),
  };
}

function variantOf(
  { draft, groupNames, slug }: VendureProduct,
  { at, readDraft }: DialectRow,
  context: MapperContext,
): Draft {
  const { sku, price, quantity } = readDraft();
  const options = parts(at("option_values"), "|").flatMap((value, index) => {
    const name = groupNames[index];
    return name === undefined ? [] : [{ name, value }];
  });
  const isTracked = isYesOrAbsent(at("track_inventory"));
  const availability = stockOf({ isTracked, quantity, allowsBackorders: false });
  const group = { options, groupId: slug ?? draft.title, groupTitle: draft.title };
  const variant: Draft = {
    ...draft,
    ...context.facets(at("variant_facets")),
    ...defined({ id: sku, sku, price, quantity, availability }),
    ...(options.length > 0 ? defined(group) : {}),
  };
  const own = addresses(at("variant_assets"), context);
  return withImages(withoutUntrackedQuantity(variant), [...own, ...imagesOf(draft)]);
}

function addresses(text: string | undefined, { images }: MapperContext): string[] {
  const found = parts(text, "|");
  for (const name of found.filter((part) => !isFullAddress(part))) images.add(name);
  return found.filter(isFullAddress);
}

/** Of columns in several languages the first one counts. */
function firstLanguage(names: readonly string[]): readonly string[] {
  const plain = names.map(withoutLanguage);
  return plain.map((name, index) => (plain.indexOf(name) === index ? name : ""));
}

const FACETS = [
  "brand",
  "color",
  "size",
  "material",
  "pattern",
  "gender",
  "condition",
] as const satisfies (keyof Draft)[];

/** `category:Electronics|brand:Apple`: facets that feeds have a field for. */
function facetReader(): (text: string | undefined) => Draft {
  const read = namedFieldReader(FACETS);
  return (text) => {
    const facets = colonPairs(parts(text, "|"));
    const categories = facets.flatMap(({ name, value }) => (/^category$/i.test(name) ? [value] : []));
    return {
      ...read(facets.map(({ name, value }) => [name, value])),
      ...defined({ categories: nonEmpty(categories) }),
    };
  };
}
