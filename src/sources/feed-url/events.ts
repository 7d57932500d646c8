/**
 * Turns readings into numbered events, with the decimal mark of the first few hundred prices, or of all prices if one
 * of them cannot be read without it. Also refuses a file that is not about products.
 */
import { counted } from "../../lib/counted.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { DecimalMark } from "../../catalog/decimal.ts";
import { decimalMarkOf, type MarkOptions, needDecimalMark } from "../product-record/price-marks.ts";
import {
  type RecordResult,
  type RowSource,
  eventNumbering,
  sourceWarning,
  type SourceEvent,
} from "../source.ts";
import { type FeedPass, missingFields, type Needs, notProducts, seenBy } from "./feed-reader.ts";
import { suggestColumns, suggestionText } from "./suggestion.ts";

/** How many readings are buffered to detect the decimal mark and what the file is about. */
const DETECTION_ROWS = 200;
/** With fewer rows a share is not significant. */
const MIN_ROWS = 10;

/** The events of a file. That the read is complete is known only to the caller, who fetched the file. */
export type FileEvent = Extract<SourceEvent, { kind: "draft" | "rejected" | "warning" }>;

export type EventStage = {
  /** Whether a price among the readings needs the decimal mark of all prices, which is not known yet. */
  readonly needsMark: (readings: readonly RecordResult[]) => boolean;
  /** Sets the mark that all prices of the file show; null if they do not show it. */
  readonly setMark: (mark: DecimalMark | null) => void;
  readonly push: (readings: readonly RecordResult[]) => readonly FileEvent[];
  /** Emits what is buffered, and refuses a file whose rows mostly lack an id or a title. */
  readonly end: () => readonly FileEvent[];
};

export type EventOptions = FeedPass &
  Needs &
  MarkOptions & {
    /** Where relative links start. */
    readonly storeUrl?: string | undefined;
    /** The decimal mark that the merchant set. */
    readonly decimalMark?: DecimalMark | undefined;
  };

export function eventStage(options: EventOptions): EventStage {
  const { reader } = options;
  const numbering = readingNumbering(options);
  let buffered: RecordResult[] | null = [];
  let decimalMark: DecimalMark | null = options.decimalMark ?? null;
  let isSettled = decimalMark !== null;
  const toEvent = (reading: RecordResult): FileEvent => numbering.toEvent(reading, decimalMark);

  function release(): FileEvent[] {
    const first = buffered ?? [];
    buffered = null;
    refuseOtherFile(first, options);
    if (!isSettled) decimalMark = decimalMarkOf(first, options);
    return [...suggestionEvents(first, options), ...first.map(toEvent)];
  }

  return {
    needsMark: (readings) => !isSettled && needDecimalMark(readings),
    setMark: (mark) => {
      decimalMark = mark;
      isSettled = true;
    },
    push: (readings) => {
      if (buffered === null) return readings.map(toEvent);
      buffered.push(...readings);
      return buffered.length < DETECTION_ROWS ? [] : release();
    },
    end: () => {
      const events = buffered === null ? [] : release();
      const { rows, unidentified } = numbering.counts();
      if (rows < MIN_ROWS || unidentified * 2 <= rows) return events;
      const lacking = options.mayChangeFields === true ? "no id" : "no id or no title";
      throw notProducts(
        reader.format,
        seenBy(reader),
        `${unidentified} of ${counted(rows, "row")} have ${lacking}`,
      );
    },
  };
}

/** Throws when the first items cannot be products. */
function refuseOtherFile(first: readonly RecordResult[], options: EventOptions): void {
  const { reader } = options;
  const hasDrafts = first.some(({ kind }) => kind === "draft");
  const missing = hasDrafts ? missingFields(reader.has, options) : null;
  if (missing === null) return;
  throw notProducts(reader.format, seenBy(reader), `it has no field for ${missing}`);
}

/** Comes first, so that a sample includes it: every row will be rejected, and this is what to set. */
function suggestionEvents(
  first: readonly RecordResult[],
  { reader, mayChangeFields = false }: EventOptions,
): FileEvent[] {
  if (reader.isDialect || !first.some(({ kind }) => kind === "draft")) return [];
  const suggestion = suggestColumns(seenBy(reader));
  if (suggestion === null) return [];
  // A file of prices needs no titles: only a column that looks like a missing field is reported then.
  const isUseful = suggestion.columns !== "" || suggestion.link_template !== null;
  if (mayChangeFields && !isUseful) return [];
  return [{ ...sourceWarning("missing_column", suggestionText(suggestion)), suggestion }];
}

function readingNumbering({ storeUrl, mayChangeFields = false, rowsBefore }: EventOptions) {
  const events = eventNumbering(rowsBefore);
  let rows = 0;
  let unidentified = 0;
  return {
    counts: () => ({ rows, unidentified }),
    toEvent: (reading: RecordResult, decimalMark: DecimalMark | null): FileEvent => {
      if (reading.kind === "warning") return sourceWarning(reading.code, reading.message);
      if (reading.kind === "unreadable") {
        const { itemId, message, code = "unreadable_row" } = reading;
        return events.reject({ itemId, message, code });
      }
      rows += 1;
      if (reading.source !== undefined) {
        return new LazyRowEvent(reading, reading.source, {
          position: events.next(),
          decimalMark,
          storeUrl,
        });
      }
      const draft = withStoreUrl(reading.draft, storeUrl);
      const isTitled = mayChangeFields || draft.title !== undefined;
      if ((draft.id ?? draft.sku) === undefined || !isTitled) unidentified += 1;
      return events.draft(draft, decimalMark);
    },
  };
}

type RowPlace = {
  readonly position: number;
  readonly decimalMark: DecimalMark | null;
  readonly storeUrl: string | undefined;
};

/** The event of a row whose draft is made only when it is needed. */
class LazyRowEvent {
  readonly kind = "draft";
  readonly position: number;
  readonly decimalMark: DecimalMark | undefined;
  readonly source: RowSource;
  private readonly row: { readonly draft: Draft };
  private readonly storeUrl: string | undefined;

  constructor(
    row: { readonly draft: Draft },
    source: RowSource,
    { position, decimalMark, storeUrl }: RowPlace,
  ) {
    this.position = position;
    this.decimalMark = decimalMark ?? undefined;
    this.source = source;
    this.row = row;
    this.storeUrl = storeUrl;
  }

  get draft(): Draft {
    return withStoreUrl(this.row.draft, this.storeUrl);
  }
}

const ADDRESSES = ["link", "canonicalLink", "mobileLink", "image"] as const satisfies (keyof Draft)[];
const ADDRESS_LISTS = ["additionalImages", "videos"] as const satisfies (keyof Draft)[];

/** The same as in `catalog/url.ts`. */
const RELATIVE = /^(?:\/(?!\/)|\.{1,2}\/|\?)/;

/** Makes relative URLs absolute by the `store_url` of the source. Without one, that of the catalog is used later. */
function withStoreUrl(draft: Draft, storeUrl: string | undefined): Draft {
  if (storeUrl === undefined) return draft;
  for (const field of ADDRESSES) {
    const address = draft[field];
    if (address !== undefined && RELATIVE.test(address)) draft[field] = resolved(address, storeUrl);
  }
  for (const field of ADDRESS_LISTS) {
    const addresses = draft[field];
    if (addresses?.some((address) => RELATIVE.test(address)) !== true) continue;
    draft[field] = addresses.map((address) =>
      RELATIVE.test(address) ? resolved(address, storeUrl) : address,
    );
  }
  return draft;
}

function resolved(address: string, storeUrl: string): string {
  return URL.parse(address, storeUrl)?.href ?? address;
}
