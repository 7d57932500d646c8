/**
 * The names of nodes: an `@id` is unique unless the node is repeated with the same content, and a reference leads to a
 * node of the file. Products are never repeated; of other nodes, a hash of the content is kept.
 */
import { isJsonObject } from "../../../lib/json-object.ts";
import { hash } from "node:crypto";
import type { Findings, ProblemPosition } from "../../kit/validate/findings.ts";
import { MAX_IDS } from "../../kit/validate/limits.ts";
import { SeenTexts } from "../../kit/validate/seen-texts.ts";
import { has, isReference, isSchemaTerm, type Node, nodesOf, textOf } from "./node.ts";
import { combinationOf, groupKeyOf } from "./product.ts";
import type { SchemaOrgRule } from "./rules.ts";

export class NodeNames {
  private readonly findings: Findings<SchemaOrgRule>;
  private readonly mostIds: number;
  private readonly named: SeenTexts;
  /** Names together with the content of their nodes. */
  private readonly contents: SeenTexts;
  /** The pages that the file's nodes are named by: what is missing on another page may be there. */
  private readonly pages: SeenTexts;
  private readonly references = new Map<string, ProblemPosition>();

  constructor(findings: Findings<SchemaOrgRule>, mostIds = MAX_IDS) {
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
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, sorted(one)]);
}

/** The properties that a group may state for its variants. */
const SHARED = { brand: "jsonld.brand.missing", description: "jsonld.description.missing" } as const;
type SharedName = keyof typeof SHARED;
const SHARED_NAMES: readonly SharedName[] = ["brand", "description"];

type Missing = { readonly line: number | null; readonly itemId: string | null; readonly name: SharedName };

export class Variants {
  private readonly findings: Findings<SchemaOrgRule>;
  private readonly combinations = new SeenTexts(MAX_IDS);
  private readonly members = new SeenTexts(MAX_IDS);
  /** `name key` of what groups have, and the keys of all groups. */
  private readonly groupValues = new SeenTexts(MAX_IDS);
  private readonly missing = new Map<string, Missing>();
  private readonly unnamed = new WeakMap<Node, number>();
  private groups = 0;

  constructor(findings: Findings<SchemaOrgRule>) {
    this.findings = findings;
  }

  group(group: Node): void {
    for (const key of keysOf(group)) {
      this.groupValues.add(`group ${key}`, 0);
      for (const name of SHARED_NAMES) if (has(group, name)) this.groupValues.add(`${name} ${key}`, 0);
    }
  }

  /** `parent`: the group that the variant is nested in. */
  variant(variant: Node, parent: Node | null): void {
    const groups = parent === null ? nodesOf(variant, "isVariantOf") : [parent];
    const key = parent === null ? groupKeyOf(variant) : this.keyOf(parent);
    for (const name of SHARED_NAMES)
      if (!has(variant, name) && !groups.some((group) => has(group, name)))
        this.addMissing(name, key, parent);
    if (key !== undefined) this.compare(variant, key);
  }

  end(): void {
    for (const [what, { name, ...place }] of this.missing) {
      const key = what.slice(name.length + 1);
      const isKnown = this.groupValues.lineOf(`group ${key}`) !== undefined;
      if (isKnown && this.groupValues.lineOf(what) === undefined)
        this.findings.addAt(place, SHARED[name], { field: name });
    }
  }

  /** A group may be without a name, as long as its variants are inside it. */
  private keyOf(group: Node): string {
    const [key] = keysOf(group);
    if (key !== undefined) return key;
    let number = this.unnamed.get(group);
    if (number === undefined) {
      this.groups += 1;
      number = this.groups;
      this.unnamed.set(group, number);
    }
    return `unnamed ${number}`;
  }

  private addMissing(name: SharedName, key: string | undefined, parent: Node | null): void {
    const { line, itemId } = this.findings;
    if (key === undefined || parent !== null) this.findings.add(SHARED[name], { field: name });
    else if (!this.missing.has(`${name} ${key}`) && this.missing.size < MAX_IDS)
      this.missing.set(`${name} ${key}`, { line, itemId, name });
  }

  /** The same variant may be described more than once. */
  private compare(variant: Node, key: string): void {
    const combination = combinationOf(variant);
    if (combination === "") return;
    const own = textOf(variant, "sku") ?? textOf(variant, "gtin") ?? textOf(variant, "@id") ?? "";
    const line = this.findings.line ?? 0;
    const first = this.combinations.add(`${key} ${combination}`, line);
    const isAgain = this.members.add(`${key} ${own} ${combination}`, line) !== undefined && own !== "";
    if (first === undefined || isAgain) return;
    this.findings.add("jsonld.group.duplicate", {
      field: "isVariantOf",
      value: textOf(variant, "name"),
      detail: `The variant on line ${first} has the same options.`,
    });
  }
}

/** The names that variants may use for a group. */
function keysOf(group: Node): readonly string[] {
  const id = textOf(group, "productGroupID");
  const name = textOf(group, "@id");
  return [...(id === undefined ? [] : [`id ${id}`]), ...(name === undefined ? [] : [name])];
}
