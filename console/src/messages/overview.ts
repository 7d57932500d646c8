/** Texts of the overview of a catalog and of the list of catalogs. */
import type { Action } from "../../../src/contract/status.ts";
import { counted } from "../plural.ts";

export const STATE_NAMES = { ok: "All right", attention: "Needs attention", failing: "Failing" } as const;

export const overviewTexts = {
  title: "Overview",
  actions: {
    add_source: "Connect a shop",
    open_source: "Open the source",
    sync_source: "Sync now",
    open_run: "See what happened",
    render_feeds: "Render now",
    open_feed: "See why",
    open_audit_rule: "See the items",
    open_webhook: "Open the webhook",
  } satisfies Readonly<Record<Action["kind"], string>>,
  attention: "What else needs attention",
  more: (count: string) => `And ${count} more, to be shown when these are fixed.`,
  severity: { failing: "Failing", attention: "Needs attention" },
  score: "Audit score",
  grade: (grade: string) => `grade ${grade}`,
  points: (change: string) => `${change} since the audit before`,
  samePoints: "as in the audit before",
  ceiling: (limit: string) => `At most ${limit} while channels refuse so many items`,
  noScore: "not scored yet",
  noScoreNote: "The audit follows the first sync.",
  trend: "Audit score over time",
  items: "Items",
  sources: (count: string) => `from ${count} sources`,
  oneSource: "from one source",
  pushed: "pushed or uploaded",
  lastSync: "Last sync",
  noSync: "none yet",
  push: "Push or upload",
  failed: "Failed",
  nextSync: "Next sync",
  noNextSync: "not scheduled",
  now: "Now",
  running: (count: number) => `${counted(count, "sync is", "syncs are")} running.`,
  showRuns: "Show runs",
  feeds: "Feeds",
  empty: {
    title: "Bring in your products",
    text: "This catalog has no items yet. There are two ways in; you can use both.",
    connect: "Connect a shop",
    connectText:
      "Shopify, WooCommerce, BigCommerce, or the URL of any product feed. The catalog then follows the shop by itself.",
    upload: "Upload a file",
    uploadText: "A CSV, TSV, XML or JSON file with your products. Upload it again when something changes.",
    next: "After that, four feeds are ready within seconds, and this page shows how they are doing.",
  },
} as const;

export const catalogTexts = {
  title: "Catalogs",
  empty: "There is no catalog yet.",
  create: "Create a catalog",
  onlyOperators:
    "Only an operator can create catalogs. On the server, “shelfwire sign-in” prints a link that signs you in as one.",
  noMatch: "No catalog matches.",
  showAll: "Show all",
  list: "All catalogs",
  name: "Catalog",
  state: "State",
  anyState: "Any state",
  score: "Score",
  notScored: "not scored",
  items: "Items",
  search: "Search",
  mayOnlyRead: "read only",
  addByKey: "Add a catalog by its key",
  addText: "Its key is added to your session. It appears in the list until you sign out.",
  key: "API key",
  add: "Add",
  added: "The catalog is in the list.",
} as const;
