/**
 * A link made from an item's own columns: `https://shop.example/{url_key}.html`. A placeholder names a column as the
 * file does; its value is percent-encoded, with slashes kept because paths are common values. Where a placeholder has
 * no value there is no link: half an address leads nowhere.
 */
import { columnKey } from "./column-mapping.ts";

export type LinkTemplate = {
  /** The placeholders, as they are written. */
  readonly names: readonly string[];
  readonly fill: (valueOf: (columnKey: string) => string | undefined) => string | undefined;
};

const PLACEHOLDER = /\{([^{}]{1,200})\}/;

export function linkTemplate(text: string): LinkTemplate {
  // Splitting by a pattern with a group gives fixed text and placeholders in turn.
  const parts = text.split(PLACEHOLDER);
  const names = parts.filter((_, index) => index % 2 === 1);
  const keys = parts.map((part, index) => (index % 2 === 1 ? columnKey(part) : null));
  return {
    names,
    fill: (valueOf) => {
      let link = "";
      for (const [index, part] of parts.entries()) {
        const key = keys[index] ?? null;
        const value = key === null ? part : encoded(valueOf(key));
        if (value === undefined) return undefined;
        link += value;
      }
      return link;
    },
  };
}

function encoded(value: string | undefined): string | undefined {
  return value?.toWellFormed().split("/").map(encodeURIComponent).join("/");
}

/** What is wrong with the setting, as a sentence; null when nothing is. */
export function linkTemplateProblem(text: string): string | null {
  if (linkTemplate(text).names.length === 0) {
    return "Must have a column's name in braces, e.g. https://shop.example/{url_key}.html.";
  }
  const sample = URL.parse(text.replaceAll(new RegExp(PLACEHOLDER, "g"), "x"));
  const isAddress = sample !== null && ["http:", "https:"].includes(sample.protocol);
  if (isAddress || text.startsWith("/")) return null;
  return "Must begin with https:// or http://, or with / where store_url is set.";
}
