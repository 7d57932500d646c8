/**
 * Columns to drafts. Which column feeds which field is decided once per set of columns, by the alias tables; each
 * record then only walks that plan. A column may feed two fields (`sku` is the item's id where there is no other).
 */
import { objectWithFastProperties } from "../../lib/fast-properties.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import { type Draft, LIST_FIELDS, type ListField, TEXT_FIELDS, type TextField } from "../../catalog/draft.ts";
import {
  aliasNames,
  GROUP_ALIASES,
  GROUP_FIELDS,
  type GroupField,
  type Header,
  LIST_ALIASES,
  NUMBERED_IMAGE,
  TEXT_ALIASES,
  DETAIL_PREFIX,
  OPTION_PREFIX,
} from "./aliases.ts";
import {
  pathList,
  sentenceList,
  tagList,
  textOf,
  urlList,
  type CellValue,
  withoutSpreadsheetQuotes,
} from "./cells.ts";
import { availabilityStep } from "./availability-columns.ts";
import { googleStep, surplusSteps } from "./google-columns.ts";
import { namedSteps, optionSteps } from "./option-columns.ts";
import { headerKey, type CellInput, inputsOf, type CellStep } from "./source-text.ts";
import { localizedName } from "./localized-names.ts";
import { addPart, GROUP_READERS, join } from "./groups.ts";

export type Cells = readonly (CellValue | undefined)[];

export type ColumnPlan = {
  readonly map: (cells: Cells) => Draft;
  readonly steps: readonly CellStep[];
  /** Whether any column can feed the field. */
  readonly has: (field: TextField) => boolean;
};

export type PlanOptions = {
  readonly lastSteps?: readonly CellStep[];
  /** The catalog's language, which decides between texts in several languages. */
  readonly language?: string | undefined;
};

export function planColumns(
  headers: readonly Header[],
  { lastSteps = [], language }: PlanOptions = {},
): ColumnPlan {
  const byName = Map.groupBy(inOrder(headers), (index) => headers[index]?.name ?? "");
  const columnsNamed = (names: readonly string[]): number[] => {
    const columns = names.flatMap((name) => byName.get(name) ?? []);
    const mapped = columns.filter((column) => headers[column]?.isMapped === true);
    const own = mapped.length > 0 ? mapped : columns.filter((column) => headers[column]?.isGeneral !== true);
    return own.length > 0 ? own : columns;
  };
  const columnsOf = (names: string): number[] => columnsNamed(aliasNames(names));
  const texts = textColumns(columnsOf, (field) => localizedColumns(headers, field, language));
  const google = googleStep(headers, columnsNamed);
  const steps: readonly CellStep[] = [
    ...[...texts].map(([field, columns]) =>
      field === "image" ? imageStep(columns) : textStep(field, columns),
    ),
    ...currentPriceSteps(columnsNamed),
    ...unitSteps(headers, texts),
    ...LIST_FIELDS.flatMap((field) => listSteps(field, columnsOf, headers)),
    ...GROUP_FIELDS.flatMap((field) => groupSteps(field, columnsOf, headers)),
    ...optionSteps(headers),
    ...namedSteps(headers, OPTION_PREFIX, "options"),
    ...namedSteps(headers, DETAIL_PREFIX, "details"),
    ...surplusSteps(columnsNamed),
    ...(google === null ? [] : [google]),
    ...lastSteps,
  ];
  return {
    steps,
    has: (field) => texts.has(field) || (field === "title" && byName.has("structured_title")),
    map: (cells) => {
      const draft = objectWithFastProperties() as Draft;
      for (const { run } of steps) run(draft, cells);
      return draft;
    },
  };
}

function inOrder(headers: readonly Header[]): readonly number[] {
  const rank = (index: number): number => (headers[index]?.isFirst === true ? 0 : 1);
  return [...headers.keys()].sort((a, b) => rank(a) - rank(b));
}

/**
 * The columns of a field that name their language, such as `name_ua`, for records without the plain field. Of several
 * languages the catalog's is used; if it is not known or not among them, none.
 */
function localizedColumns(
  headers: readonly Header[],
  field: TextField,
  language: string | undefined,
): readonly number[] {
  const found = [...headers.keys()].flatMap((column) => {
    const localized = localizedName(headers[column]?.name ?? "");
    return localized?.field === field ? [{ column, language: localized.language }] : [];
  });
  const isOne = new Set(found.map((one) => one.language)).size === 1;
  const [wanted] = (language ?? "").toLowerCase().split("-");
  return found.flatMap((one) => (isOne || one.language === wanted ? [one.column] : []));
}

function textColumns(
  columnsOf: (names: string) => number[],
  fallbacksOf: (field: TextField) => readonly number[],
): ReadonlyMap<TextField, readonly number[]> {
  const found = new Map<TextField, readonly number[]>();
  for (const field of TEXT_FIELDS) {
    const columns = [...columnsOf(TEXT_ALIASES[field] ?? ""), ...fallbacksOf(field)];
    if (columns.length > 0) found.set(field, columns);
  }
  // The column that names the item cannot name its group as well: `product_id` is one or the other.
  const [idColumn] = found.get("id") ?? [];
  const groupColumns = found.get("groupId")?.filter((column) => column !== idColumn) ?? [];
  if (groupColumns.length > 0) found.set("groupId", groupColumns);
  else found.delete("groupId");
  return found;
}

/** Codes, as opposed to texts for people. */
const CODE_FIELDS: ReadonlySet<TextField> = new Set(["id", "groupId", "sku", "gtin", "mpn"]);

function textStep(field: TextField, columns: readonly number[]): CellStep {
  if (field === "availability" && columns.length > 1) return availabilityStep(columns);
  const isCode = CODE_FIELDS.has(field);
  return {
    inputs: inputsOf(field, columns),
    run: (draft, cells) => {
      for (const column of columns) {
        const cell = cells[column];
        const text = cell === undefined ? undefined : textOf(cell);
        // WooCommerce's products without a parent have the parent 0.
        if (text === undefined || (field === "groupId" && text === "0")) continue;
        draft[field] = isCode ? withoutSpreadsheetQuotes(text) : text;
        return;
      }
    },
  };
}

/** A column for one image may have several: the first is the main image, the others are additional ones. */
function imageStep(columns: readonly number[]): CellStep {
  return {
    inputs: inputsOf("image", columns),
    run: (draft, cells) => {
      for (const column of columns) {
        const cell = cells[column];
        const urls = cell === undefined ? [] : urlList(cell);
        if (urls[0] === undefined) continue;
        draft.image = urls[0];
        if (urls.length > 1) draft.additionalImages = urls.slice(1);
        return;
      }
    },
  };
}

/** With a regular price, the current price is a sale price, if it differs; alone it is the price. */
function currentPriceSteps(columnsNamed: (names: readonly string[]) => number[]): CellStep[] {
  return columnsNamed(["current_price"]).map((column, index) => ({
    inputs: [{ column, key: `current price ${index}` }],
    run: (draft, cells) => {
      const text = textOf(cells[column] ?? "");
      if (text !== undefined && draft.price !== undefined && text !== draft.price) draft.salePrice ??= text;
    },
  }));
}

/** A unit in a header (`Weight (kg)`) serves the rows whose own columns name none. */
function unitSteps(headers: readonly Header[], texts: ReadonlyMap<TextField, readonly number[]>): CellStep[] {
  const unitOf = (field: TextField): string | null => headers[texts.get(field)?.[0] ?? -1]?.unit ?? null;
  const weight = headers[texts.get("weight")?.[0] ?? -1]?.name === "variant_grams" ? "g" : unitOf("weight");
  const length = unitOf("length") ?? unitOf("width") ?? unitOf("height");
  const inputs = (unit: string, fields: readonly TextField[]): readonly CellInput[] =>
    fields.flatMap((field) => inputsOf(`${field} in ${unit}`, texts.get(field) ?? []));
  const steps: CellStep[] = [];
  if (weight !== null) {
    steps.push({
      inputs: inputs(weight, ["weight"]),
      run: (draft) => void (draft.weight !== undefined && (draft.weightUnit ??= weight)),
    });
  }
  if (length !== null) {
    steps.push({
      inputs: inputs(length, ["length", "width", "height"]),
      run: (draft) => {
        if (draft.length ?? draft.width ?? draft.height) draft.dimensionsUnit ??= length;
      },
    });
  }
  return steps;
}

const LIST_READERS: Readonly<Record<ListField, (value: CellValue) => string[]>> = {
  additionalImages: urlList,
  videos: urlList,
  categories: pathList,
  tags: tagList,
  highlights: sentenceList,
};

function listSteps(
  field: ListField,
  columnsOf: (names: string) => number[],
  headers: readonly Header[],
): CellStep[] {
  const numbered =
    field === "additionalImages"
      ? [...headers.keys()].filter((i) => NUMBERED_IMAGE.test(headers[i]?.name ?? ""))
      : [];
  const columns = [...columnsOf(LIST_ALIASES[field]), ...numbered];
  if (columns.length === 0) return [];
  const readers = columns.map((column) => ({
    column,
    read: memoizeLast(LIST_READERS[field]),
    // Two category columns state the same paths, so the first one is used; images, videos and sentences add up.
    isLast: field === "categories" && !isRepeated(headers, column),
  }));
  return [
    {
      // An empty column is the last one too, if a column before it has a value.
      inputs: readers.map(({ column }, index) => ({
        column,
        key: JSON.stringify([field, readers.slice(0, index + 1).map(({ isLast }) => isLast)]),
      })),
      run: (draft, cells) => {
        let found: readonly string[] | undefined;
        for (const { column, read, isLast } of readers) {
          const cell = cells[column];
          const texts = cell === undefined || cell === "" ? [] : read(cell);
          if (texts.length > 0) found = join(found, texts);
          if (found !== undefined && isLast) break;
        }
        // The column of the main image may have given some images already.
        if (found !== undefined) draft[field] = join(draft[field], found);
      },
    },
  ];
}

function isRepeated(headers: readonly Header[], column: number): boolean {
  const name = headers[column]?.name;
  return headers.some((header, index) => index > column && header.name === name);
}

function groupSteps(
  field: GroupField,
  columnsOf: (names: string) => number[],
  headers: readonly Header[],
): CellStep[] {
  const read = GROUP_READERS[field];
  return columnsOf(GROUP_ALIASES[field]).map((column, index): CellStep => {
    const header = headers[column] ?? { name: "", parts: [], unit: null };
    const readCell = memoizeLast((cell: CellValue) => read(cell, header));
    return {
      inputs: [{ column, key: `${field} ${index} ${headerKey(header)}` }],
      run: (draft, cells) => {
        const cell = cells[column];
        const part = cell === undefined || cell === "" ? null : readCell(cell);
        // A plain shipping cost has less information than rates.
        if (part !== null && (field !== "shippingPrice" || draft.shipping === undefined))
          addPart(draft, part);
      },
    };
  });
}
