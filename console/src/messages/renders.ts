/** The texts of the pages about renders: which were published, which are held, and what to decide. */
import type { GuardSignal } from "../../../src/contract/publish-guard.ts";
import type { Render } from "../../../src/contract/renders.ts";
import { counted } from "../plural.ts";

export type RenderStateName = NonNullable<Render["state"]> | "current" | "failed" | "running" | "empty";

const STATES: Readonly<Record<RenderStateName, string>> = {
  current: "Published now",
  published: "Was published",
  held: "Held",
  discarded: "Discarded",
  superseded: "Replaced by a newer one",
  failed: "Failed",
  running: "Running",
  empty: "No files",
};

/** Each limit by the problem that it shows. */
const LIMITS: Readonly<Record<GuardSignal, string>> = {
  items_removed: "Many items are gone",
  items_added: "Many items are new",
  items_refused: "Many more items will be refused or left out",
  price_zero: "Items cost nothing",
  price_jumps: "Prices have jumped",
  price_median: "Prices are much higher or lower",
  currency_changed: "The currency has changed",
  out_of_stock: "Many items went out of stock",
  back_in_stock: "Many items came back into stock",
  required_field_lost: "Items lost a required field",
  attribute_lost: "Items lost an attribute",
  link_host: "Links lead to another site",
  image_host: "Images are on another site",
  file_bytes: "A file has grown or shrunk",
  same_title: "Many items have the same title",
  same_description: "Many items have the same description",
  same_link: "Many items have the same link",
  same_image: "Many items have the same image",
  same_price: "Many items have the same price",
  title_is_id: "Titles are ids",
  titles_cut: "Titles are cut off",
  values_swapped: "Items have the values of other items",
  garbled_text: "Letters are garbled",
  prices_far_apart: "Prices are a hundred times apart",
  tax_changed: "Tax was added or left out",
};

export const renderTexts = {
  title: "Renders",
  intro:
    "Each render writes the four files from the items. It is published unless it differs too much from the one before; then it is held, and a person decides.",
  empty: "Nothing was rendered yet. Connect a shop or upload a file: the first sync renders the files.",
  tableLabel: "Renders, newest first",
  unknown: "There is no such render. The newest 1,000 runs of a catalog are kept.",
  backToList: "All renders",
  one: (time: string) => `Render of ${time}`,
  columns: {
    time: "Rendered",
    state: "State",
    cause: "Because of",
    items: "Items",
    files: "Files",
  },
  states: STATES,
  stateTexts: {
    current: "The feed URLs serve the files of this render.",
    published: "The files of this render were served until a newer one was published.",
    held: "The feed URLs still serve the files before it.",
    discarded: "It was decided not to publish this render.",
    superseded: "A newer render took its place before anyone decided about it.",
    failed: "It has no files.",
    running: "It is being written now.",
    empty: "It has no files.",
  } satisfies Readonly<Record<RenderStateName, string>>,
  changedFiles: (count: number) =>
    count === 0 ? "no file changed" : count === 4 ? "all files changed" : `${counted(count, "file")} changed`,
  exceeded: {
    title: "Why it is held",
    was: "Why it was held",
    label: "Exceeded limits",
    problem: "Problem",
    before: "Published",
    after: "New",
    change: "Difference",
    max: "Limit",
    none: "–",
    factor: (value: string) => `${value} times`,
  },
  limits: LIMITS as Readonly<Record<string, string>>,
  held: {
    title: "A render is held: the feeds are not updated",
    text: "The new files differ more from the published ones than the limits allow. Look at the reasons. If they are right, publish the render; if not, discard it and correct the source. A newer render inside the limits is published by itself.",
    paused: "Publication is paused, so this render waits.",
    pausedText:
      "It takes the place of the published files if you publish it here. Publication stays paused for later ones until you publish again.",
  },
  decision: {
    title: "Decision",
    by: "Decided by",
    at: "When",
    reason: "Reason",
  },
  reason: "Reason",
  reasonHelp: "It is kept with the render, and shown to everyone who looks at it.",
  promote: {
    label: "Publish it…",
    title: "Publish the held render?",
    confirm: "Publish",
    text: "Its files replace the published ones at once, and destinations get them.",
  },
  promoteDiscarded: {
    label: "Publish it after all…",
    title: "Publish the discarded render?",
    confirm: "Publish",
    text: "Its files replace the published ones at once, and destinations get them.",
  },
  discard: {
    label: "Discard it…",
    title: "Discard the held render?",
    confirm: "Discard",
    text: "The published files stay. A later render with the same files is discarded, too. Correct the source, and sync it again.",
  },
  rollback: {
    label: "Roll back to it…",
    title: "Serve the files of this render again?",
    confirm: "Roll back",
    text: "The feed URLs serve these files at once, and destinations get them. Publication is then paused: new renders are held, until you publish again.",
  },
  notKept: "no longer kept",
  notKeptNote: "Its files are no longer kept, so it cannot be compared or rolled back to.",
  restores: "Brought back",
  restored: "the files of an earlier render",
  run: "The run",
  files: "Files",
  reasons: "Why items will be refused or are left out",
} as const;

/** The limits of the publish guard, in the settings. */
export const guardTexts = {
  title: "Before files are published",
  intro:
    "New files that differ from the published ones by more than these limits are held, until a person publishes or discards them. Feeds that are complete but wrong, such as all prices being zero, are stopped here. An empty field switches its limit off.",
  enabled: "Hold renders that exceed a limit",
  plainCalls:
    "Also hold syncs and renders that programs start through the API, unless the call says to publish",
  expectedHosts: "New hosts",
  expectedHostsHelp:
    "If your shop or its images are about to move, enter the new hosts, separated by commas: such a move is then not held.",
  help: (description: string, preset: string, least: string) =>
    `${description} Default: ${preset}, of at least ${least}.`,
  percent: (label: string) => `${label} (%)`,
  factor: (label: string) => `${label} (times)`,
  preset: { share: (value: string) => `${value} %`, factor: (value: string) => `${value} times` },
  items: (count: number) => counted(count, "item"),
  save: "Save the limits",
  saved: "Saved. If a render is held, the feeds are rendered again and judged by the new limits.",
  unchanged: "Nothing was changed yet.",
} as const;
