/** For tests of any source: the drafts and warnings among its events, or the failure of a read. */
import type { Draft } from "../catalog/draft.ts";
import { AppError } from "../errors.ts";
import type { SourceEvent } from "./source.ts";

export function draftsOf(events: readonly SourceEvent[]): Draft[] {
  return events.flatMap((event) => (event.kind === "draft" ? [event.draft] : []));
}

export function warningsOf(events: readonly SourceEvent[]): string[] {
  return events.flatMap((event) => (event.kind === "warning" ? [event.warning.message] : []));
}

/** The failure of something that must fail. */
export async function failureOf(action: Promise<unknown>): Promise<AppError> {
  try {
    await action;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("it should have failed");
}
