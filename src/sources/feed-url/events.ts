/**
 * Readings to events: numbered from 1, with the decimal mark that the first few hundred prices agree on. Whether the
 * file is about products at all is judged here as well, once there is something to judge by.
 */
import { counted } from "../../lib/counted.ts";
import type { DecimalMark } from "../../catalog/money.ts";
import type { Reading } from "../product-record/reading.ts";
import type { SourceEvent } from "../source.ts";
import { decimalMarkOf } from "./decimal-mark.ts";
import { type FeedReader, missingFields, type Needs, notProducts, seenIn } from "./feed-reader.ts";
import { withStoreUrl } from "./store-url.ts";
import { suggestColumns, suggestionText } from "./suggestion.ts";

/** How many readings wait for the first judgement. */
const FIRST_LOOK = 200;
/** Below this many rows a share says nothing. */
const ENOUGH_ROWS = 10;

/** What a file gives: everything but that the read is complete, which only the sender of the file knows. */
export type FileEvent = Extract<SourceEvent, { kind: "draft" | "rejected" | "warning" }>;

export type EventStage = {
  readonly push: (readings: readonly Reading[]) => readonly FileEvent[];
  /** No more readings come: hands out what waits, and refuses a file whose rows mostly lack an id or a title. */
  readonly end: () => readonly FileEvent[];
};

export type EventOptions = Needs & {
  readonly reader: FeedReader;
  /** The decimal mark to expect when the prices do not say. */
  readonly usualMark: DecimalMark | null;
  /** Where relative links start. */
  readonly storeUrl?: string | undefined;
};

export function eventStage(options: EventOptions): EventStage {
  const { reader } = options;
  const numbering = eventNumbering(options);
  let waiting: Reading[] | null = [];

  function release(): FileEvent[] {
    const first = waiting ?? [];
    waiting = null;
    numbering.mark = judge(first, options);
    return [...suggestionEvents(first, options), ...first.map(numbering.toEvent)];
  }

  return {
    push: (readings) => {
      if (waiting === null) return readings.map(numbering.toEvent);
      waiting.push(...readings);
      return waiting.length < FIRST_LOOK ? [] : release();
    },
    end: () => {
      const events = waiting === null ? [] : release();
      const { rows, nameless } = numbering.counts();
      if (rows < ENOUGH_ROWS || nameless * 2 <= rows) return events;
      const lacking = options.mayChangeFields === true ? "no id" : "no id or no title";
      throw notProducts(
        reader.format,
        seenIn(reader),
        `${nameless} of ${counted(rows, "row")} have ${lacking}`,
      );
    },
  };
}

/** The decimal mark of the first items. Throws when they cannot be products. */
function judge(first: readonly Reading[], options: EventOptions): DecimalMark | null {
  const { reader, usualMark } = options;
  const drafts = first.flatMap((reading) => (reading.kind === "draft" ? [reading.draft] : []));
  const missing = drafts.length === 0 ? null : missingFields(reader.has, options);
  if (missing === null) return decimalMarkOf(drafts, usualMark);
  throw notProducts(reader.format, seenIn(reader), `nothing in it looks like the items' ${missing}`);
}

/** Comes first, so that a sample has it: every row will be rejected, and this is what to set. */
function suggestionEvents(
  first: readonly Reading[],
  { reader, mayChangeFields = false }: EventOptions,
): FileEvent[] {
  if (reader.isDialect || !first.some(({ kind }) => kind === "draft")) return [];
  const suggestion = suggestColumns(seenIn(reader));
  if (suggestion === null) return [];
  // A file of prices needs no titles: only a column that looks like a missing field is reported then.
  const isUseful = suggestion.columns !== "" || suggestion.link_template !== null;
  if (mayChangeFields && !isUseful) return [];
  const about = { itemId: null, position: null, field: null };
  const warning = { ...about, code: "missing_column", message: suggestionText(suggestion) } as const;
  return [{ kind: "warning", warning, suggestion }];
}

function eventNumbering({ storeUrl, mayChangeFields = false }: EventOptions) {
  let position = 0;
  let rows = 0;
  let nameless = 0;
  const numbering = {
    mark: null as DecimalMark | null,
    counts: () => ({ rows, nameless }),
    toEvent: (reading: Reading): FileEvent => {
      if (reading.kind === "note") {
        const { code, message } = reading;
        return { kind: "warning", warning: { itemId: null, position: null, field: null, code, message } };
      }
      position += 1;
      if (reading.kind === "unreadable") {
        const { itemId, message } = reading;
        return {
          kind: "rejected",
          rejection: { itemId, position, field: null, code: reading.code ?? "unreadable_row", message },
        };
      }
      const draft = withStoreUrl(reading.draft, storeUrl);
      rows += 1;
      const isTitled = mayChangeFields || draft.title !== undefined;
      if ((draft.id ?? draft.sku) === undefined || !isTitled) nameless += 1;
      const { mark } = numbering;
      return mark === null
        ? { kind: "draft", position, draft }
        : { kind: "draft", position, draft, decimalMark: mark };
    },
  };
  return numbering;
}
