/**
 * Which products ask visitors for a password. WooCommerce's own lists do not say it in every version; WordPress does,
 * for every post, without a key: `content.protected` in its own list of products (wp/v2/product, WordPress 5.3 and
 * later), by `WP_REST_Posts_Controller::prepare_item_for_response`.
 */
import type { Shop } from "./connect.ts";
import type { CompleteRows } from "./dialect.ts";
import { orNull } from "./facts.ts";
import { idIn, isTrue, type Row, rowIn, rowsIn, textIn } from "./wire.ts";

/** As the Store API of newer versions has it; added to rows that do not say. */
const PROTECTED = "is_password_protected";

export function isProtected(row: Row): boolean {
  return textIn(row, "post_password") !== undefined || isTrue(row, PROTECTED);
}

const UNKNOWN =
  "The shop does not say which products are protected by a password, so those are items, too. Allow the addresses under /wp-json/wp/v2/product in the plugin that blocks them, or update WordPress.";

export type PasswordFlags = { readonly complete: CompleteRows; readonly notes: () => readonly string[] };

export function passwordFlags({ visitor }: Shop): PasswordFlags {
  let isUnknown = false;

  async function ask(ids: readonly number[]): Promise<ReadonlySet<number> | null> {
    const query = { include: ids.join(","), per_page: String(ids.length), _fields: "id,content.protected" };
    const answer = await orNull(visitor.get("wp/v2/product", query));
    if (!Array.isArray(answer?.body)) return null;
    const rows = rowsIn({ rows: answer.body }, "rows");
    const isKnown = rows.every((row) => "protected" in rowIn(row, "content"));
    return isKnown
      ? new Set(rows.flatMap((row) => (isTrue(rowIn(row, "content"), "protected") ? (idIn(row) ?? []) : [])))
      : null;
  }

  return {
    notes: () => (isUnknown ? [UNKNOWN] : []),
    complete: async (rows, kind) => {
      const unsure = kind === "product" ? rows.filter(saysNothing).flatMap((row) => idIn(row) ?? []) : [];
      if (unsure.length === 0 || isUnknown) return rows;
      const found = await ask(unsure);
      isUnknown = found === null;
      return rows.map((row) => (found?.has(idIn(row) ?? 0) ? { ...row, [PROTECTED]: true } : row));
    },
  };
}

function saysNothing(row: Row): boolean {
  return !("post_password" in row) && !(PROTECTED in row);
}
