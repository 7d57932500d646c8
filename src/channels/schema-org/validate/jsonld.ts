/**
 * `jsonld.json`: a document with a `@graph`, a bare array of nodes, or one node. Every node is checked as it comes;
 * only the names of nodes are kept to the end.
 */
import { isJsonObject, type JsonObject } from "../../../lib/json-object.ts";
import { type JsonEvent, JsonRecords, shown } from "../../kit/validate/json-records.ts";
import type { Findings } from "../../kit/validate/findings.ts";
import type { FeedReader } from "../../kit/validate/validator.ts";
import { NodeNames, Variants } from "./graph.ts";
import type { SchemaOrgRule } from "./rules.ts";
import { type Walk, walkNode } from "./walk.ts";

const SCHEMA_ORG = /^https?:\/\/(?:www\.)?schema\.org(?:\/|$)/i;
/** Matches text that ends a script element, or that hides its end tag. */
const SCRIPT_END = /<\/script|<!--/i;

export class SchemaOrgReader implements FeedReader {
  private readonly findings: Findings<SchemaOrgRule>;
  private readonly names: NodeNames;
  private readonly variants: Variants;
  private readonly walk: Walk;
  private readonly records = new JsonRecords(
    (key) => key === "@graph",
    (event) => this.take(event),
  );
  private readonly members = new Map<string, unknown>();
  private start: Extract<JsonEvent, { kind: "begin" }> | null = null;
  private hasGraph = false;
  private hasContext = false;
  private isBroken = false;
  private items = 0;
  private hasSeller = false;

  constructor(findings: Findings<SchemaOrgRule>, now: Date) {
    this.findings = findings;
    this.names = new NodeNames(findings);
    const onItem = () => {
      this.items += 1;
    };
    const onSeller = () => {
      this.hasSeller = true;
    };
    this.variants = new Variants(findings);
    this.walk = { findings, names: this.names, variants: this.variants, now, onItem, onSeller };
  }

  push(text: string): void {
    this.records.push(text);
  }

  end(): void {
    this.records.end();
    this.takeMembers();
    this.findings.at(null, null);
    if (!this.isBroken && !this.hasContext) this.findings.add("jsonld.context", { field: "@context" });
    this.names.end();
    this.variants.end();
    if (this.items === 0 && !this.isBroken) this.findings.add("jsonld.empty", { isMild: this.hasSeller });
  }

  rows(): number {
    return this.items;
  }

  private take(event: JsonEvent): void {
    this.findings.at(event.line, null);
    if (event.kind === "begin") this.start = event;
    else if (event.kind === "list") this.hasGraph = true;
    else if (event.kind === "member") this.member(event.key, event.value);
    else if (event.kind === "element") this.element(event.value, event.text);
    else {
      this.isBroken = true;
      this.findings.add("jsonld.json", { detail: `The JSON ${event.description}.` });
    }
  }

  private member(key: string, value: unknown): void {
    if (key === "@context") this.checkContext(value);
    this.members.set(key, value);
  }

  private checkContext(value: unknown): void {
    const contexts: readonly unknown[] = Array.isArray(value) ? value : [value];
    this.hasContext ||= contexts.some((one) =>
      SCHEMA_ORG.test(isJsonObject(one) ? shown(one["@vocab"]) : shown(one)),
    );
  }

  private element(value: unknown, text: string): void {
    if (!isJsonObject(value)) {
      this.findings.add("jsonld.shape", { value: text, detail: "The element is not a node." });
      return;
    }
    if (SCRIPT_END.test(text)) this.findings.add("jsonld.script", { value: text });
    if ("@context" in value) this.checkContext(value["@context"]);
    this.node(value);
  }

  private node(node: JsonObject): void {
    walkNode(node, { property: null, parent: null }, this.walk);
  }

  /** An object without a graph is a node itself. */
  private takeMembers(): void {
    const { start } = this;
    if (start === null || start.isArray || this.hasGraph || this.isBroken) return;
    this.findings.at(start.line, null);
    const node = Object.fromEntries(this.members);
    if (this.members.has("@type")) this.node(node);
    else this.findings.add("jsonld.shape");
  }
}
