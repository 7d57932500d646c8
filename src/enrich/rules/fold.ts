/** Texts are compared in lower case, without surrounding space. */
import { foldText } from "../../catalog/text.ts";

/** For texts of a rule. Those of an item are folded already except for their case. */
export function fold(text: string): string {
  return foldText(text).toLowerCase();
}

/** A category path as items have it: `home > kitchen`. */
export function foldPath(text: string): string {
  const levels = fold(text).split(">");
  return levels
    .map((level) => level.trim())
    .filter((level) => level !== "")
    .join(" > ");
}
