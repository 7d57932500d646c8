/** Checks each value alone, by the kind, words and limit of its attribute in the table. */
import { isLonger } from "../../../lib/text-length.ts";
import { isGarbled } from "../../../catalog/garbled-text.ts";
import { limitOf } from "../../kit/field-table.ts";
import { isLeftover } from "../../kit/validate/checks/text.ts";
import { readMoney } from "../../kit/validate/checks/money.ts";
import { strictAddressFault } from "../../kit/validate/checks/url.ts";
import { type DocumentedAttribute, ATTRIBUTES } from "./attributes.ts";
import { fieldRule } from "./field-rules.ts";
import { type GoogleCheck, type GoogleFindings, WORD_ATTRIBUTES, type WordAttribute } from "./rules.ts";

type ValueCheck = (value: string, attribute: DocumentedAttribute, findings: GoogleFindings) => void;

const checkLength: ValueCheck = (value, { name, limit }, findings) => {
  if (limit === undefined || !isLonger(value, limit.codePoints)) return;
  const detail = `The text is longer than ${limit.codePoints} characters.`;
  findings.add(fieldRule(name, "long") ?? "gmc.text.long", { field: name, value, detail });
};

const checkText: ValueCheck = (value, attribute, findings) => {
  const field = attribute.name;
  if (isGarbled(value)) findings.add("gmc.text.mojibake", { field, value });
  if (isLeftover(value)) findings.add("gmc.text.placeholder", { field, value });
  checkLength(value, attribute, findings);
};

const checkAddress: ValueCheck = (value, attribute, findings) => {
  const { name, requirement } = attribute;
  const fault = strictAddressFault(value, limitOf(attribute));
  const rule = fieldRule(name, "address") ?? "gmc.link.invalid";
  const detail = `The address ${fault}.`;
  if (fault !== undefined)
    findings.add(rule, { field: name, value, detail, isMild: requirement !== "required" });
  else if (name === "link" && !value.startsWith("https:"))
    findings.add("gmc.link.http", { field: name, value });
};

const MONEY_RULES = {
  format: "gmc.price.format",
  currency: "gmc.price.currency",
  precision: "gmc.price.precision",
  short: "gmc.price.precision",
} as const;

const checkMoney: ValueCheck = (value, { name }, findings) => {
  const { fault } = readMoney(value);
  if (fault !== undefined)
    findings.add(MONEY_RULES[fault.kind], { field: name, value, detail: `The amount ${fault.description}.` });
};

function isWordAttribute(name: string): name is WordAttribute {
  return WORD_ATTRIBUTES.some((known) => known === name);
}

/** A word without what its spellings differ in. */
function bareWord(word: string): string {
  return word.replace(/[\s_-]/g, "").toLowerCase();
}

function reportWord(
  value: string,
  { name, values = [] }: DocumentedAttribute,
  findings: GoogleFindings,
): void {
  const meant = values.find((word) => bareWord(word) === bareWord(value));
  const detail =
    meant === undefined
      ? `The value is none of ${values.join(", ")}.`
      : `Google's specification writes it \`${meant}\`.`;
  const finding = { field: name, value, detail, isMild: meant !== undefined };
  if (isWordAttribute(name)) findings.add(`gmc.enum.${name}`, finding);
  else if (name === "availability") findings.add("gmc.avail.enum", finding);
}

const checkWord: ValueCheck = (value, attribute, findings) => {
  // Google's own examples write some of its words with a capital.
  const word = value.trim().toLowerCase();
  if (attribute.values?.some((known) => known.toLowerCase() === word) !== true)
    reportWord(value, attribute, findings);
};

/** Google writes yes and no, and reads true and false as well. */
const FLAGS = ["yes", "no", "true", "false"];

const checkFlag: ValueCheck = (value, attribute, findings) => {
  if (!FLAGS.includes(value.trim().toLowerCase()))
    reportWord(value, { ...attribute, values: FLAGS }, findings);
};

/** The least and the most of each number. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  // An item without a multipack value is not a pack, and a pack of one is not a pack either.
  multipack: [2, 1_000_000],
  min_handling_time: [0, 365],
  max_handling_time: [0, 365],
};

const checkNumber: ValueCheck = (value, { name }, findings) => {
  const [least, most] = RANGES[name] ?? [0, 1_000_000_000];
  const isNone = name === "multipack" && value === "0";
  const isValid = isNone || (/^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most);
  if (!isValid) findings.add("gmc.number", { field: name, value });
};

const checkDecimal: ValueCheck = (value, { name }, findings) => {
  if (!/^\d{1,12}(?:\.\d{1,20})?$/.test(value)) findings.add("gmc.number", { field: name, value });
};

const CHECKS: Readonly<Record<DocumentedAttribute["kind"], ValueCheck | null>> = {
  text: checkText,
  url: checkAddress,
  money: checkMoney,
  word: checkWord,
  flag: checkFlag,
  number: checkNumber,
  decimal: checkDecimal,
  list: null,
  groups: null,
  // Measures and times are checked together with other values.
  measure: null,
  time: null,
  interval: null,
};

/** Checks of the entries of lists; addresses are checked with images and documents. */
const ENTRY_CHECKS: Readonly<Record<string, ValueCheck>> = {
  product_type: checkText,
  product_highlight: checkText,
  size_type: checkWord,
  excluded_destination: checkWord,
  included_destination: checkWord,
};

export const checkValues: GoogleCheck = (row, findings) => {
  for (const [name, value] of row.texts) {
    const attribute = ATTRIBUTES.get(name);
    if (attribute !== undefined) CHECKS[attribute.kind]?.(value, attribute, findings);
  }
  for (const [name, values] of row.lists) {
    const check = ENTRY_CHECKS[name];
    const attribute = ATTRIBUTES.get(name);
    if (check === undefined || attribute === undefined) continue;
    for (const value of values) check(value, attribute, findings);
  }
};
