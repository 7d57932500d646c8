/** Rules about GTIN, MPN and other identifiers. */
import { isMeaningful } from "../../catalog/filler-words.ts";
import { checkGtin, GTIN_NOTES, GTIN_PROBLEMS, gtinNote } from "../../catalog/gtin.ts";
import type { Item } from "../../catalog/item.ts";
import { FAIL } from "../outcome.ts";
import { firstProblem, type ItemRule, itemRule, quoted, REFERENCES } from "../rule.ts";

const hasGtin = ({ gtin }: Item): boolean => gtin !== undefined;
const hasMpnWithBrand = ({ mpn, brand }: Item): boolean => isMeaningful(mpn) && isMeaningful(brand);

/** All restricted ranges of GTIN-13 begin with one of these digits. */
const RESTRICTED_FIRST = "029";

function isRestricted(gtin: string): boolean {
  if (gtin.length === 13 && !RESTRICTED_FIRST.includes(gtin.charAt(0))) return false;
  return gtinNote(gtin) !== undefined;
}

const WRONG_NUMBERS: ReadonlySet<string> = new Set(["wrong_check_digit", "wrong_length", "lost_zero"]);

/**
 * Says why the barcode that the source sent is not a valid GTIN; undefined for a code of the shop and for items without
 * a barcode.
 */
function gtinProblem({ gtin, barcode }: Item): string | undefined {
  if (gtin !== undefined || barcode === undefined) return undefined;
  const checked = checkGtin(barcode);
  if (checked.kind === "valid" || !WRONG_NUMBERS.has(checked.reason)) return undefined;
  return GTIN_PROBLEMS[checked.reason];
}

/** Fourteen digits identify a case, unless they are a shorter number with leading zeros. */
function isCaseGtin(gtin: string): boolean {
  return gtin.length === 14 && !gtin.startsWith("0");
}

/** Finds white space and characters outside ASCII, which other systems lose or change. */
function hasSpecialCharacters(code: string): boolean {
  for (let i = 0; i < code.length; i++) {
    const char = code.charCodeAt(i);
    if (char <= 32 || char > 126) return true;
  }
  return false;
}

export const IDENTITY_RULES: readonly ItemRule[] = [
  itemRule({
    number: 12,
    id: "identity.gtin_valid",
    title: "GTIN is not valid for public use",
    field: "gtin",
    points: 2,
    severity: "major",
    when: "when there is a GTIN",
    expects:
      "Not a number for internal use, coupons or variable-measure goods. Half of the points for a case GTIN (14 digits) on an item that is not a multipack.",
    advice: "Use the GTIN printed on the product. If there is none, remove the value.",
    reference: REFERENCES.restrictedGtin,
    applies: hasGtin,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ gtin = "" }) => isRestricted(gtin),
        message: ({ gtin = "" }) => {
          const note = gtinNote(gtin);
          return `The GTIN ${gtin} ${note === undefined ? "is restricted" : GTIN_NOTES[note]}.`;
        },
      },
      {
        earned: 6,
        found: ({ gtin = "", multipack }) => isCaseGtin(gtin) && multipack === undefined,
        message: ({ gtin = "" }) => `The GTIN ${gtin} identifies a case, but the item is not a multipack.`,
      },
    ),
  }),
  itemRule({
    number: 13,
    id: "identity.gtin_unique",
    title: "Another item has the same GTIN",
    field: "gtin",
    points: 2,
    severity: "major",
    scope: "catalog",
    when: "when there is a GTIN and the item is neither a multipack nor a bundle",
    expects:
      "No item before it in the catalog has the same GTIN and condition. Compared with the first million GTINs; later ones are unknown unless they repeat one of those.",
    advice: "Give every variant its own GTIN.",
    reference: REFERENCES.gtin,
    applies: (item) => hasGtin(item) && item.multipack === undefined && item.isBundle !== true,
    evaluate: (_, { uniqueGtin }) => uniqueGtin,
    message: ({ gtin = "" }) => `Another item of the catalog has the GTIN ${gtin}.`,
  }),
  itemRule({
    number: 14,
    id: "identity.identifier_present",
    title: "No GTIN, and no MPN with a brand",
    field: "gtin",
    points: 8,
    severity: "major",
    when: "unless the merchant declared that none exists",
    expects: "A GTIN, or an MPN together with a brand.",
    advice:
      "Add the GTIN from the package. If the manufacturer assigned none, add MPN and brand. If neither exists, set identifier_exists to no.",
    reference: REFERENCES.gtin,
    applies: ({ identifierExists }) => identifierExists !== false,
    found: (item) => !hasGtin(item) && !hasMpnWithBrand(item),
    message: () => "The item has neither a GTIN nor an MPN with a brand.",
  }),
  itemRule({
    number: 15,
    id: "identity.identifier_claim",
    title: "Declared to have no identifier, but has one",
    field: "identifierExists",
    points: 1,
    severity: "major",
    formats: ["gmc"],
    when: "when the merchant declared that no identifier exists",
    expects: "Neither a GTIN nor an MPN with a brand.",
    advice: "Remove the declaration: Google disapproves items for which an identifier exists.",
    reference: REFERENCES.productData,
    applies: ({ identifierExists }) => identifierExists === false,
    found: (item) => hasGtin(item) || hasMpnWithBrand(item),
    message: (item) =>
      `The item is declared to have no identifier, but has ${hasGtin(item) ? "a GTIN" : "an MPN"}.`,
  }),
  itemRule({
    number: 58,
    id: "identity.gtin_check_digit",
    title: "GTIN has a wrong check digit or length",
    field: "gtin",
    points: 1,
    severity: "major",
    when: "when there is a GTIN or a number in its place",
    expects:
      "8, 12, 13 or 14 digits, of which the last is the check digit. A number that is wrong is in no file.",
    advice:
      "Compare the number with the one printed on the product. If the product has none, remove the value.",
    reference: REFERENCES.gtin,
    applies: (item) => hasGtin(item) || gtinProblem(item) !== undefined,
    found: (item) => gtinProblem(item) !== undefined,
    message: (item) => `The GTIN ${item.barcode ?? ""} ${gtinProblem(item) ?? "is wrong"}.`,
  }),
  itemRule({
    number: 41,
    id: "identity.plain_codes",
    title: "Id or SKU has spaces or special characters",
    field: "id",
    expects: "Only ASCII characters without white space in id and SKU.",
    advice: "Use letters, digits, hyphens and underscores when you next assign ids.",
    reference: REFERENCES.merchantListing,
    found: ({ id, sku }) => hasSpecialCharacters(id) || (sku !== undefined && hasSpecialCharacters(sku)),
    message: ({ id, sku = "" }) =>
      hasSpecialCharacters(id)
        ? `The id ${quoted(id)} has white space or special characters.`
        : `The SKU ${quoted(sku)} has white space or special characters.`,
  }),
  itemRule({
    number: 42,
    id: "identity.mpn_is_sku",
    title: "MPN is the shop's own SKU",
    field: "mpn",
    formats: ["gmc", "acp"],
    when: "when there are an MPN and a SKU",
    expects: "An MPN that differs from the SKU.",
    advice: "Use the manufacturer's part number, or remove the MPN.",
    reference: REFERENCES.productData,
    applies: ({ mpn, sku }) => mpn !== undefined && sku !== undefined,
    found: ({ mpn, sku }) => mpn === sku,
    message: ({ mpn = "" }) => `The MPN ${quoted(mpn)} is the SKU.`,
  }),
];
