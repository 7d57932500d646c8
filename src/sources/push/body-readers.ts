/**
 * The two formats of a pushed body, read into its elements piece by piece: a JSON document with one list of products,
 * and JSON Lines. Both refuse a body that only looks empty, because in a full push it would delete the whole catalog.
 */
import { isJsonObject } from "../../lib/json-object.ts";
import { AppError } from "../../errors.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { jsonElements, type OtherList } from "../../lib/formats/json-elements.ts";
import { type JsonLine, jsonLines } from "../../lib/formats/json-lines.ts";
import { furtherLists, hasUsualName } from "../product-record/json-items.ts";
import type { RecordLimits } from "../product-record/limits.ts";
import { namesShown } from "../product-record/aliases.ts";

/** An element of the body, or why there is none where one should be, as sentences. */
export type Element = { readonly value: unknown; readonly text: string } | { readonly broken: string };

/** Reads text piece by piece. Throws when the body as a whole cannot be read. */
export type BodyReader = {
  readonly push: (text: string) => readonly Element[];
  readonly end: () => readonly Element[];
};

/**
 * A JSON body with exactly one list: the body itself, or the array under one key at its top. With two lists, the
 * products of the one not read would be deleted. So a second scanner runs along that only looks for further lists.
 */
export function jsonBody({ maxRowChars, maxDepth }: RecordLimits): BodyReader {
  const limits = { maxElementChars: maxRowChars, maxDepth };
  const reader = jsonElements({ isList: isTopList, ...limits });
  const watch = secondListCheck();
  const listScanner = jsonElements({ isList: watch, ...limits });
  const beginning = bodyStart();
  let count = 0;
  return {
    push: (text) => {
      beginning.add(text);
      const found = reader.push(text);
      count += found.length;
      // In a body that is a list itself there is no second one.
      if (reader.listPath()?.length !== 0) listScanner.push(text);
      return found;
    },
    end: () => {
      const last = reader.end();
      const path = reader.listPath();
      if (path === null) throw noList(reader.otherLists()[0]);
      const [further] = furtherLists(reader);
      if (further !== undefined) throw twoLists(path.join("."), further.join("."));
      if (count + last.length === 0 && beginning.isProduct()) throw noListButProduct();
      return last;
    },
  };
}

/** As long as one product ever is; a longer body is not a single product. */
const LONGEST_PRODUCT = 100_000;

/** One product may have an empty `items` of its own, and must not be taken for an empty catalog. */
function bodyStart() {
  let kept = "";
  return {
    add: (text: string): void => {
      if (kept.length <= LONGEST_PRODUCT) kept += text;
    },
    isProduct: (): boolean => {
      if (kept.length > LONGEST_PRODUCT) return false;
      const body: unknown = JSON.parse(kept.replace(/^\uFEFF/, ""));
      return isJsonObject(body) && ["id", "title", "link", "price"].some((name) => Object.hasOwn(body, name));
    },
  };
}

/** A list deeper inside belongs to something else: to a product, or to the body's metadata. */
const isTopList = (path: readonly string[]): boolean => path.length === 1 && hasUsualName(path);

/** Called for every array; throws at the second list and reads none. */
function secondListCheck(): (path: readonly string[]) => false {
  let first: string | undefined;
  return (path) => {
    if (!isTopList(path)) return false;
    const [key = ""] = path;
    if (first !== undefined) throw twoLists(first, key);
    first = key;
    return false;
  };
}

const twoLists = (first: string, second: string): AppError =>
  new AppError(
    "body_malformed",
    `The body has two lists, "${first}" and "${second}", and only one is allowed. Nothing was changed; send one list, as {"products": [ … ]}.`,
  );

const noListButProduct = (): AppError =>
  new AppError(
    "body_malformed",
    'The body looks like one product, not like a list of them. Nothing was changed; send [ … ] or {"products": [ … ]}.',
  );

function noList(other: OtherList | undefined): AppError {
  const where =
    other === undefined ? "" : ` The one under ${namesShown([other.path.join(".")])} is not read.`;
  return new AppError(
    "body_malformed",
    `The body is JSON, but has no list of products at its top.${where} Nothing was changed; send {"products": [ … ]} or the list itself.`,
  );
}

const ADVICE = "Each line must be one whole product; a JSON document is sent as application/json.";

/** A body in JSON Lines. One without any product is refused: it is what a failed export leaves behind. */
export function jsonLinesBody({ maxRowChars }: RecordLimits): BodyReader {
  const reader = jsonLines({ maxLineChars: maxRowChars });
  let count = 0;
  const read = (lines: readonly JsonLine[]): Element[] => {
    count += lines.length;
    return lines.map(elementOf);
  };
  return {
    push: (text) => read(reader.push(text)),
    end: () => {
      const last = read(lastOf(reader));
      if (count > 0) return last;
      throw new AppError(
        "body_malformed",
        "The body has no product in it: all of its lines are blank. Nothing was changed; an empty list is [], sent as application/json.",
      );
    },
  };
}

function elementOf(line: JsonLine): Element {
  if (!("value" in line)) return { broken: `This is not JSON: ${line.broken}. ${ADVICE}` };
  return Array.isArray(line.value) ? { broken: `This line holds a list. ${ADVICE}` } : line;
}

/** A truncated last line may also be the end of a JSON document, so the message says what a line must be. */
function lastOf(reader: ReturnType<typeof jsonLines>): readonly JsonLine[] {
  try {
    return reader.end();
  } catch (error) {
    if (!(error instanceof FormatError) || error.kind !== "truncated") throw error;
    const { message, line } = error;
    throw new FormatError("truncated", `${message} ${ADVICE}`, {
      cause: error,
      ...(line !== null && { line }),
    });
  }
}
