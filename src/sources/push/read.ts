/**
 * A pushed body to events: a JSON document with a list of products, or JSON Lines with one a line. Prices that are
 * texts are read as in a file: the mark of those such as "1.299" is that of all prices of the body. A body that is
 * broken anywhere throws, and the generator only ends well when all was read.
 */
import type { Draft } from "../../catalog/draft.ts";
import type { PatchedField } from "../../catalog/patch.ts";
import type { Warning } from "../../catalog/finding.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import type { DecimalMark } from "../../catalog/decimal.ts";
import type { TextReader } from "../../lib/formats/text-reader.ts";
import { needDecimalMark, surveyDecimalMark } from "../product-record/price-marks.ts";
import { FormatError, type FormatErrorKind } from "../../lib/formats/format-error.ts";
import { columnNotes } from "../product-record/column-settings.ts";
import { dynamicColumns, memoizedPlans, planByNames } from "../product-record/dynamic-columns.ts";
import { type ElementOptions, readElement } from "../product-record/json-items.ts";
import type { RecordLimits } from "../product-record/limits.ts";
import { type RecordResult, eventNumbering, sourceWarning, type SourceEvent } from "../source.ts";
import { deletionIn, isDeleteName } from "./deletion.ts";
import { isModeName, rowModeIn, unknownMode } from "./row-mode.ts";
import { type Element, type BodyReader, jsonBody, jsonLinesBody } from "./body-readers.ts";
import {
  clearedIn,
  type EmptyField,
  emptyIn,
  readPushName,
  surplusValues,
  unreadGroups,
} from "./push-fields.ts";

export type PushFormat = "json" | "json_lines";

export type PushEvent =
  | Extract<SourceEvent, { kind: "rejected" | "warning" }>
  | PushedDraft
  /** `{ "id": …, "delete": true }`. The draft holds the id, to be read as any item's. */
  | { readonly kind: "removal"; readonly position: number; readonly draft: Draft };

export type PushedDraft = Extract<SourceEvent, { kind: "draft" }> & {
  /** The fields that were sent as null: in a change of an item they are cleared. */
  readonly cleared?: readonly PatchedField[];
  /** The fields that were sent with a value that says nothing: in a change of an item they are reported. */
  readonly empty?: readonly EmptyField[];
  /** `"mode": "replace"`: the row replaces its item in an update, too. */
  readonly isReplacement?: boolean;
};

export type PushReadOptions = {
  readonly format: PushFormat;
  readonly limits: RecordLimits;
  /** False for the beginning of a body, which ends in the middle of a product. */
  readonly isWhole?: boolean;
  /** The decimal mark that the sender set. */
  readonly decimalMark?: DecimalMark | undefined;
  /** The currency of prices that name none. */
  readonly currency?: string | undefined;
};

/** Events in batches, one a piece of text: a generator's step for each would cost more than reading it does. */
export async function* readPush(
  texts: () => AsyncIterable<string>,
  options: PushReadOptions,
): AsyncGenerator<readonly PushEvent[], void, void> {
  const { isWhole = true, currency } = options;
  const reader = bodyReader(options);
  let isSettled = options.decimalMark !== undefined;
  let decimalMark: DecimalMark | null = options.decimalMark ?? ".";
  const marked = async function* (events: readonly PushEvent[]): AsyncGenerator<readonly PushEvent[]> {
    if (!isSettled && needDecimalMark(events)) {
      decimalMark = yield* surveyDecimalMark({ texts, reader: bodyReader(options), isWhole, currency });
      isSettled = true;
    }
    yield events.map((event) =>
      event.kind === "draft" ? { ...event, decimalMark: decimalMark ?? undefined } : event,
    );
  };
  try {
    for await (const text of texts()) yield* marked(reader.push(text));
    if (isWhole) yield* marked(reader.end());
    yield reader.notes();
  } catch (error) {
    throw toBodyError(error);
  }
}

function bodyReader(options: PushReadOptions): TextReader<PushEvent> & { readonly notes: () => PushEvent[] } {
  const reader = READERS[options.format](options.limits);
  const stage = eventStage(options);
  return {
    push: (text) => reader.push(text).flatMap(stage.event),
    end: () => reader.end().flatMap(stage.event),
    notes: stage.end,
  };
}

const READERS: Readonly<Record<PushFormat, (limits: RecordLimits) => BodyReader>> = {
  json: jsonBody,
  json_lines: jsonLinesBody,
};

const PLANS = memoizedPlans(planByNames(readPushName));

function eventStage({ limits }: PushReadOptions) {
  const columns = dynamicColumns(limits.maxColumns, PLANS);
  let isFlat = true;
  const onShape = (): void => {
    isFlat = false;
  };
  const options: ElementOptions = {
    columns,
    limits,
    storeUrl: undefined,
    onShape,
  };
  const numbering = eventNumbering();
  const toEvent = (reading: RecordResult): PushEvent => {
    if (reading.kind === "warning") return sourceWarning(reading.code, reading.message);
    if (reading.kind === "draft") return numbering.draft(reading.draft, null);
    return numbering.reject({ itemId: reading.itemId, message: reading.message });
  };
  const productEvents = (readings: readonly RecordResult[], value: unknown): PushEvent[] => {
    const events = withRowMode(readings.map(toEvent), value);
    const [first, ...more] = events;
    if (first?.kind !== "draft") return [...events];
    const surplus = rowWarnings(value, first).map(toWarning);
    // What variants share with their product is counted there, not here.
    if (more.length > 0) return [...events, ...surplus];
    return [...flatEvents(first, value), ...surplus];
  };
  return {
    event: (element: Element): PushEvent[] => {
      if ("broken" in element) {
        return [toEvent({ kind: "unreadable", itemId: null, message: element.broken })];
      }
      const { value, text } = element;
      const deletion = deletionIn(value);
      if (deletion.kind === "none") return productEvents(readElement(value, text, options), value);
      const [first] = readElement({ ...deletion.of, variants: null }, text, options);
      const draft = first?.kind === "draft" ? first.draft : {};
      if (deletion.kind === "asked") return [{ kind: "removal", position: numbering.next(), draft }];
      return [numbering.reject({ itemId: draft.id ?? null, message: deletion.message, field: "delete" })];
    },
    /**
     * Fields are only reported when all products were flat: other shapes use names that the tables do not have. Two
     * names for one field are not reported: one product may use this and the next one that.
     */
    end: (): PushEvent[] => {
      const names = columns.names().filter((name) => !isDeleteName(name) && !isModeName(name));
      const notes = isFlat ? columnNotes(names, readPushName) : [];
      return notes
        .filter((stated) => stated.kind === "warning" && stated.code === "unmapped_column")
        .map(toEvent);
    },
  };
}

const toWarning = (warning: Warning): PushEvent => ({ kind: "warning", warning });

/** Marks the items of an element that replaces them. */
function withRowMode(events: readonly PushEvent[], value: unknown): readonly PushEvent[] {
  if (rowModeIn(value).kind !== "replace") return events;
  return events.map((event) => (event.kind === "draft" ? { ...event, isReplacement: true } : event));
}

const rowWarnings = (value: unknown, { draft, position }: PushedDraft): readonly Warning[] => [
  ...unknownMode(rowModeIn(value), { draft, position }),
  ...surplusValues(value, draft, position),
];

/** A product that is one item: what it clears, and what of it cannot be read. */
function flatEvents(only: PushedDraft, value: unknown): PushEvent[] {
  const cleared = clearedIn(value, only.draft);
  const empty = emptyIn(value, only.draft);
  const unread = unreadGroups(value, only.draft, only.position);
  return [
    {
      ...only,
      ...(cleared.length > 0 && { cleared }),
      ...(empty.length > 0 && { empty }),
    },
    ...unread.map(toWarning),
  ];
}

const CODES: Readonly<Record<FormatErrorKind, ErrorCode>> = {
  too_large: "body_too_large",
  malformed: "body_malformed",
  truncated: "body_malformed",
  unsupported: "body_malformed",
};

/** The failure of a body that cannot be read to its end. What is not a fault of the body stays itself. */
export function toBodyError(thrown: unknown): unknown {
  if (!(thrown instanceof FormatError)) return thrown;
  const message = `${thrown.message} Nothing was changed; correct the body and send it again.`;
  return new AppError(CODES[thrown.kind], message, { cause: thrown });
}
