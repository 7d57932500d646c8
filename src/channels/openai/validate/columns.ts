/** Judges the names of a file's columns or keys, each once. */
import { MOST_NAMES } from "../../kit/validate/limits.ts";
import { OPENAI_FIELDS, OLD_NAMES } from "./names.ts";
import type { OpenaiFindings } from "./row.ts";

export class ColumnNames {
  readonly seen = new Set<string>();
  private readonly findings: OpenaiFindings;

  constructor(findings: OpenaiFindings) {
    this.findings = findings;
  }

  /** Says what is odd about a name, when it is met for the first time. */
  meet(name: string): void {
    if (this.seen.has(name) || this.seen.size >= MOST_NAMES) return;
    this.seen.add(name);
    if ((name === "url" || name === "link") && this.seen.has("url") && this.seen.has("link"))
      this.findings.say("MIX", { field: "link" });
    if (OPENAI_FIELDS.has(name)) return;
    const old = OLD_NAMES.get(name);
    if (name === "is_ads_enabled") this.findings.say("ADS-NAME", { field: name });
    else if (old !== undefined) this.findings.say("OLD", { field: name, detail: old });
    else this.findings.say("COLUMN", { field: name });
  }
}
