/**
 * The elements of a JSON body, which holds exactly one list: the body itself, or the array under one key at its top.
 * Two lists are one too many: whichever is taken, the products of the other would vanish from the catalog unseen. So
 * a second reader goes along that reads no list and only looks which ones there are.
 */
import { AppError } from "../../errors.ts";
import { jsonElements } from "../../lib/formats/json-elements.ts";
import { isJsonObject } from "../product-record/json-fields.ts";
import { hasUsualName } from "../product-record/json-list.ts";
import type { RecordLimits } from "../product-record/limits.ts";
import { namesShown } from "../product-record/reading.ts";
import type { ElementReader } from "./elements.ts";

export function oneList({ maxRowChars, maxDepth }: RecordLimits): ElementReader {
  const limits = { maxElementChars: maxRowChars, maxDepth };
  const reader = jsonElements({ isList: isTopList, ...limits });
  const watch = listWatch();
  const lookout = jsonElements({ isList: watch, ...limits });
  const beginning = keptBeginning();
  let count = 0;
  return {
    push: (text) => {
      beginning.add(text);
      const found = reader.push(text);
      count += found.length;
      // In a body that is a list itself there is no second one.
      if (reader.listPath()?.length !== 0) lookout.push(text);
      return found;
    },
    end: () => {
      const last = reader.end();
      if (reader.listPath() === null) throw noList(reader.passedOver());
      if (count + last.length === 0 && beginning.isProduct()) throw noListButProduct();
      return last;
    },
  };
}

/** As long as one product ever is; what is longer is no slip of the pen. */
const LONGEST_PRODUCT = 100_000;

/** One product may have an empty `items` of its own, and must not be taken for an empty catalog. */
function keptBeginning() {
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

/** A list deeper inside belongs to something else: to a product, or to what is said about the body. */
const isTopList = (path: readonly string[]): boolean => path.length === 1 && hasUsualName(path);

/** Is asked about every array; refuses the second list and takes none. */
function listWatch(): (path: readonly string[]) => false {
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
    `The body has two lists, "${first}" and "${second}", and nothing says which one is meant. Nothing was changed; send one list, as {"products": [ … ]}.`,
  );

const noListButProduct = (): AppError =>
  new AppError(
    "body_malformed",
    'The body looks like one product, not like a list of them. Nothing was changed; send [ … ] or {"products": [ … ]}.',
  );

function noList(passedOver: readonly string[] | null): AppError {
  const where =
    passedOver === null ? "" : ` The one under ${namesShown([passedOver.join(".")])} is not looked at.`;
  return new AppError(
    "body_malformed",
    `The body is JSON, but has no list of products at its top.${where} Nothing was changed; send {"products": [ … ]} or the list itself.`,
  );
}
