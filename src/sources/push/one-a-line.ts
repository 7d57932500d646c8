/**
 * The elements of a body in JSON Lines. A body without any line that says something is no empty list: it is what a
 * failed export leaves, and taken at its word it would empty the catalog.
 */
import { AppError } from "../../errors.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { type JsonLine, jsonLines } from "../../lib/formats/json-lines.ts";
import type { RecordLimits } from "../product-record/limits.ts";
import type { Element, ElementReader } from "./elements.ts";

const ADVICE = "Each line must be one whole product; a JSON document is sent as application/json.";

export function oneALine({ maxRowChars }: RecordLimits): ElementReader {
  const reader = jsonLines({ maxLineChars: maxRowChars });
  let count = 0;
  const read = (lines: readonly JsonLine[]): Element[] => {
    count += lines.length;
    return lines.map(elementOf);
  };
  return {
    push: (text) => read(reader.push(text)),
    end: () => {
      const last = read(lastOf(reader));
      if (count > 0) return last;
      throw new AppError(
        "body_malformed",
        "The body has no product in it: all of its lines are blank. Nothing was changed; an empty list is [], sent as application/json.",
      );
    },
  };
}

function elementOf(line: JsonLine): Element {
  if (!("value" in line)) return { broken: `This is not JSON: ${line.broken}. ${ADVICE}` };
  return Array.isArray(line.value) ? { broken: `This line holds a list. ${ADVICE}` } : line;
}

/** A last line that is cut off may as well be the last line of a document: both are told what a line must be. */
function lastOf(reader: ReturnType<typeof jsonLines>): readonly JsonLine[] {
  try {
    return reader.end();
  } catch (error) {
    if (!(error instanceof FormatError) || error.kind !== "truncated") throw error;
    const { message, line } = error;
    throw new FormatError("truncated", `${message} ${ADVICE}`, {
      cause: error,
      ...(line !== null && { line }),
    });
  }
}
