/**
 * Compares a variant with its group and with the other variants, whether they are nested in the group or only name it.
 * Groups may come after their variants, so what a variant lacks is looked up at the end. A group that is not in the file
 * may have any value.
 */
import type { Findings } from "../../kit/validate/findings.ts";
import { MOST_IDS } from "../../kit/validate/limits.ts";
import { SeenTexts } from "../../kit/validate/seen-texts.ts";
import { combinationOf, groupKeyOf } from "./product.ts";
import { has, type Node, nodesOf, textOf } from "./node.ts";
import type { SchemaOrgRule } from "./rules.ts";

/** What a group may state for its variants. */
const SHARED = { brand: "jsonld.brand.missing", description: "jsonld.description.missing" } as const;
type SharedName = keyof typeof SHARED;
const SHARED_NAMES: readonly SharedName[] = ["brand", "description"];

type Missing = { readonly line: number | null; readonly itemId: string | null; readonly name: SharedName };

export class Variants {
  private readonly findings: Findings<SchemaOrgRule>;
  private readonly combinations = new SeenTexts(MOST_IDS);
  private readonly members = new SeenTexts(MOST_IDS);
  /** `name key` of what groups have, and the keys of all groups. */
  private readonly groupValues = new SeenTexts(MOST_IDS);
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
    else if (!this.missing.has(`${name} ${key}`) && this.missing.size < MOST_IDS)
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
