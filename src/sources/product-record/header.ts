/**
 * One column's name in the one spelling that the alias tables use: `g:Image Link`, `imageLink` and `IMAGE-LINK` are
 * `image_link`. What stands in brackets is a unit (`Weight (kg)`), the parts of a group (`shipping(country:price)`),
 * or just more of the name (`Body (HTML)`).
 */
import { googleNamed, GOOGLE_TABLE } from "../../catalog/google-attributes.ts";

export type Header = {
  readonly name: string;
  /** Names of the parts of each group in the cells, where the header spells them out. */
  readonly parts: readonly string[];
  readonly unit: string | null;
  /** Among columns of the same name, this one is asked first. */
  readonly isFirst?: boolean;
  /** Mapped by the merchant: then no unmapped column feeds the field. */
  readonly isMapped?: boolean;
};

/** How a column's or field's name is understood. */
export type ReadName = (name: string) => Header;

/** Every spelling of a unit that headers use, after its proper one. */
const UNIT_SPELLINGS = ["kg kgs", "g gram grams", "lb lbs", "oz", "mm", "cm", "m", "in inch inches", "ft"];
const UNITS: ReadonlyMap<string, string> = new Map(
  UNIT_SPELLINGS.flatMap((spellings) => {
    const [unit = "", ...others] = spellings.split(" ");
    return [unit, ...others].map((spelling): [string, string] => [spelling, unit]);
  }),
);

const BRACKETS = /^([^()[\]]+)[([]([^()[\]]*)[)\]]\s*\??$/;

export function readHeader(raw: string): Header {
  const text = raw.replaceAll("\uFEFF", "").trim().replace(/^g:/i, "");
  const [, before, inside] = BRACKETS.exec(text) ?? [];
  if (before === undefined || inside === undefined) return { name: fold(text), parts: [], unit: null };
  if (inside.includes(":")) return { name: fold(before), parts: inside.split(":").map(fold), unit: null };
  const unit = UNITS.get(inside.trim().toLowerCase());
  if (unit !== undefined) return { name: fold(before), parts: [], unit };
  // `handling_cutoff_time(cutoff_time)`: one part of a group, not more of a name.
  if (isGooglePart(fold(before), fold(inside)))
    return { name: fold(before), parts: [fold(inside)], unit: null };
  return { name: fold(text), parts: [], unit: null };
}

function isGooglePart(name: string, part: string): boolean {
  const known = googleNamed(name);
  const attribute = known === undefined ? undefined : GOOGLE_TABLE[known];
  return attribute?.shape === "groups" && Object.hasOwn(attribute.parts, part);
}

/** Lower case, words joined by `_`, no accents. A leading `@` stays: `@id` of JSON-LD is not an `id`. */
export function fold(text: string): string {
  const trimmed = text.trim();
  const words = /[\s_-]/.test(trimmed) ? trimmed : splitCamelCase(trimmed);
  const plain = words
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "");
  return trimmed.startsWith("@") ? `@${plain}` : plain;
}

function splitCamelCase(text: string): string {
  return text.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1_$2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1_$2");
}
