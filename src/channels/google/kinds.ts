/** How the values of Google's file are written. */
export const GOOGLE_KINDS = {
  text: "One text on one line; in quotes when it has a quote.",
  url: "Absolute http or https address.",
  money: "Decimal amount, a space, ISO 4217 code: `18.00 USD`.",
  word: "One word of a closed list.",
  flag: "`yes` or `no`.",
  number: "Whole number.",
  decimal: "Decimal number with a point.",
  measure: "Decimal number, a space, unit: `1.5 kg`.",
  time: "UTC time to the minute: `2026-11-14T10:00Z`.",
  interval: "Two times with a slash between them.",
  list: "Values joined by commas; one that has a comma or a quote is in quotes alone; commas in addresses are `%2C`.",
  groups:
    "Sub-values joined by colons, groups by commas; a sub-value that has one of these or a quote is in quotes.",
} as const;

export type GoogleKind = keyof typeof GOOGLE_KINDS;
