/** What is said of a file that is not plain UTF-8. */
import type { OpenaiFindings } from "./row.ts";

const SAID = {
  mark: "The file begins with a byte order mark.",
  bytes: "From this line on there are bytes that are not UTF-8.",
  "utf-16": "The file is UTF-16.",
} as const;

export function sayMisencoded(findings: OpenaiFindings, what: keyof typeof SAID, line: number): void {
  findings.sayAt({ line, itemId: null }, "FILE-UTF8", { detail: SAID[what], isMild: what === "mark" });
}
