/**
 * The names of nodes: `@id`s are unique unless they say the same again, and a reference leads to a node of the file.
 * Products are never repeated; of other nodes, a hash of what they say is kept to compare.
 */
import { hash } from "node:crypto";
import { isObject } from "../../kit/validate/json-records.ts";
import type { Findings } from "../../kit/validate/findings.ts";
import { MOST_IDS } from "../../kit/validate/limits.ts";
import { SeenTexts } from "../../kit/validate/seen-texts.ts";
import { isReference, isSchemaTerm, type Node } from "./node.ts";
import type { SchemaOrgRule } from "./rules.ts";

type Asked = { readonly line: number | null; readonly itemId: string | null };

export class Names {
  private readonly findings: Findings<SchemaOrgRule>;
  private readonly mostIds: number;
  private readonly named: SeenTexts;
  /** Names together with what was said under them. */
  private readonly said: SeenTexts;
  /** The pages that the file's nodes are named by: what is missing on another page may be there. */
  private readonly pages: SeenTexts;
  private readonly asked = new Map<string, Asked>();

  constructor(findings: Findings<SchemaOrgRule>, mostIds = MOST_IDS) {
    this.findings = findings;
    this.mostIds = mostIds;
    this.named = new SeenTexts(mostIds);
    this.said = new SeenTexts(mostIds);
    this.pages = new SeenTexts(mostIds);
  }

  meet(node: Node, isItem: boolean): void {
    const id = node["@id"];
    if (typeof id !== "string") return;
    if (isRelative(id)) this.findings.say("jsonld.id.relative", { field: "@id", value: id });
    if (isReference(node)) this.ask(id);
    else this.name(id, isItem ? null : `${id} ${contentOf(node)}`);
  }

  end(): void {
    if (this.named.isFull || this.said.isFull || this.asked.size >= this.mostIds)
      this.findings.say("jsonld.ids");
    else
      for (const [value, place] of this.asked)
        this.findings.sayAt(place, "jsonld.id.dangling", {
          field: "@id",
          value,
          isMild: !isRelative(value) && this.pages.lineOf(pageOf(value)) === undefined,
        });
  }

  private ask(id: string): void {
    if (this.asked.has(id) || isSchemaTerm(id) || this.named.lineOf(id) !== undefined) return;
    const { line, itemId } = this.findings;
    if (this.asked.size < this.mostIds) this.asked.set(id, { line, itemId });
  }

  private name(id: string, said: string | null): void {
    if (this.asked.size > 0) this.asked.delete(id);
    const line = this.findings.line ?? 0;
    const first = this.named.add(id, line);
    if (first === undefined) this.pages.add(pageOf(id), line);
    const isRepeated = said !== null && this.said.add(said, line) !== undefined;
    if (first === undefined || isRepeated) return;
    const detail = `The node on line ${first} has the same \`@id\`.`;
    this.findings.say("jsonld.id.duplicate", { field: "@id", value: id, detail });
  }
}

function isRelative(id: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(id);
}

/** The address of a page without the part of it that is meant. */
function pageOf(id: string): string {
  return id.replace(/#.*$/s, "");
}

function contentOf(node: Node): string {
  return hash("sha256", JSON.stringify(sorted(node)), "base64").slice(0, 22);
}

/** The order of properties means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, sorted(one)]);
}
