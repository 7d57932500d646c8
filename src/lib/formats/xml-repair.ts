/**
 * Repairs what shops often get wrong in XML: a bare `&`, a named character that is not declared, a control character
 * that XML forbids. CDATA keeps its `&`. Nothing else is repaired: a missing end tag stays an error.
 */
import { countBreaks } from "../line-breaks.ts";

export type XmlRepair = ReturnType<typeof xmlRepair>;

const CDATA_START = "<![CDATA[";
const CDATA_END = "]]>";
/** Longer than any named or numeric reference; an `&` with no `;` within reach is a bare one. */
const REFERENCE_CHARS = 40;

const REFERENCE = /&(?:(#\d{1,7}|#[xX][\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z\d]{0,37});)?/g;
const PREDEFINED = new Set(["amp", "lt", "gt", "quot", "apos"]);
// oxlint-disable-next-line no-control-regex -- these are the very characters that XML 1.0 (section 2.2) forbids
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** `onRepair` is given each piece that had to be repaired, and its line. */
export function xmlRepair(
  namedCharacter: (name: string) => string | undefined,
  onRepair?: (found: string, line: number) => void,
) {
  let carried = "";
  let isInCdata = false;
  let line = 1;

  function repairText(text: string): string {
    if (!text.includes("&")) return text;
    return text.replace(REFERENCE, (whole, name: string | undefined, at: number) => {
      const repaired = repairReference(whole, name, namedCharacter);
      if (repaired.startsWith("&amp;") && whole !== "&amp;")
        onRepair?.(whole, line + countBreaks(text, 0, at));
      return repaired;
    });
  }

  function dropForbidden(text: string): string {
    return text.replace(FORBIDDEN, (found, at: number) => {
      onRepair?.(found, line + countBreaks(text, 0, at));
      return "";
    });
  }

  /** Repairs as much of `text` as is complete; the rest is kept for the next chunk. */
  function repair(text: string, isLast: boolean): string {
    // Joined at the end: the parser reads character by character, which is slow in a string made by adding.
    const repaired: string[] = [];
    let from = 0;
    for (;;) {
      const mark = isInCdata ? CDATA_END : CDATA_START;
      const at = text.indexOf(mark, from);
      const to = at === -1 ? (isLast ? text.length : judgeable(text, from, isInCdata)) : at + mark.length;
      const part = text.slice(from, to);
      repaired.push(isInCdata ? part : repairText(part));
      // The line is needed for `onRepair` only.
      if (onRepair !== undefined) line += countBreaks(part);
      from = to;
      if (at === -1) break;
      isInCdata = !isInCdata;
    }
    carried = text.slice(from);
    return repaired.join("");
  }

  return {
    push: (text: string): string => repair(dropForbidden(carried + text), false),
    end: (): string => repair(carried, true),
  };
}

function repairReference(
  whole: string,
  name: string | undefined,
  namedCharacter: (name: string) => string | undefined,
): string {
  if (name === undefined) return "&amp;";
  if (PREDEFINED.has(name)) return whole;
  const character = namedCharacter(name);
  if (character === undefined) return `&amp;${name};`;
  return character.search(FORBIDDEN) === -1 ? `&#${character.codePointAt(0) ?? 0};` : "";
}

/** Where a mark or a reference may begin that the text does not finish. */
function judgeable(text: string, from: number, isInCdata: boolean): number {
  if (isInCdata) return Math.max(from, text.length - (CDATA_END.length - 1));
  const tail = Math.max(from, text.length - REFERENCE_CHARS);
  const open = text.slice(tail).search(/&[^;&<\s]*$|<[^>&\s]*$/);
  return open === -1 ? text.length : tail + open;
}
