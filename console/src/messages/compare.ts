/** The texts of the comparison of two renders. */
import type { CauseKind, Difference } from "../../../src/contract/comparisons.ts";
import { formatNumber } from "../format.ts";
import { counted } from "../plural.ts";

const CAUSES: Readonly<Record<CauseKind, string>> = {
  source: "The shop's data",
  overlay: "An approved value",
  rule: "The rules",
  category_mapping: "A decision about categories",
  settings: "The settings of the catalog",
  channel_table: "A new version of Shelfwire",
  clock: "Time alone, such as the end of a sale",
  unknown: "Not known: several of these changed",
};

const CHANGES: Readonly<Record<Difference["change"], string>> = {
  added: "New",
  removed: "Gone",
  changed: "Changed",
};

export const compareTexts = {
  title: "Compare renders",
  open: "Compare two renders",
  withPublished: "Compare it with the published one",
  intro: "What differs between the files of two renders, item by item, and what caused each difference.",
  before: "Earlier render",
  after: "Later render",
  choose: "Choose two renders to compare.",
  option: (time: string, state: string) => `${time} (${state.toLowerCase()})`,
  tooFew: "There are no two renders with files to compare yet. Each sync that changes something makes one.",
  same: "The files of both renders are the same.",
  totals: {
    added: "New items",
    removed: "Items gone",
    changed: "Changed items",
    unchanged: "Unchanged items",
  },
  causes: {
    title: "What caused the differences",
    label: "Differences by cause",
    cause: "Cause",
    count: "Differences",
    sum: "Together",
    names: CAUSES,
  },
  between: {
    title: "What happened between them",
    runs: "Syncs and pushes",
    rules: "Versions of the rules",
    decisions: "Decisions about values",
    categories: "Categories",
    categoriesChanged: "decisions about category paths have changed",
    settings: "Settings",
    renderer: "Shelfwire",
    rendererChanged: "another version wrote the files",
    nothing: "Nothing that is recorded: only time has passed.",
    kinds: { sync: "sync", push: "push", removal: "removal" },
  },
  items: {
    title: "Items",
    label: "Differences by item",
    item: "Item",
    where: "Field",
    before: "Before",
    after: "After",
    cause: "Cause",
    whole: "the whole item",
    empty: "empty",
    changes: CHANGES,
    listed: (shown: number, all: number) =>
      `The first ${counted(shown, "item")} of ${formatNumber(all)} that differ. The API and “shelfwire diff” list all.`,
    none: "No item matches these filters.",
    all: "Show all",
    sibling: (id: string) => `because ${id} of the same group has changed`,
    run: "the run",
    version: (version: number) => `version ${formatNumber(version)}`,
  },
  filters: { file: "File", anyFile: "All files", cause: "Cause", anyCause: "All causes" },
} as const;
