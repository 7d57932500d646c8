/**
 * The contract of every source: an async generator of events, with backpressure, stopped by a signal. A complete read
 * ends with `end`, or is a single `unchanged`. A generator that returns without either was cut short, and nothing of it
 * is published. A failure of the whole read is a thrown AppError; a row that cannot be read is an event, so that it is
 * counted.
 */
import type { Draft } from "../catalog/draft.ts";
import {
  type Rejection,
  type RejectionCode,
  type Warning,
  type WarningCode,
  wholeSourceWarning,
} from "../catalog/finding.ts";
import type { DecimalMark } from "../catalog/decimal.ts";
import type { HttpClient } from "../lib/outbound/http-client.ts";

export type SourceEvent =
  | {
      readonly kind: "draft";
      readonly position: number;
      readonly draft: Draft;
      readonly source?: RowSource;
      /** Of this source's prices, if it is known. Otherwise prices such as 1.299 are rejected. */
      readonly decimalMark?: DecimalMark | undefined;
      /** The shop's product that the row belongs to. Every row has one if the connector can read single products. */
      readonly product?: string;
    }
  | { readonly kind: "rejected"; readonly rejection: Rejection; readonly product?: string }
  /** Only the products that `product` events name are read. The first event of such a read. */
  | { readonly kind: "partial" }
  /** All rows of this product are in this read. It may have none: then it is no longer for sale. */
  | { readonly kind: "product"; readonly product: string }
  | {
      readonly kind: "warning";
      readonly warning: Warning;
      /** What to set when the source's columns were not understood. */
      readonly suggestion?: ColumnSuggestion;
    }
  /** Nothing has changed since `previous`. The only event of its read. */
  | { readonly kind: "unchanged"; readonly validators: Validators }
  /** The read is complete. `expected` is the source's own total, if it has one. */
  | {
      readonly kind: "end";
      readonly validators: Validators | null;
      readonly expected: number | null;
      /** The newest change that the read saw, by the shop's clock: the next one can read what changed since. */
      readonly newestChange?: Date | null;
      /** Of a file of delimited text. */
      readonly ending?: FileEnding | undefined;
    };

/** How the text of a file ends. A file that was cut off often lacks the last line end, and cells of the last row. */
export type FileEnding = {
  readonly hasLineEnd: boolean;
  /** The last row has fewer cells than the header, and all other rows are complete. */
  readonly isInsideRow: boolean;
};

export type EventStream = AsyncGenerator<SourceEvent, void, void>;

/** One event at a time, or several: a step of a generator for each row of a file costs more than to read the row. */
export type SourceEvents = AsyncGenerator<SourceEvent | readonly SourceEvent[], void, void>;

/** A row whose draft is made only when it is needed. Such a row has an id and a title of its own. */
export type RowSource = {
  /** What the draft is made of: rows with the same text have the same draft. */
  readonly text: string;
  /** How many characters the row has, with those that its draft is not made of. */
  readonly chars: number;
  /** The cells of the price columns. */
  readonly prices: readonly string[];
};

type SourceEventOf<Kind extends SourceEvent["kind"]> = Extract<SourceEvent, { kind: Kind }>;

/** What is not stated of a rejection: no id, no field, an unreadable row. */
export type PartialRejection = Pick<Rejection, "message"> &
  Partial<Rejection> & { readonly product?: string | undefined };

/** Numbers the items of one read from 1. */
export function eventNumbering(before = 0) {
  let position = before;
  const next = (): number => {
    position += 1;
    return position;
  };
  return {
    next,
    /** How many items were numbered so far. */
    count: () => position,
    draft: (draft: Draft, decimalMark: DecimalMark | null, product?: string): SourceEventOf<"draft"> => {
      // The rows of a file have no product; this runs for each of them.
      const event: SourceEventOf<"draft"> =
        decimalMark === null
          ? { kind: "draft", position: next(), draft }
          : { kind: "draft", position: next(), draft, decimalMark };
      return product === undefined ? event : { ...event, product };
    },
    reject: ({ product, ...rejection }: PartialRejection): SourceEventOf<"rejected"> => ({
      kind: "rejected",
      rejection: { itemId: null, field: null, code: "unreadable_row", ...rejection, position: next() },
      ...(product !== undefined && { product }),
    }),
  };
}

export function sourceWarning(code: WarningCode, message: string): SourceEventOf<"warning"> {
  return { kind: "warning", warning: wholeSourceWarning(code, message) };
}

/** What the reader of a file or a push returns for a record, before it is numbered. */
export type RecordResult =
  | {
      readonly kind: "draft";
      readonly draft: Draft;
      readonly source?: RowSource;
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
  | { readonly kind: "warning"; readonly code: WarningCode; readonly message: string };

/** Which columns a file has, which fields no column fills, and settings to try. */
export type ColumnSuggestion = {
  readonly seen: readonly string[];
  readonly missing: readonly string[];
  /** The columns whose names and values fit a field. */
  readonly fields: readonly SuggestedField[];
  /** Text for the setting `columns`. */
  readonly columns: string;
  readonly link_template: string | null;
  /** Columns that could be the price, if it is not clear which one customers pay; `columns` names none of them. */
  readonly prices: readonly SuggestedField[];
};

export type SuggestedField = {
  readonly field: string;
  readonly column: string;
  readonly confidence: "high" | "low";
  /** Some values of the column. */
  readonly values: readonly string[];
};

/** State of the last complete read, such as an ETag, with which a source finds out whether anything has changed. */
export type Validators = Readonly<Record<string, string>>;

export type ReadContext = {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
  /** A folder for this read's own temporary files; the caller removes it afterwards. */
  readonly spoolDir: string;
  readonly previous: Validators | null;
  /** The catalog's currency, for prices that name none. */
  readonly currency?: string | undefined;
  /** The catalog's language, for files with texts in several. */
  readonly language?: string | undefined;
  /** `sample`: the caller stops after some items, so nothing large is fetched. */
  readonly extent: "whole" | "sample";
  /**
   * Returns how long a caller has waited for this source, or null if no caller waits. A shop that fails is given up
   * sooner while a caller waits.
   */
  readonly callerWaitMs?: () => number | null;
  /** Read only this, if the connector can; it may read everything all the same. */
  readonly part?: ReadPart | null;
};

/** What a shop says about deleted products: which were deleted, or what it has. */
export type ShopIds =
  | { readonly kind: "deleted"; readonly products: readonly string[] }
  /**
   * Says whether the shop has the product, and the item, if its list has items as well. `item` is null if it is not
   * known.
   */
  | { readonly kind: "listed"; readonly has: (product: string, item: string | null) => boolean };

/** Products are named by the shop's ids. */
export type ReadPart =
  /** What changed since this time, by the shop's clock, and these products. */
  | { readonly kind: "changes"; readonly since: Date; readonly products: readonly string[] }
  | { readonly kind: "products"; readonly products: readonly string[] };

/** One setting of a source, for the API, the command line and the form of the console. */
export type SettingField = {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly required: boolean;
  /** Encrypted at rest and never shown again. */
  readonly secret: boolean;
  readonly choices?: readonly string[];
  readonly default?: string;
};

export type SourceSettings = Readonly<Record<string, string>>;

/** The result of a first call to the shop: the credentials work, and this is what the user should know. */
export type ProbeResult = {
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** What is missing or will be left out, although the shop can be read. Whole sentences. */
  readonly notes: readonly string[];
};

/** Where a shop sends its webhooks, and a secret of ours for them. */
export type ShopHook = { readonly id: string; readonly url: string; readonly secret: string };

export type ShopHookRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

export type ShopWebhooks = {
  /** Creates those that are missing or off. Throws an AppError that says what is missing. */
  readonly register: (settings: SourceSettings, context: ShopContext, hook: ShopHook) => Promise<void>;
  /** Deletes all that are ours. */
  readonly remove: (settings: SourceSettings, context: ShopContext, hook: ShopHook) => Promise<void>;
  /** The products that a request is about; null if the shop did not sign it. */
  readonly receive: (
    request: ShopHookRequest,
    settings: SourceSettings,
    hook: Pick<ShopHook, "secret">,
  ) => readonly string[] | null;
};

type ShopContext = Pick<ReadContext, "http" | "signal">;

export type Connector = {
  readonly kind: string;
  readonly label: string;
  readonly fields: readonly SettingField[];
  /** What is wrong with the settings. Required settings and choices are checked by `fields` already. */
  readonly check: (
    settings: SourceSettings,
  ) => readonly { readonly setting: string; readonly detail: string }[];
  /** The address that secrets are sent to. If its host changes, they have to be entered again. */
  readonly destination: (settings: SourceSettings) => string;
  /** Tests credentials and permissions, or throws an AppError that says what is missing. Reads no items. */
  readonly probe?: (
    settings: SourceSettings,
    context: Pick<ReadContext, "http" | "signal">,
  ) => Promise<ProbeResult>;
  readonly read: (settings: SourceSettings, context: ReadContext) => SourceEvents;
  /** The shop's webhooks about products. Not set: the shop system has none. */
  readonly webhooks?: ShopWebhooks;
  /** Which parts can be read with these settings. Not set: everything is read always. */
  readonly parts?: (settings: SourceSettings) => readonly ReadPart["kind"][];
  /**
   * Asks the shop what was deleted since a time, or, if it does not say or the time is null, for the ids of everything
   * that it has. Needs few requests, because a worker calls it every hour.
   */
  readonly ids?: (settings: SourceSettings, context: ShopContext, since: Date | null) => Promise<ShopIds>;
};
