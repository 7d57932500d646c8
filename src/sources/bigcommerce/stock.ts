/** Whether a variant can be bought, and how many there are. Levels are those of the shop's default location. */
import { type Fields, isTrue, numberIn, textIn } from "./wire.ts";

export type StockTexts = {
  readonly availability?: string;
  readonly availabilityDate?: string;
  readonly quantity?: string;
};

export function stockOf(product: Fields, variant: Fields): StockTexts {
  const said = textIn(product, "availability");
  // What is switched off cannot be bought, however many there are.
  if (said === "disabled" || isTrue(variant, "purchasing_disabled")) return { availability: "out of stock" };
  const level = levelOf(product, variant);
  const quantity = typeof level === "number" ? { quantity: String(Math.trunc(level)) } : {};
  if (said === "preorder") return { availability: "preorder", ...releaseOf(product), ...quantity };
  if (level === "untracked") return { availability: "in stock" };
  if (level === undefined) return {};
  return { availability: level > 0 ? "in stock" : "out of stock", ...quantity };
}

function levelOf(product: Fields, variant: Fields): number | "untracked" | undefined {
  const tracking = textIn(product, "inventory_tracking");
  if (tracking === "none") return "untracked";
  if (tracking === "product") return numberIn(product, "inventory_level");
  return tracking === "variant" ? numberIn(variant, "inventory_level") : undefined;
}

/** The epoch is how a date that nobody has set comes out of some shops. */
const UNSET = /^(?:1970-01-01|0000-|-)/;

function releaseOf(product: Fields): { readonly availabilityDate?: string } {
  const date = textIn(product, "preorder_release_date");
  return date === undefined || UNSET.test(date) ? {} : { availabilityDate: date };
}
