/** Texts of the review of proposals. */
import { formatNumber, formatPercent } from "../format.ts";
import { counted } from "../plural.ts";

/** "+1.8", "+0.04": small gains have two decimals. */
export const formatPoints = (points: number): string => {
  const size = Math.abs(points);
  const text = size > 0 && size < 0.005 ? "< 0.01" : size.toFixed(size < 1 ? 2 : 1);
  return `${points < 0 ? "−" : "+"}${text}`;
};

const items = (count: number) => counted(count, "item");

export const proposalsText = {
  title: "Proposals",
  intro:
    "Values that your own data gives for fields that are empty or wrong. Nothing is changed until you approve it, and your source is never changed.",
  refresh: "Look for proposals now",
  refreshing: "The catalog is being read. New proposals appear here when that is done.",
  tabs: "Proposals by state",
  states: {
    pending: (count: number) => `To decide (${formatNumber(count)})`,
    conflicted: (count: number) => `Conflicts (${formatNumber(count)})`,
    approved: (count: number) => `Approved (${formatNumber(count)})`,
    rejected: (count: number) => `Rejected (${formatNumber(count)})`,
  },
  stateHelp: {
    pending:
      "The points of a group are what it gains alone. Gains of several groups overlap, so together they may be a little less; the preview of each group counts those that you have approved.",
    conflicted:
      "You approved these values, and since then the source, or the text that they were found in, has changed. The approved values are still used. Decide again.",
    approved:
      "These values are used instead of those of the source. Withdraw one to have the source's value again.",
    rejected: "These values are not proposed again, unless you take the rejection back.",
  },
  field: "Field",
  anyField: "All fields",
  list: "Groups of proposals, the largest gain first",
  keys: {
    title: "Keys, while the focus is in the list:",
    next: "next group",
    previous: "previous group",
    approve: "approve",
    reject: "reject",
    skip: "skip",
    undo: "undo the last decision",
    withdraw: "withdraw",
    note: "In a line of the examples, they decide about this item alone.",
  },
  group: (field: string, value: string) => `${field} = ${value}`,
  items,
  points: (gain: number) => `${formatPoints(gain)} points`,
  noPoints: "no points",
  confidence: (value: number) => `${formatPercent(value)} sure`,
  lowestConfidence: (value: number) => `at least ${formatPercent(value)} sure`,
  finding: "Resolves:",
  ungrounded: "Not in your data",
  ungroundedHelp:
    "Some words of this value are not in the item. Check it against the product, and approve it item by item.",
  generated: "Written by a model",
  generatedHelp:
    "A model wrote this text. Read it before you approve it. Google gets it marked as generated.",
  skipped: "Skipped",
  verbs: {
    approve: (count: number) => (count === 1 ? "Approve" : `Approve ${formatNumber(count)}`),
    reject: (count: number) => (count === 1 ? "Reject" : `Reject ${formatNumber(count)}`),
    keep: "Keep the approved value",
    useSource: "Use the source's value",
    withdraw: "Withdraw",
    again: "Propose again",
    skip: "Skip",
  },
  one: { approve: "Approve", reject: "Reject", withdraw: "Withdraw" },
  notInBulk: "These values can only be approved one by one.",
  preview: "Preview the effect",
  previewAgain: "Preview again",
  closePreview: "Close the preview",
  examples: "Items of this group",
  item: "Item",
  change: "Change",
  evidence: "Found in",
  sure: "Confidence",
  decide: "Decide",
  none: "none",
  named: (name: string, value: string) => `${name} (${value})`,
  becomes: "becomes",
  sourceNow: "The source now has:",
  sourceNone: "The source now has no value.",
  textChanged: "The text that this value was found in has changed.",
  noEvidence: "No text of the item supports this value.",
  sibling: (id: string) => `of ${id}`,
  shown: (shown: number, all: number) => `${formatNumber(shown)} of ${items(all)}`,
  more: "Show more items",
  decidedBy: "Decided",
  done: {
    approve: (what: string, count: number) => `Approved: ${what}, ${items(count)}.`,
    reject: (what: string, count: number) => `Rejected: ${what}, ${items(count)}.`,
    withdraw: (what: string, count: number) => `Withdrawn: ${what}, ${items(count)}.`,
    undone: (what: string, count: number) => `Undone: ${what}, ${items(count)}.`,
    skip: (what: string) => `Skipped: ${what}.`,
  },
  undo: "Undo",
  undoLabel: "Last decision",
  unpublished: (count: number) =>
    count === 1 ? "1 change is not published yet." : `${formatNumber(count)} changes are not published yet.`,
  unpublishedHelp: "The feeds change with the next sync, or now.",
  publish: "Publish now",
  published: "The feeds are published.",
  empty: {
    pending: {
      title: "There is nothing to decide",
      text: "After every sync the catalog is searched for values that are missing or wrong. You can also look now.",
    },
    conflicted: {
      title: "There are no conflicts",
      text: "No source has changed a value that you had approved.",
    },
    approved: { title: "Nothing is approved yet", text: "Values that you approve are listed here." },
    rejected: {
      title: "Nothing is rejected",
      text: "Values that you reject are listed here. They are not proposed again.",
    },
  },
  noMatch: "No proposal is about this field.",
  allFields: "Show all fields",
  toPending: "Show what is to be decided",
  firstPage: "Begin at the first page",
  noMore: "There are no more groups on this page.",
  audit: "Open the audit",
  /** The names of fields in the API. */
  fields: {
    age_group: "Age group",
    brand: "Brand",
    color: "Color",
    condition: "Condition",
    custom_label0: "Custom label 0",
    custom_label1: "Custom label 1",
    custom_label2: "Custom label 2",
    custom_label3: "Custom label 3",
    custom_label4: "Custom label 4",
    description: "Description",
    gender: "Gender",
    google_category: "Google category",
    gtin: "GTIN",
    height: "Height",
    identifier_exists: "Identifier exists",
    is_bundle: "Bundle",
    length: "Length",
    material: "Material",
    mpn: "MPN",
    multipack: "Multipack",
    pattern: "Pattern",
    short_title: "Short title",
    size: "Size",
    size_system: "Size system",
    size_type: "Size type",
    title: "Title",
    unit_pricing_base_measure: "Base for unit prices",
    unit_pricing_measure: "Measure for unit prices",
    weight: "Weight",
    width: "Width",
  } as Readonly<Record<string, string>>,
  /** Places of evidence that have no field of their own name. */
  places: {
    sku: "SKU",
    options: "Option",
    details: "Detail",
    categories: "Category path",
    link: "Link",
  } as Readonly<Record<string, string>>,
} as const;

export const fieldName = (field: string): string => proposalsText.fields[field] ?? field;

/** `title`, or an entry of a list: `options.0`. */
export function placeName(field: string): string {
  const [name = ""] = field.split(".");
  return proposalsText.places[name] ?? fieldName(name);
}
