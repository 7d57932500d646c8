/** Known consumers that have stopped fetching a file. */
import { spanWords } from "../../lib/span-words.ts";
import type { Silence, SilentConsumer } from "../../store/fetch-receipts.ts";
import { ago, amount, type AttentionCandidate, type StatusFacts } from "./problem.ts";

/** After fetches on so many days it is known what is usual. */
export const REGULAR_DAYS = 5;

/**
 * A consumer that fetches once a day is often some renders behind: that is usual. It is reported after twice its
 * longest interval, and for a month: then it does not use the file any more.
 */
export const SILENCE: Silence = { minDays: REGULAR_DAYS, minS: 36 * 3_600, maxS: 30 * 86_400 };

export function checkConsumers({ silent }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  return silent.map((one) => candidate(one, now));
}

function candidate(
  { consumer, file, lastAt, usualGapS, rendersBehind }: SilentConsumer,
  now: Date,
): AttentionCandidate {
  const on = lastAt.toISOString().slice(0, 10);
  const usual = spanWords(Math.max(usualGapS, 60) * 1_000);
  return {
    code: "consumer_behind",
    headline: `${consumer} last fetched ${file} ${ago(lastAt, now)}, on ${on}, and is ${amount(rendersBehind, "render")} behind.`,
    detail: `Before, it fetched the file at least every ${usual}. Check in the account there that the fetch is still scheduled and that its URL is the one of GET /feeds.`,
    count: rendersBehind,
    since: lastAt,
    subject: `${file} ${consumer}`,
    action: { kind: "open_feed", target: file },
  };
}
