/** What reading a record gives: a draft, a row that could not be read, or a note about the whole. */
import type { Draft } from "../../catalog/draft.ts";
import type { RejectionCode, WarningCode } from "../../catalog/finding.ts";

export type Reading =
  | {
      readonly kind: "draft";
      readonly draft: Draft;
      /** What the source calls the product (a handle, a slug), of which an id is made where there is none. */
      readonly key?: readonly string[];
    }
  | {
      readonly kind: "unreadable";
      readonly itemId: string | null;
      readonly message: string;
      /** `unreadable_row` unless the reader knows better what is wrong. */
      readonly code?: RejectionCode;
    }
  | { readonly kind: "note"; readonly code: WarningCode; readonly message: string };

const SHOWN_COLUMNS = 30;

/** The names for a sentence; of many, the first ones and how many more. */
export function namesShown(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_COLUMNS).map((name) => JSON.stringify(name.slice(0, 60)));
  const more = names.length > SHOWN_COLUMNS ? ` and ${names.length - SHOWN_COLUMNS} more` : "";
  return `${shown.join(", ")}${more}`;
}
