/**
 * The exports of shop systems that a table can describe (`systems.json`). A product is a run of rows with the same
 * value in `product`, or an empty one; `kinds` says which rows are products and which are variants of the one before.
 * Links are made by a `link_template`: none of these exports has them, except where the table names a column.
 */
import { counted } from "../../../lib/counted.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { imagesOf, variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import type { RecordResult } from "../../source.ts";
import { columnTable, type Dialect, type MakeRowMapper, onePass, type DialectRow } from "./dialect.ts";
import {
  countOmissions,
  defined,
  discounted,
  surcharged,
  tooManyRows,
  unitlessWeights,
  unlinkedItems,
} from "./kit.ts";
import { translationByOrder } from "./system-order.ts";
import { type OptionNames, type RowReader, rowReader } from "./system-rows.ts";
import { type SystemDialect, SYSTEMS } from "./system-table.ts";

export const systemDialects: readonly Dialect[] = SYSTEMS.map((system) => ({
  name: system.name,
  matches: (names) => system.recognizedBy.every((list) => list.some((name) => names.has(name))),
  columns: columnTable(system.columns, new RegExp(`^(?:${system.others})$`)),
  decimalMark: ".",
  translate: (head) => translationByOrder(system, head),
  open: ({ limits }) => onePass(productRows(system, limits.maxRowChars * 4)),
}));

type ProductRow = {
  readonly kind: "product" | "variant" | "row";
  readonly draft: Draft;
  readonly surcharge: string | undefined;
};

/** The rows of one product. */
type ProductRows = {
  readonly key: string | undefined;
  readonly product: Draft;
  readonly optionNames: OptionNames;
  readonly cut: Cut | undefined;
  readonly rows: ProductRow[];
  /** From rows of their own. */
  readonly images: string[];
  hasUnsurePrice: boolean;
  chars: number;
};

function productRows(system: SystemDialect, maxProductChars: number): MakeRowMapper {
  return (header) => {
    const read = rowReader(system, header);
    const links = unlinkedItems(header.has("link"), system.linkExample);
    const weights = unitlessWeights();
    const counts = omissions();
    let run: ProductRows | null = null;

    function finish(): RecordResult[] {
      const finished = run;
      run = null;
      if (finished === null) return [];
      const items = itemsOf(finished, system);
      if (items.length === 0) counts.childless.add(finished.key);
      const key = [finished.key ?? finished.product.title ?? ""];
      return items.map((draft) => ({ ...links.add(weights.drop(draft)), key }));
    }

    /** Rows of options say nothing about an item, except that its price depends on them. */
    function leaveOut({ at }: DialectRow): [] {
      const hasMarkup = system.unsurePrice !== undefined && at(system.unsurePrice) !== undefined;
      if (run !== null && hasMarkup) run.hasUnsurePrice = true;
      else counts.others.add(at(system.kinds?.column ?? ""));
      return [];
    }

    function addImages(row: DialectRow): [] {
      const key = row.at(...(system.product ?? []));
      if (run !== null && (key ?? run.key) === run.key) run.images.push(...read.images(row));
      return [];
    }

    function row(row: DialectRow): readonly RecordResult[] {
      const kind = kindOf(system, row.at);
      if (kind === null) return leaveOut(row);
      if (kind === "image") return addImages(row);
      if (!isAuction(system, row.at)) return addItemRow(row, kind);
      counts.auctions.add();
      return [];
    }

    function addItemRow(row: DialectRow, kind: ProductRow["kind"]): readonly RecordResult[] {
      const key = row.at(...(system.product ?? []));
      const isContinued = run !== null && !isDamaged(row, kind, key) && continues(run, kind, { key, system });
      const before = isContinued ? [] : finish();
      if (run === null && kind === "variant") return [...before, withoutProduct(row)];
      run ??= startRun(key, row, { read, cut: cutOf(system, row.at) });
      addRow(run, kind, { row, read, system, maxProductChars });
      return before;
    }

    const notes = [counts.others, counts.childless, counts.auctions, weights, links];
    return { row, lose: finish, end: () => [...finish(), ...notes.flatMap((count) => count.notes())] };
  };
}

function omissions() {
  return {
    others: countOmissions(
      (count, kinds) =>
        `${counted(count, "row that is neither a product nor a variant is", "rows that are neither a product nor a variant are")} left out: ${kinds}.`,
      "left_out",
    ),
    childless: countOmissions(
      (count, keys) => `${count} parents have no variants in the file and are left out: ${keys}.`,
      "left_out",
    ),
    auctions: countOmissions((count) => `Auctions left out: ${count}. They have no price.`, "left_out"),
  };
}

function isAuction({ isAuction: column }: SystemDialect, at: DialectRow["at"]): boolean {
  return column !== undefined && /auction/i.test(at(column) ?? "");
}

/**
 * A row without a key and a price is a damaged piece of another row; it must not become an item with the price above
 * it.
 */
function isDamaged(row: DialectRow, kind: ProductRow["kind"], key: string | undefined): boolean {
  return kind === "row" && key === undefined && row.readDraft().price === undefined;
}

type ProductRowContext = { readonly key: string | undefined; readonly system: SystemDialect };

/** Whether the row belongs to the product of the rows before it. */
function continues(
  run: ProductRows,
  kind: ProductRow["kind"],
  { key = run.key, system }: ProductRowContext,
): boolean {
  if (key !== run.key) return false;
  return kind === "variant" || (kind === "row" && system.product !== undefined);
}

function withoutProduct({ line, readDraft }: DialectRow): RecordResult {
  const message = `The variant on line ${line} has no product above it. Export the products again without sorting the rows.`;
  return { kind: "unreadable", itemId: readDraft().id ?? null, message };
}

type RowReadContext = {
  readonly row: DialectRow;
  readonly read: RowReader;
  readonly system: SystemDialect;
  readonly maxProductChars: number;
};

function addRow(
  run: ProductRows,
  kind: ProductRow["kind"],
  { row, read, system, maxProductChars }: RowReadContext,
): void {
  const surcharge = system.surcharge === undefined ? undefined : row.at(system.surcharge);
  run.rows.push({ kind, draft: read.draft(row, run.optionNames), surcharge });
  for (const text of row.cells) run.chars += text.length;
  if (run.chars > maxProductChars) throw tooManyRows(run.key ?? "", row.line);
}

/**
 * What a row is; null for rows that are neither a product nor a variant. A system without kinds has rows of one kind.
 */
function kindOf({ kinds }: SystemDialect, at: DialectRow["at"]): ProductRow["kind"] | "image" | null {
  if (kinds === undefined) return "row";
  const kind = (at(kinds.column) ?? "").toLowerCase();
  if (kind === kinds.variant) return "variant";
  if (kind === kinds.product) return "product";
  if (kind === kinds.image) return "image";
  return kind === "" ? "row" : null;
}

function startRun(
  key: string | undefined,
  row: DialectRow,
  { read, cut }: { readonly read: RowReader; readonly cut: Cut | undefined },
): ProductRows {
  const optionNames = read.optionNames(row);
  const product = read.draft(row, optionNames);
  return { key, product, optionNames, cut, rows: [], images: [], hasUnsurePrice: false, chars: 0 };
}

type Cut = Parameters<typeof discounted>[1];

function cutOf({ discount }: SystemDialect, at: DialectRow["at"]): Cut | undefined {
  const amount = discount === undefined ? undefined : at(discount.value);
  if (discount === undefined || amount === undefined) return undefined;
  return /^percent$/i.test(at(discount.mode) ?? "") ? { percent: amount } : { amount };
}

/** The variants of a product; the product itself, if it has none. */
function itemsOf(run: ProductRows, { kinds }: SystemDialect): Draft[] {
  const variants = run.rows.filter(({ kind }) => kind === "variant");
  const isItem = (kind: ProductRow["kind"]): boolean => kind !== "product" || kinds?.isParentItem !== false;
  const items = variants.length > 0 ? variants : run.rows.filter(({ kind }) => isItem(kind));
  const hasChoice = items.some(({ kind, draft }) => kind !== "product" && draft.options !== undefined);
  const group = items.length > 1 || hasChoice ? groupOf(run) : {};
  return items.map((row) => itemOf(run, row, group));
}

function groupOf({ key, product }: ProductRows): Draft {
  return defined({ groupId: key ?? product.sku ?? product.title, groupTitle: product.title });
}

function itemOf(
  { product, cut, images, hasUnsurePrice }: ProductRows,
  { draft: own, surcharge, kind }: ProductRow,
  group: Draft,
): Draft {
  const price = own.price ?? (hasUnsurePrice ? undefined : raised(product.price, surcharge));
  const salePrice = price === undefined || cut === undefined ? undefined : discounted(price, cut);
  const { link, listPrice, published, title } = product;
  const item = variantDraft(product, {
    ...defined({ link, listPrice, published }),
    ...own,
    ...defined({ price, title }),
    ...(salePrice === undefined ? {} : { salePrice }),
    ...group,
  });
  // The choices of a product are not those of one item.
  const single = kind === "product" ? without(item, "options") : item;
  return withImages(single, [...imagesOf(own), ...imagesOf(product), ...images]);
}

function raised(price: string | undefined, surcharge: string | undefined): string | undefined {
  return price === undefined || surcharge === undefined ? price : surcharged(price, surcharge, 6);
}
