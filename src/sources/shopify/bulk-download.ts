/** The file of a bulk operation, brought to disk. It is fetched without the token: its address is signed already. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { HttpFailure } from "../../lib/outbound/http-failure.ts";
import { requestFailure, statusFailure } from "../kit/failure.ts";
import { type Attempt, withRetries } from "../kit/retry.ts";
import type { ReadContext } from "../source.ts";
import type { ShopifyLimits } from "./limits.ts";

/** How many bytes arrived. A download that breaks begins again: the address promises no ranges. */
export function downloadBulk(
  url: string,
  path: string,
  { http, signal }: Pick<ReadContext, "http" | "signal">,
  { bulk, retries }: Pick<ShopifyLimits, "bulk" | "retries">,
): Promise<void> {
  return withRetries(retries, signal, async (): Promise<Attempt<void>> => {
    try {
      const answer = await http.request({ url, signal, limits: { maxBytes: bulk.maxFileBytes } });
      if (answer.status !== 200) {
        answer.discard();
        return { kind: "failed", failure: statusFailure(answer, new Date()) };
      }
      await pipeline(answer.body, createWriteStream(path));
      return { kind: "done", value: undefined };
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: "failed", failure: requestFailure(error) };
      throw error;
    }
  });
}
