/**
 * The exports of shop systems that a table can describe (`systems.json`): by which columns a file is recognized, which
 * column feeds which field, and how rows, options, images and stock are written. A product is a run of rows with the
 * same value in `product`, or an empty one; `kinds` says which rows are products and which are variants of the one
 * before. Links are made by a `link_template`: none of these exports has them, except where the table names a column.
 */
import type { Draft } from "../../../catalog/draft.ts";
import { scaled, unscaled } from "../../../catalog/decimal.ts";
import { imagesOf, variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import type { RecordResult } from "../../source.ts";
import {
  columnTable,
  type Dialect,
  type FileHeader,
  type MakeRowMapper,
  onePass,
  type Row,
} from "./dialect.ts";
import {
  countOmissions,
  defined,
  discounted,
  isYes,
  isYesOrAbsent,
  nonEmpty,
  parts,
  stockOf,
  tooManyRows,
  unitlessWeights,
  unlinkedItems,
} from "./kit.ts";
import table from "./systems.json" with { type: "json" };

/** In names of columns, `#` is a number. */
type Cells = { readonly columns: readonly string[]; readonly separator: string; readonly base?: string };

type System = {
  readonly name: string;
  /** Of each list, one column must be there. */
  readonly recognizedBy: readonly (readonly string[])[];
  readonly columns: Readonly<Record<string, string>>;
  /** Further columns of the system, as a pattern: no general name reads them. */
  readonly others: string;
  readonly product?: readonly string[];
  readonly kinds?: {
    readonly column: string;
    readonly product: string;
    readonly variant: string;
    /** Whether a product without variants is an item. */
    readonly isParentItem?: boolean;
  };
  readonly options?: {
    readonly names?: string;
    readonly values?: readonly string[];
    readonly types?: string;
    readonly numbers?: readonly string[];
    /** The name of a variant, where no options are named. */
    readonly single?: string;
    /** Columns that begin with this are options; the rest of the name is the option's. */
    readonly prefix?: string;
    /** One cell with all of them: `Size=S|Color=Red`. */
    readonly cell?: string;
    readonly fields?: readonly string[];
  };
  readonly images?: Cells;
  readonly categories?: Cells;
  readonly visible?: readonly string[];
  /** Columns whose value takes the item off sale. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly tracked?: string;
  /** The stock of each location, as a pattern of columns: their sum counts. */
  readonly quantities?: string;
  readonly surcharge?: string;
  readonly discount?: { readonly mode: string; readonly value: string };
  /** Whether the sale price applies. */
  readonly onSale?: string;
  /** Where rows have a value in it, variants without a price of their own have none that the export says. */
  readonly unsurePrice?: string;
  readonly gtin?: { readonly column: string; readonly type: string };
  readonly words?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A pattern for a header name that has the currency. */
  readonly headerCurrency?: string;
  /** A column that may say that the listing is an auction. */
  readonly isAuction?: string;
  /** Whether a cell may have the SKUs of several variants, which are no SKU of the item. */
  readonly hasSkuLists?: boolean;
  readonly link?: string;
  readonly linkExample: string;
};

const SYSTEMS: readonly System[] = table;

export const systemDialects: readonly Dialect[] = SYSTEMS.map((system) => ({
  name: system.name,
  matches: (names) => system.recognizedBy.every((list) => list.some((name) => names.has(name))),
  columns: columnTable(system.columns, new RegExp(`^(?:${system.others})$`)),
  decimalMark: ".",
  open: ({ limits }) => onePass(productRows(system, limits.maxRowChars * 4)),
}));

type RunRow = {
  readonly kind: "product" | "variant" | "row";
  readonly draft: Draft;
  readonly surcharge: string | undefined;
};

/** The rows of one product. */
type Run = {
  readonly key: string | undefined;
  readonly product: Draft;
  readonly optionNames: readonly (string | undefined)[];
  readonly cut: Cut | undefined;
  readonly rows: RunRow[];
  hasUnsurePrice: boolean;
  chars: number;
};

function productRows(system: System, maxProductChars: number): MakeRowMapper {
  return (header) => {
    const read = rowReader(system, header);
    const links = unlinkedItems(header.has("link"), system.linkExample);
    const weights = unitlessWeights();
    const leftOut = countOmissions(
      (count, kinds) => `${count} rows that are neither a product nor a variant are left out: ${kinds}.`,
      "left_out",
    );
    const childless = countOmissions(
      (count, keys) => `${count} parents have no variants in the file and are left out: ${keys}.`,
      "left_out",
    );
    const auctions = countOmissions(
      (count) => `Auctions left out: ${count}. They have no price.`,
      "left_out",
    );
    let run: Run | null = null;

    function finish(): RecordResult[] {
      const finished = run;
      run = null;
      if (finished === null) return [];
      const items = itemsOf(finished, system);
      if (items.length === 0) childless.add(finished.key);
      const key = [finished.key ?? finished.product.title ?? ""];
      return items.map((draft) => ({ ...links.add(weights.drop(draft)), key }));
    }

    function row(row: Row): readonly RecordResult[] {
      const { at, line } = row;
      const kind = kindOf(system, at);
      if (kind === null) {
        if (run !== null && system.unsurePrice !== undefined && at(system.unsurePrice) !== undefined)
          run.hasUnsurePrice = true;
        else leftOut.add(at(system.kinds?.column ?? ""));
        return [];
      }
      if (system.isAuction !== undefined && /auction/i.test(at(system.isAuction) ?? "")) {
        auctions.add();
        return [];
      }
      const key = at(...(system.product ?? []));
      const continues =
        run !== null &&
        (kind === "variant" ||
          (kind === "row" && (key ?? run.key) === run.key && system.product !== undefined));
      const before = continues ? [] : finish();
      if (run === null && kind === "variant") {
        const message = `The variant on line ${line} has no product above it. Export the products again without sorting the rows.`;
        return [...before, { kind: "unreadable", itemId: row.readDraft().id ?? null, message }];
      }
      run ??= startRun(key, row, { read, cut: cutOf(system, at) });
      const surcharge = system.surcharge === undefined ? undefined : at(system.surcharge);
      run.rows.push({ kind, draft: read.draft(row, run.optionNames), surcharge });
      for (const text of row.cells) run.chars += text.length;
      if (run.chars > maxProductChars) throw tooManyRows(key ?? "", line);
      return before;
    }

    return {
      row,
      end: () => [
        ...finish(),
        ...leftOut.notes(),
        ...childless.notes(),
        ...auctions.notes(),
        ...weights.notes(),
        ...links.notes(),
      ],
    };
  };
}

/** What a row is; null for rows that are neither a product nor a variant. A system without kinds has rows of one kind. */
function kindOf({ kinds }: System, at: Row["at"]): "product" | "variant" | "row" | null {
  if (kinds === undefined) return "row";
  const kind = (at(kinds.column) ?? "").toLowerCase();
  if (kind === kinds.variant) return "variant";
  if (kind === kinds.product) return "product";
  return kind === "" ? "row" : null;
}

function startRun(
  key: string | undefined,
  row: Row,
  { read, cut }: { readonly read: RowReader; readonly cut: Cut | undefined },
): Run {
  const optionNames = read.optionNames(row);
  const product = read.draft(row, optionNames);
  return { key, product, optionNames, cut, rows: [], hasUnsurePrice: false, chars: 0 };
}

type RowReader = {
  readonly draft: (row: Row, optionNames: readonly (string | undefined)[]) => Draft;
  readonly optionNames: (row: Row) => readonly (string | undefined)[];
};

const NUMBERS = ["1", "2", "3", "4", "5", "6"];

function rowReader(system: System, { names }: FileHeader): RowReader {
  const { options = {}, quantities, headerCurrency } = system;
  const numbers = options.numbers ?? NUMBERS;
  const imageColumns = namesLike(system.images?.columns ?? [], names);
  const categoryColumns = namesLike(system.categories?.columns ?? [], names);
  const locations = quantities === undefined ? [] : names.filter((name) => new RegExp(quantities).test(name));
  const prefixed =
    options.prefix === undefined ? [] : names.filter((name) => name.startsWith(options.prefix ?? ""));
  const currency =
    headerCurrency === undefined
      ? undefined
      : names.flatMap((name) => new RegExp(headerCurrency).exec(name)?.[1] ?? [])[0]?.toUpperCase();

  function optionsOf({ at }: Row, optionNames: readonly (string | undefined)[], mapped: Draft) {
    const numbered = numbers.flatMap((number, index) => {
      const name = optionNames[index];
      const value = at(...(options.values ?? []).map((column) => column.replace("#", number)));
      return name === undefined || value === undefined ? [] : [{ name, value: colorName(value) }];
    });
    const inColumns = prefixed.flatMap((column) => {
      const value = at(column);
      return value === undefined ? [] : [{ name: words(column.slice(options.prefix?.length)), value }];
    });
    const inCell = parts(at(options.cell ?? ""), /[|;]/).flatMap((pair) => {
      const [name = "", value = ""] = pair.split(/=(.*)/s, 2);
      return name === "" || value === "" ? [] : [{ name: name.trim(), value: value.trim() }];
    });
    const fields = (options.fields ?? []).flatMap((field) => {
      const value = field === "color" ? mapped.color : mapped.size;
      return value === undefined ? [] : [{ name: words(field), value }];
    });
    const found = [...numbered, ...inColumns, ...inCell, ...fields];
    const single = options.single === undefined ? undefined : at(options.single);
    return found.length > 0 || single === undefined || /^regular$/i.test(single)
      ? found
      : [{ name: "Variation", value: single }];
  }

  return {
    optionNames: ({ at }) =>
      numbers.map((number) =>
        options.names === undefined ? undefined : at(options.names.replace("#", number)),
      ),
    draft: (row, optionNames) => {
      const { at } = row;
      const mapped = row.readDraft();
      const draft: Draft = {
        ...mapped,
        ...defined({
          currency: mapped.currency ?? currency,
          gtin: mapped.gtin ?? codeOf(system, at),
          link: mapped.link ?? (system.link === undefined ? undefined : at(system.link)),
          condition: wordOf(system, mapped.condition),
          options: nonEmpty(optionsOf(row, optionNames, mapped)),
          categories:
            nonEmpty(
              categoryColumns
                .slice(0, system.categories?.columns[0]?.includes("#") ? undefined : 1)
                .flatMap((name) =>
                  parts(at(name), new RegExp(system.categories?.separator ?? "\n")).map(plainPath),
                ),
            ) ?? mapped.categories,
          published: isOffSale(system, at) ? "hidden" : mapped.published,
        }),
        ...stockIn(system, at, { locations, quantity: mapped.quantity }),
      };
      if (system.hasSkuLists === true && draft.sku?.includes(",") === true) delete draft.sku;
      if (system.onSale !== undefined && !isYes(at(system.onSale))) delete draft.salePrice;
      const images = imageColumns.flatMap((name) =>
        parts(at(name), new RegExp(system.images?.separator ?? "\n")),
      );
      return withImages(
        draft,
        images.map((image) => addressOf(image, system.images?.base)),
      );
    },
  };
}

/** The columns of these names, in this order; `#` is a number, and numbered columns come in the order of the file. */
function namesLike(wanted: readonly string[], names: readonly string[]): string[] {
  return wanted.flatMap((name) => {
    const pattern = new RegExp(`^${name.replace("#", "_?\\d+")}$`);
    return names.filter((column) => pattern.test(column));
  });
}

function words(name: string): string {
  const text = name.replaceAll("_", " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `rgb(255, 0, 0):Red`, `#ff0000:Red`: a swatch and its name. */
function colorName(value: string): string {
  return /^(?:rgba?\([^)]*\)|#[\da-f]{3,8}):(.+)$/i.exec(value)?.[1]?.trim() ?? value;
}

/** `/kitchen/mugs`, `All / Kitchen / Mugs`: a path in the notation of the alias tables. */
function plainPath(path: string): string {
  return path.includes(">") ? path : parts(path, "/").join(" > ");
}

function addressOf(image: string, base: string | undefined): string {
  return base === undefined || /^(?:https?:)?\/\//i.test(image) ? image : `${base}${image}`;
}

const CODE_TYPES = /^(?:1|2|3|4|ean|upc|gtin|isbn)$/i;

/** A code whose type may as well be the marketplace's own (ASIN). */
function codeOf({ gtin }: System, at: Row["at"]): string | undefined {
  const type = gtin === undefined ? undefined : at(gtin.type);
  // Amazon's reports number the types: 1 is an ASIN, 2 an ISBN, 3 a UPC, 4 an EAN.
  return gtin === undefined || type === undefined || type === "1" || !CODE_TYPES.test(type)
    ? undefined
    : at(gtin.column);
}

function wordOf({ words: meanings }: System, condition: string | undefined): string | undefined {
  return condition === undefined ? undefined : (meanings?.["condition"]?.[condition] ?? condition);
}

function isOffSale({ visible = [], hidden = {} }: System, at: Row["at"]): boolean {
  return (
    visible.some((column) => !isYesOrAbsent(at(column))) ||
    Object.entries(hidden).some(([column, pattern]) => new RegExp(pattern, "i").test(at(column) ?? ""))
  );
}

type StockCells = { readonly locations: readonly string[]; readonly quantity: string | undefined };

/** Locations are added up. What the shop does not count is in stock. */
function stockIn({ tracked, quantities }: System, at: Row["at"], { locations, quantity }: StockCells): Draft {
  const counts = locations.flatMap((name) => at(name) ?? []).map(Number);
  const sum =
    counts.length === 0 || counts.some(Number.isNaN)
      ? undefined
      : counts.reduce((a, b) => a + Math.max(b, 0), 0);
  const count = quantities === undefined ? quantity : sum?.toString();
  const isTracked =
    tracked === undefined ? quantities === undefined || count !== undefined : isYes(at(tracked));
  if (tracked === undefined && quantities === undefined) return {};
  const availability = stockOf({ isTracked, quantity: count, allowsBackorders: false });
  return { ...defined({ availability }), quantity: isTracked ? (count ?? "") : "" };
}

type Cut = Parameters<typeof discounted>[1];

function cutOf({ discount }: System, at: Row["at"]): Cut | undefined {
  const amount = discount === undefined ? undefined : at(discount.value);
  if (discount === undefined || amount === undefined) return undefined;
  return /^percent$/i.test(at(discount.mode) ?? "") ? { percent: amount } : { amount };
}

/** The variants of a product; the product itself, if it has none. */
function itemsOf({ key, product, cut, rows, hasUnsurePrice }: Run, { kinds }: System): Draft[] {
  const variants = rows.filter(({ kind }) => kind === "variant");
  const isItem = (kind: RunRow["kind"]): boolean => kind !== "product" || kinds?.isParentItem !== false;
  const items = variants.length > 0 ? variants : rows.filter(({ kind }) => isItem(kind));
  const isGroup =
    items.length > 1 || items.some(({ kind, draft }) => kind !== "product" && draft.options !== undefined);
  return items.map(({ draft: own, surcharge, kind }) => {
    const price = own.price ?? (hasUnsurePrice ? undefined : raised(product.price, surcharge));
    const salePrice = price === undefined || cut === undefined ? undefined : discounted(price, cut);
    const whole = variantDraft(product, {
      ...defined({ link: product.link, listPrice: product.listPrice }),
      ...own,
      ...defined({
        price,
        salePrice: salePrice ?? own.salePrice,
        published: own.published ?? product.published,
        groupId: isGroup ? (key ?? product.sku ?? product.title) : undefined,
        groupTitle: isGroup ? product.title : undefined,
        title: product.title,
      }),
    });
    // The choices of a product are not those of one item.
    const item = kind === "product" ? without(whole, "options") : whole;
    return withImages(item, [...imagesOf(own), ...imagesOf(product)]);
  });
}

function raised(price: string | undefined, surcharge: string | undefined): string | undefined {
  const [base, more] = [scaled(price ?? "", 6), scaled(surcharge ?? "0", 6)];
  return surcharge === undefined || base === undefined || more === undefined
    ? price
    : unscaled(base + more, 6);
}
