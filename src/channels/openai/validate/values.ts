/** Checks each value alone, by the kind, limit and words of its field in the table. */
import { OPENAI_AVAILABILITY, type OpenaiKind } from "../fields.ts";
import { isPlaceholder } from "../../../catalog/filler-words.ts";
import { isGarbled } from "../../../catalog/garbled-text.ts";
import { readAvailability } from "../../../catalog/vocabulary/availability.ts";
import { isLonger } from "../../../lib/text-length.ts";
import { hasMarkup, isAllCapitals } from "../../kit/validate/checks/text.ts";
import { readMoney } from "../../kit/validate/checks/money.ts";
import { addressFault, extensionOf } from "../../kit/validate/checks/url.ts";
import { OPENAI_FIELDS, type OpenaiField } from "./names.ts";
import { isEligibilityFlag } from "./read-row.ts";
import type { OpenaiCheck, OpenaiFindings, OpenaiRule } from "./rules.ts";

type ValueCheck = (value: string, field: OpenaiField, findings: OpenaiFindings) => void;

const LENGTH_RULES: Readonly<Record<string, OpenaiRule>> = {
  item_id: "ID-LEN",
  title: "TITLE-LEN",
  description: "DESC-LEN",
  brand: "BRAND-LEN",
  seller_name: "BRAND-LEN",
  mpn: "BRAND-LEN",
};

function checkLength(value: string, { name, limit }: OpenaiField, findings: OpenaiFindings): void {
  if (limit === undefined || !isLonger(value, limit.codePoints)) return;
  const detail = `The text is longer than ${limit.codePoints} characters.`;
  findings.add(LENGTH_RULES[name] ?? "TEXT-LEN", { field: name, value, detail });
}

const checkFiller: ValueCheck = (value, { name, requirement }, findings) => {
  // An id may be any word.
  const isMild = requirement !== "required" || name === "item_id";
  if (isPlaceholder(value.trim())) findings.add("PH", { field: name, value, isMild });
};

const checkAddress: ValueCheck = (value, { name, requirement }, findings) => {
  const fault = addressFault(value);
  if (fault !== undefined) {
    const detail = `The address ${fault}.`;
    findings.add("URL", { field: name, value, detail, isMild: requirement !== "required" });
  } else if (!value.startsWith("https:")) findings.add("URL-HTTPS", { field: name, value });
};

const checkMoney: ValueCheck = (value, { name }, findings) => {
  const { fault } = readMoney(value);
  if (fault === undefined) return;
  const detail = `The amount ${fault.description}.`;
  const isMild = name !== "price" || fault.kind === "short";
  findings.add("MONEY", { field: name, value, detail, isMild });
};

const checkFlag: ValueCheck = (value, { name }, findings) => {
  if (value === "true" || value === "false") return;
  findings.add("BOOL", { field: name, value, isMild: !isEligibilityFlag(name) });
};

const checkWord: ValueCheck = (value, { name, values }, findings) => {
  if (values === undefined || values.includes(value)) return;
  findings.add("ENUM", { field: name, value, detail: `The value is none of ${values.join(", ")}.` });
};

const checkAvailability: ValueCheck = (value, { name, values }, findings) => {
  if (values?.includes(value) === true) return;
  const meant = readAvailability(value.replaceAll("_", " "));
  const hint = meant === undefined ? "" : ` Write \`${OPENAI_AVAILABILITY[meant.availability]}\`.`;
  const detail = `The availability is none of ${values?.join(", ")}.${hint}`;
  findings.add("AVAIL", { field: name, value, detail });
};

const UNWANTED_IMAGES = new Set(["html", "htm", "php", "pdf", "mp4", "svg", "gif", "webp", "avif"]);

const checkImage: ValueCheck = (value, { name }, findings) => {
  const extension = extensionOf(value);
  if (extension !== undefined && UNWANTED_IMAGES.has(extension))
    findings.add("IMG-TYPE", { field: name, value });
};

const checkEncoding: ValueCheck = (value, { name }, findings) => {
  if (isGarbled(value)) findings.add("TEXT-ENCODING", { field: name, value });
};

const checkTitle: ValueCheck = (value, { name }, findings) => {
  if (isAllCapitals(value)) findings.add("TITLE-CAPS", { field: name, value });
};

const checkDescription: ValueCheck = (value, { name }, findings) => {
  if (hasMarkup(value)) findings.add("DESC-HTML", { field: name, value });
};

const BY_KIND: Readonly<Partial<Record<OpenaiKind, ValueCheck>>> = {
  text: checkFiller,
  url: checkAddress,
  money: checkMoney,
  boolean: checkFlag,
  word: checkWord,
};

const BY_NAME: Readonly<Record<string, readonly ValueCheck[]>> = {
  title: [checkFiller, checkEncoding, checkTitle],
  description: [checkFiller, checkEncoding, checkDescription],
  image_url: [checkAddress, checkImage],
  availability: [checkAvailability],
};

const CHECKS: ReadonlyMap<string, readonly [OpenaiField, readonly ValueCheck[]]> = new Map(
  [...OPENAI_FIELDS].map(([name, field]) => {
    const byKind = BY_KIND[field.kind];
    const own = BY_NAME[name] ?? (byKind === undefined ? [] : [byKind]);
    return [name, [field, field.limit === undefined ? own : [...own, checkLength]]];
  }),
);

export const checkValues: OpenaiCheck = (row, findings) => {
  for (const [name, value] of row.texts) {
    const found = CHECKS.get(name);
    if (found === undefined) continue;
    const [field, checks] = found;
    for (const check of checks) check(value, field, findings);
  }
};
