/** Texts of the page about categories. */
import { formatNumber, formatPercent } from "../format.ts";
import { counted } from "../plural.ts";

export const categoriesText = {
  title: "Categories",
  intro:
    "What the category paths of your shop mean in Google's taxonomy. One decision covers all items with the path that have no Google category of their own.",
  progress: (categorized: number, items: number) =>
    `${formatNumber(categorized)} of ${counted(items, "item")} with a category path have a Google category.`,
  progressLabel: "Items with a Google category",
  tabs: "Paths",
  undecided: (count: number) => `Without a decision (${formatNumber(count)})`,
  all: (count: number) => `All paths (${formatNumber(count)})`,
  list: "Category paths by number of items",
  items: (items: number, categorized: number) =>
    categorized === 0
      ? counted(items, "item")
      : `${counted(items, "item")}, ${formatNumber(categorized)} with a category of their own`,
  titles: (titles: readonly string[]) => `For example: ${titles.join(" · ")}`,
  suggestions: "Suggestions",
  sure: (confidence: number) => `${formatPercent(confidence)} sure`,
  noSuggestions: "Nothing in the taxonomy is like this path. Search for a category.",
  search: "Search in Google's taxonomy",
  searchHelp: "Words, an id or a path. ↓ and ↑ choose, Enter takes the choice.",
  results: "Categories found",
  found: (count: number) =>
    count === 0 ? "No category matches." : `${counted(count, "category", "categories")} found.`,
  none: "None of them",
  noneHelp: "No category of Google's fits.",
  decided: "Google category",
  decidedNone: "None of Google's categories.",
  by: "Decided",
  takeBack: "Take back",
  done: (path: string, category: string) => `${path} → ${category}`,
  doneNone: (path: string) => `${path} → none of Google's categories`,
  takenBack: (path: string) => `${path} has no decision any more.`,
  undo: "Undo",
  unpublished: "Your decisions about categories are not in the feeds yet.",
  empty: {
    title: "There are no category paths yet",
    text: "Paths such as “Home > Mugs” are counted after each sync that changed items. Items without a path need a category of their own.",
    look: "Count the paths now",
    started: "The catalog is being read. The paths appear here when that is done.",
  },
  allDecided: {
    title: "Every path has a decision",
    text: "New paths of your shop appear here after a sync.",
  },
  showAll: "Show all paths",
  id: (id: string) => `(${id})`,
} as const;
