/**
 * The facts about a request that the log and the metrics record. They contain the route and never the URL, because URLs
 * contain feed tokens.
 */
import type { IncomingMessage } from "node:http";
import { newId } from "../lib/id.ts";

export type AnsweredRequest = {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly keyId?: string | undefined;
};

/** The id that the caller sent, if it is usable. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const id = headers["x-request-id"];
  return typeof id === "string" && /^[\w.:-]{1,128}$/.test(id) ? id : newId();
}
