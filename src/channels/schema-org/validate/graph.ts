/**
 * The names of nodes: an `@id` is unique unless the node is repeated with the same content, and a reference leads to a node
 * of the file. Products are never repeated; of other nodes, a hash of the content is kept.
 */
import { hash } from "node:crypto";
import { isObject } from "../../kit/validate/json-records.ts";
import type { Findings, Place } from "../../kit/validate/findings.ts";
import { MOST_IDS } from "../../kit/validate/limits.ts";
import { SeenTexts } from "../../kit/validate/seen-texts.ts";
import { isReference, isSchemaTerm, type Node } from "./node.ts";
import type { SchemaOrgRule } from "./rules.ts";

export class Names {
  private readonly findings: Findings<SchemaOrgRule>;
  private readonly mostIds: number;
  private readonly named: SeenTexts;
  /** Names together with the content of their nodes. */
  private readonly contents: SeenTexts;
  /** The pages that the file's nodes are named by: what is missing on another page may be there. */
  private readonly pages: SeenTexts;
  private readonly references = new Map<string, Place>();

  constructor(findings: Findings<SchemaOrgRule>, mostIds = MOST_IDS) {
    this.findings = findings;
    this.mostIds = mostIds;
    this.named = new SeenTexts(mostIds);
    this.contents = new SeenTexts(mostIds);
    this.pages = new SeenTexts(mostIds);
  }

  add(node: Node, isItem: boolean): void {
    const id = node["@id"];
    if (typeof id !== "string") return;
    if (isRelative(id)) this.findings.add("jsonld.id.relative", { field: "@id", value: id });
    if (isReference(node)) this.addReference(id);
    else this.addName(id, isItem ? null : `${id} ${contentOf(node)}`);
  }

  end(): void {
    if (this.named.isFull || this.contents.isFull || this.references.size >= this.mostIds)
      this.findings.add("jsonld.ids");
    else
      for (const [value, place] of this.references)
        this.findings.addAt(place, "jsonld.id.dangling", {
          field: "@id",
          value,
          isMild: !isRelative(value) && this.pages.lineOf(pageOf(value)) === undefined,
        });
  }

  private addReference(id: string): void {
    if (this.references.has(id) || isSchemaTerm(id) || this.named.lineOf(id) !== undefined) return;
    const { line, itemId } = this.findings;
    if (this.references.size < this.mostIds) this.references.set(id, { line, itemId });
  }

  private addName(id: string, content: string | null): void {
    if (this.references.size > 0) this.references.delete(id);
    const line = this.findings.line ?? 0;
    const first = this.named.add(id, line);
    if (first === undefined) this.pages.add(pageOf(id), line);
    const isRepeated = content !== null && this.contents.add(content, line) !== undefined;
    if (first === undefined || isRepeated) return;
    const detail = `The node on line ${first} has the same \`@id\`.`;
    this.findings.add("jsonld.id.duplicate", { field: "@id", value: id, detail });
  }
}

function isRelative(id: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(id);
}

/** The address of a page without its fragment. */
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
