/** Texts are compared in lower case, without surrounding space. */
import { foldText } from "../../catalog/text.ts";

/** For texts of a rule. Those of an item are folded already except for their case. */
export function fold(text: string): string {
  return foldText(text).toLowerCase();
}
