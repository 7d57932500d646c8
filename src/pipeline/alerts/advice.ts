/**
 * For each kind of problem: what destinations get while it lasts, and what to do. Shown by the API, the command line
 * and in mails.
 */
import type { AttentionCode } from "../../contract/status.ts";

export type Advice = {
  readonly meanwhile: string;
  /** The same while the newest render is not published: held, discarded, failed, or publication is paused. */
  readonly whileBehind?: string;
  readonly advice: string;
  /** How long it must last before someone is mailed. Null: only in the digest, unless it makes the catalog fail. */
  readonly mailAfterMin: number | null;
};

const OLD_FILES = "The files from before, at the same URLs.";
const OLD_ITEMS = "The items of the last good sync; none if there was none yet.";
const AS_USUAL = "The feeds as usual.";
const BEHIND = "The files from before, at the same URLs: the newest render is not published.";

/** Long enough for a short outage to pass. */
const SOON = 5;
/** Deliveries are retried after 1, 5 and 30 minutes. */
const AFTER_RETRIES = 40;

export const ADVICE: Readonly<Record<AttentionCode, Advice>> = {
  restored_copy: {
    meanwhile: "What the original installation sends them. This copy sends nothing.",
    advice:
      "If the original is off and this copy replaces it, make it live: shelfwire resume. Else leave it as it is.",
    mailAfterMin: null,
  },
  render_held: {
    meanwhile: OLD_FILES,
    advice:
      "Look at what has changed. If it is right, promote the render; if not, discard it and repair the shop or the rule behind it.",
    mailAfterMin: SOON,
  },
  limits_exceeded: {
    meanwhile: "The new files.",
    advice:
      "Look at what has changed. If it is wrong, roll back to the files before, which is one call, and repair the shop or the rule behind it.",
    mailAfterMin: SOON,
  },
  unlikely_values: {
    meanwhile: "The files with these values.",
    advice:
      "Look at some items in the files. If the values are wrong, correct the source or its settings, and sync again; if they are right, switch the limit of the publish guard off.",
    mailAfterMin: SOON,
  },
  publication_paused: {
    meanwhile: "The files that were rolled back to.",
    advice: "When the cause is repaired, release the publication: the next render is then published.",
    mailAfterMin: SOON,
  },
  consumer_behind: {
    meanwhile: "This consumer shows items of an older render than the one that the URLs serve.",
    advice:
      "Look at the fetch schedule in the consumer's own console, and fetch the file there once by hand.",
    mailAfterMin: null,
  },
  secret_unreadable: {
    meanwhile: "Nothing: the feed URLs do not work.",
    advice: "Start Shelfwire with the SECRET_KEY that the data was encrypted with, or rotate the feed URLs.",
    mailAfterMin: SOON,
  },
  render_failed: {
    meanwhile: OLD_FILES,
    advice:
      "Open the render to see why it failed. It is tried again every ten minutes; if the disk is full, free space under DATA_DIR.",
    mailAfterMin: SOON,
  },
  feed_empty: {
    meanwhile: "The file is served without items, so a destination may remove them all.",
    advice: "Open the feed to see why each item is left out; most often one missing field is the reason.",
    mailAfterMin: SOON,
  },
  feeds_old: {
    meanwhile: OLD_FILES,
    advice:
      "Check that the sources are synced, or that your program still pushes. Raise max_feed_age_h if this age is usual.",
    mailAfterMin: SOON,
  },
  sync_refused: {
    meanwhile: OLD_ITEMS,
    whileBehind: BEHIND,
    advice:
      "Look at the shop: if it really has so few items now, sync once with a higher max_removed_ratio; if not, repair the shop's feed.",
    mailAfterMin: SOON,
  },
  items_removed: {
    meanwhile: "The feeds without these items.",
    whileBehind: BEHIND,
    advice:
      "Look at the run: if the shop really removed them, nothing is to be done; if not, correct the source and sync again.",
    mailAfterMin: SOON,
  },
  source_failing: {
    meanwhile: OLD_ITEMS,
    whileBehind: BEHIND,
    advice:
      "Open the run to see what the shop answered. Check the address, the login and whether the shop is up; then sync again.",
    mailAfterMin: null,
  },
  source_stale: {
    meanwhile: OLD_ITEMS,
    whileBehind: BEHIND,
    advice: "Sync the source now. If that does not begin, check that a worker is running: shelfwire doctor.",
    mailAfterMin: SOON,
  },
  destination_failing: {
    meanwhile: "The files of the last delivery; none if there was none yet.",
    advice:
      "Open the destination and test it: the test says what is wrong with the address, the login or the folder. Then send the files again.",
    mailAfterMin: AFTER_RETRIES,
  },
  push_failed: {
    meanwhile: OLD_ITEMS,
    whileBehind: BEHIND,
    advice: "Open the push to see what was wrong with it, repair the program that pushes, and push again.",
    mailAfterMin: SOON,
  },
  no_items: {
    meanwhile: "Files without items.",
    whileBehind: BEHIND,
    advice: "Add a source or push items, or open the last sync to see why it found none.",
    mailAfterMin: null,
  },
  sync_overdue: {
    meanwhile: OLD_ITEMS,
    whileBehind: BEHIND,
    advice: "Check that a worker is running and not overloaded: shelfwire doctor.",
    mailAfterMin: SOON,
  },
  feeds_outdated: {
    meanwhile: OLD_FILES,
    advice: "Render the feeds. If a render waits, check that a worker is running: shelfwire doctor.",
    mailAfterMin: SOON,
  },
  encoding_uncertain: {
    meanwhile: "The feeds are published; letters in them may be wrong.",
    whileBehind: `${BEHIND} Letters in the newest items may be wrong.`,
    advice: "Set the encoding whose reading is right, and sync again; or let the shop export UTF-8.",
    mailAfterMin: SOON,
  },
  rows_rejected: {
    meanwhile: "The feeds without the rejected rows.",
    whileBehind: BEHIND,
    advice: "Open the run: it lists each rejected row with its reason. Fix the rows in the shop.",
    mailAfterMin: null,
  },
  items_refused: {
    meanwhile: "The file has every item; the platform will not show these.",
    advice:
      "Open the feed to see why each item will be refused, and fix the field in the shop or with a rule.",
    mailAfterMin: null,
  },
  source_disabled: {
    meanwhile: "The items of this source as they were when it was switched off.",
    whileBehind: BEHIND,
    advice: "Switch the source on, or remove it together with its items.",
    mailAfterMin: null,
  },
  audit_failed: {
    meanwhile: AS_USUAL,
    whileBehind: BEHIND,
    advice: "Render again; if the audit fails again, report it with the message of its run.",
    mailAfterMin: null,
  },
  score_dropped: {
    meanwhile: "The feeds with the items that lowered the score.",
    advice:
      "Open the rule that lost the most points when the score last fell, look at its items, and fix what changed in the shop.",
    mailAfterMin: SOON,
  },
  score_limited: {
    meanwhile: "The feeds without the refused items.",
    advice: "Fix the refused items first: until then no other fix raises the score above the limit.",
    mailAfterMin: null,
  },
  webhook_failing: {
    meanwhile: "The feeds as usual. The receiver gets no events; each is retried for 14 hours.",
    whileBehind: `${BEHIND} The receiver gets no events; each is retried for 14 hours.`,
    advice: "Check that the receiver runs and answers 2xx. Afterwards send dead deliveries again.",
    mailAfterMin: AFTER_RETRIES,
  },
  webhook_disabled: {
    meanwhile: "The feeds as usual. The receiver gets no events; they are logged as discarded.",
    whileBehind: `${BEHIND} The receiver gets no events; they are logged as discarded.`,
    advice:
      "Repair the receiver, send it a test, and enable the webhook again. Afterwards send the dead and discarded deliveries again.",
    mailAfterMin: SOON,
  },
  mail_failing: {
    meanwhile: "The feeds as usual. No mail is sent.",
    whileBehind: `${BEHIND} No mail is sent.`,
    advice: "Check SMTP_URL and MAIL_FROM, and send a test: shelfwire alerts test.",
    mailAfterMin: null,
  },
};

/** `isBehind`: the newest render is not published. */
export function meanwhileOf(code: AttentionCode, { isBehind }: { readonly isBehind: boolean }): string {
  const { meanwhile, whileBehind } = ADVICE[code];
  return isBehind && whileBehind !== undefined ? whileBehind : meanwhile;
}
