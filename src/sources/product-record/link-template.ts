/**
 * The setting `link_template` makes a link from an item's own columns: `https://shop.example/{url_key}.html`. A value
 * is percent-encoded; its slashes are kept, because paths are common values. An item that lacks one of the values gets
 * no link.
 */
import { fold } from "./aliases.ts";

/** The form of a column's name by which mappings and link templates find the column. */
export function columnKey(raw: string): string {
  return fold(raw.replaceAll("\uFEFF", ""));
}

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
  const { names } = linkTemplate(text);
  const filled = text.replaceAll(new RegExp(PLACEHOLDER, "g"), "x");
  if (names.length === 0 || names.some((name) => columnKey(name) === "") || /[{}]/.test(filled)) {
    return "Must have a column's name in braces, e.g. https://shop.example/{url_key}.html.";
  }
  if (text.startsWith("/")) return null;
  const sample = URL.parse(filled);
  if (sample === null || !["http:", "https:"].includes(sample.protocol)) {
    return "Must begin with https:// or http://, or with / where store_url is set.";
  }
  const isOpen = sample.username === "" && sample.password === "";
  return isOpen ? null : "Must have no user name or password in it: the links are published.";
}
