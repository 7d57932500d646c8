/** What every item must have. Titles and descriptions may be given as structured ones instead. */
import type { GoogleRow, RowCheck } from "./row.ts";
import type { GoogleRule } from "./rules.ts";

type Need = { readonly name: string; readonly instead?: string; readonly rule: GoogleRule };

export const REQUIRED: readonly Need[] = [
  { name: "id", rule: "gmc.id.missing" },
  { name: "title", instead: "structured_title", rule: "gmc.title.missing" },
  { name: "description", instead: "structured_description", rule: "gmc.desc.missing" },
  { name: "link", rule: "gmc.link.missing" },
  { name: "image_link", rule: "gmc.image.missing" },
  { name: "availability", rule: "gmc.avail.missing" },
  { name: "price", rule: "gmc.price.missing" },
];

export function stands({ name, instead }: Need, names: ReadonlySet<string>): boolean {
  return names.has(name) || (instead !== undefined && names.has(instead));
}

function isMet({ name, instead }: Need, row: GoogleRow): boolean {
  return row.has(name) || (instead !== undefined && row.has(instead));
}

export const checkRequired: RowCheck = (row, findings) => {
  for (const need of REQUIRED) {
    if (row.absent.has(need.name) || isMet(need, row)) continue;
    findings.say(need.rule, { field: need.name });
  }
};
