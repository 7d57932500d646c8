/**
 * The elements of a JSON body, which holds exactly one list: the body itself, or the array under one key at its top.
 * Two lists are one too many: whichever is taken, the products of the other would vanish from the catalog unseen. So
 * a second reader goes along that reads no list and only looks which ones there are.
 */
import { AppError } from "../../errors.ts";
import { jsonElements } from "../../lib/json-elements.ts";
import { hasUsualName } from "../product-record/json-list.ts";
import type { RecordLimits } from "../product-record/limits.ts";
import { namesShown } from "../product-record/reading.ts";
import type { ElementReader } from "./elements.ts";

export function oneList({ maxRowChars, maxDepth }: RecordLimits): ElementReader {
  const limits = { maxElementChars: maxRowChars, maxDepth };
  const reader = jsonElements({ isList: isTopList, ...limits });
  const watch = listWatch();
  const lookout = jsonElements({ isList: watch, ...limits });
  return {
    push: (text) => {
      const found = reader.push(text);
      // In a body that is a list itself there is no second one.
      if (reader.listPath()?.length !== 0) lookout.push(text);
      return found;
    },
    end: () => {
      const last = reader.end();
      if (reader.listPath() !== null) return last;
      throw noList(reader.passedOver());
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

function noList(passedOver: readonly string[] | null): AppError {
  const where =
    passedOver === null ? "" : ` The one under ${namesShown([passedOver.join(".")])} is not looked at.`;
  return new AppError(
    "body_malformed",
    `The body is JSON, but has no list of products at its top.${where} Nothing was changed; send {"products": [ … ]} or the list itself.`,
  );
}
