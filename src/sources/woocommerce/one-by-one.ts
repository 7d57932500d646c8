/**
 * Variations that a product names and no list shows, asked for one by one: the last word before one is called gone.
 * Only WooCommerce's own "no such id" counts as that. What is there and cannot be read fails the run, for a catalog
 * without it would be a wrong one.
 */
import { counted } from "../../lib/counted.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import type { ApiAnswer, Judge } from "../json-api.ts";
import type { Dialect } from "./dialect.ts";
import { wooFailure } from "./failures.ts";
import type { Walker } from "./walk.ts";
import { idIn, isRow, type Row } from "./wire.ts";

/** `row` is null where the shop says that there is no such variation. */
export type Sought = { readonly id: number; readonly row: Row | null };

/** Asks for some variations of one product. There is a limit to how many of a shop are asked for in this way. */
export type Seek = (parentId: number, ids: readonly number[]) => Promise<readonly Sought[]>;

export function oneByOne(dialect: Dialect, { api, limits }: Walker): Seek {
  let asked = 0;
  const judge: Judge = (answer) => (isGone(answer) ? "usable" : wooFailure(answer, api.host));

  async function seekOne(parentId: number, id: number): Promise<Sought> {
    const { route, query } = dialect.alone.at(parentId, id);
    const answer = await api.get(route, query, judge);
    if (isGone(answer)) return { id, row: null };
    const { body } = answer;
    if (isRow(body) && idIn(body) === id) {
      const [row = body] = await dialect.complete([body], "variation");
      return { id, row };
    }
    throw new AppError("source_malformed", `${api.host} answered with something else than variation ${id}.`);
  }

  return async (parentId, ids) => {
    asked += ids.length;
    if (asked > limits.mostOneByOne) throw tooMany(api.host, asked, limits.mostOneByOne);
    const sought: Sought[] = [];
    for (let from = 0; from < ids.length; from += limits.parentsAtOnce) {
      const batch = ids.slice(from, from + limits.parentsAtOnce);
      // All of them are awaited even if one fails, so that nothing runs on behind a failed read.
      const answers = await Promise.allSettled(batch.map((id) => seekOne(parentId, id)));
      for (const answer of answers) {
        if (answer.status === "rejected") throw unread(answer.reason, api.host, parentId, ids);
        sought.push(answer.value);
      }
    }
    return sought;
  };
}

/** A 404 of the web server, or of a plugin that hides routes, says nothing of the variation. */
function isGone({ status, body }: ApiAnswer): boolean {
  const code = isRow(body) ? body["code"] : null;
  return status === 404 && typeof code === "string" && /^woocommerce_rest_\w*invalid_id$/.test(code);
}

/** Failures of the one request. All others are failures of the shop as a whole, and keep their own words. */
const OF_THE_REQUEST: ReadonlySet<ErrorCode> = new Set([
  "source_unavailable",
  "source_not_found",
  "source_malformed",
  "source_timeout",
  "source_too_large",
]);

const MOST_NAMED = 5;

function unread(thrown: unknown, host: string, parentId: number, ids: readonly number[]): unknown {
  if (!(thrown instanceof AppError) || !OF_THE_REQUEST.has(thrown.code)) return thrown;
  const named = ids.slice(0, MOST_NAMED).join(", ") + (ids.length > MOST_NAMED ? ", …" : "");
  const message = `${host} names ${count(ids.length)} of product ${parentId} (${named}) that its lists do not give, and could not be read one by one either. Nothing was changed; the next sync reads it again. If this stays so, a plugin of the shop hides variations from its REST API.`;
  return new AppError("source_incomplete", message, { cause: thrown });
}

function tooMany(host: string, asked: number, most: number): AppError {
  return new AppError(
    "source_incomplete",
    `${host} names at least ${count(asked)} that its lists do not give; at most ${most} are asked for one by one. Nothing was changed. In WooCommerce → Status → Tools clear the transients, so that products name only what there is, and sync again.`,
  );
}

function count(variations: number): string {
  return counted(variations, "variation");
}
