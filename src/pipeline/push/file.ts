/**
 * Reads a pushed file in any format that a feed URL may have, from a spool file: some formats are read twice, and an
 * archive is read from its end. JSON is read like a JSON body, with deletions and patches, unless the sender set
 * options for reading a feed.
 */
import { isJsonObject } from "../../lib/json-object.ts";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError, type ErrorCode } from "../../errors.ts";
import { FEED_LIMITS, type FeedLimits } from "../../sources/feed-url/limits.ts";
import { firstText, openFeedFile, readFeedFile } from "../../sources/feed-url/read-file.ts";
import type { OpenFeedFile } from "../../sources/feed-url/read-file.ts";
import { decimalMarkSetting } from "../../sources/feed-url/settings.ts";
import { sniff } from "../../sources/feed-url/format.ts";
import { type PushEvent, type PushFormat, readPush, toBodyError } from "../../sources/push/read.ts";
import type { FileEnding } from "../../sources/source.ts";
import type { Push, PushFile } from "../../store/pushes.ts";

export async function spoolBody(chunks: AsyncIterable<Uint8Array>, folder: string): Promise<string> {
  const path = join(folder, "body");
  await pipeline(Readable.from(chunks, { objectMode: false }), createWriteStream(path));
  return path;
}

export type PushedFile = PushFile & {
  readonly path: string;
  readonly mode: Push["mode"];
  /** The currency of prices that name none. */
  readonly currency: string | undefined;
  /** The catalog's language, which decides between texts in several languages. */
  readonly language: string | undefined;
  /** Gets how the file ends, if its format does not notice a missing end. */
  readonly onEnding?: (ending: FileEnding) => void;
};

export function readPushedFile(
  { path, charset, settings, mode, currency, language, onEnding }: PushedFile,
  limits: FeedLimits = FEED_LIMITS,
): AsyncGenerator<readonly PushEvent[], void, void> {
  const reading = { settings, currency, language, limits };
  const file = openFeedFile({ path, isWhole: true, coding: null, charset }, reading);
  return readOpenFile(file, { ...reading, mode, ...(onEnding && { onEnding }) });
}

export type PushFileOptions = Pick<PushedFile, "settings" | "mode" | "currency" | "language" | "onEnding"> & {
  readonly limits: FeedLimits;
  /** Gets the kind of file, in words. */
  readonly onFormat?: (format: string) => void;
};

export async function* readOpenFile(
  file: OpenFeedFile,
  { settings, mode, currency, language, limits, onEnding, onFormat = () => undefined }: PushFileOptions,
): AsyncGenerator<readonly PushEvent[], void, void> {
  try {
    const { decimal_mark: _mark, ...feedSettings } = settings;
    const isFeed = Object.keys(feedSettings).length > 0;
    const format = isFeed ? null : jsonFormat(await firstText(file), limits);
    if (format === null) {
      const mayChangeFields = mode === "update";
      const catalog = { currency, language, limits };
      const reading = { origin: "The body is", mayChangeFields, onFormat, ...catalog } as const;
      yield* readFeedFile(file, settings, { ...reading, ...(onEnding && { onEnding }) });
      return;
    }
    onFormat(JSON_NAMES[format]);
    const decimalMark = decimalMarkSetting(settings);
    yield* readPush(file.texts, { format, limits, isWhole: file.isWhole, decimalMark, currency });
    yield file.notes();
  } catch (error) {
    throw toBodyError(toFileError(error));
  }
}

export const JSON_NAMES = { json: "JSON", json_lines: "JSON Lines" } as const satisfies Record<
  PushFormat,
  string
>;

function jsonFormat(head: string, limits: FeedLimits): PushFormat | null {
  const { kind } = sniff(head, "auto", limits);
  if (kind === "json lines") return "json_lines";
  if (kind !== "json") return null;
  return isOneProduct(head) ? "json_lines" : "json";
}

/** A single object with an id, `{"id": "mug-2", "delete": true}`, is JSON Lines with one line. */
function isOneProduct(head: string): boolean {
  try {
    const value: unknown = JSON.parse(head);
    return isJsonObject(value) && (typeof value["id"] === "string" || typeof value["sku"] === "string");
  } catch {
    return false;
  }
}

/** Failures of the source that are failures of the body here. */
const BODY_CODES: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
  source_not_a_feed: "body_malformed",
  source_malformed: "body_malformed",
  source_incomplete: "body_malformed",
  source_too_large: "body_too_large",
  // A template with a column that the file does not have.
  source_settings_invalid: "invalid_request",
};

function toFileError(thrown: unknown): unknown {
  if (!(thrown instanceof AppError)) return thrown;
  const code = BODY_CODES[thrown.code];
  if (code === undefined) return thrown;
  return new AppError(code, `${thrown.message} Nothing was changed; correct the file and send it again.`, {
    cause: thrown,
    ...(thrown.suggestedSettings && { suggestedSettings: thrown.suggestedSettings }),
  });
}
