/**
 * Google's items as XML: RSS 2.0, or Atom. An attribute is an element of Google's namespace. It is repeated
 * for several values, and its sub-attributes are elements inside it. Items are checked by the rules for text files.
 */
import type { XmlElement } from "../../../lib/formats/xml-elements.ts";
import type { FeedFinding } from "../../kit/validate/findings.ts";
import { columnKey } from "../../kit/validate/delimited.ts";
import { MAX_NAMES } from "../../kit/validate/limits.ts";
import type { FeedReader } from "../../kit/validate/validator.ts";
import { type DocumentedAttribute, ATTRIBUTES, cellKind, defaultParts, isKnownPart } from "./attributes.ts";
import { GoogleFeed } from "./feed.ts";
import { type RowGroup, CheckedRow } from "../../kit/validate/row.ts";
import type { GoogleFindings, GoogleRule } from "./rules.ts";
import { groupOf, splitCell } from "./scan-tsv.ts";
import { localName, prefixOf, type XmlItem, XmlItems } from "./xml-items.ts";

const GOOGLE = /^https?:\/\/base\.google\.com\/ns\/1\.0\/?$/;
const PREFIX = "g";

/** Elements of RSS and Atom that have the meaning of an attribute. */
const STANDARD: ReadonlyMap<string, string> = new Map([
  ["id", "id"],
  ["title", "title"],
  ["link", "link"],
  ["description", "description"],
  ["summary", "description"],
  ["content", "description"],
]);

/** Elements of RSS and Atom that are not attributes. */
const IGNORED: ReadonlySet<string> = new Set(
  `author category comments contributor enclosure guid pubdate published rights source updated`.split(" "),
);

/** `isOwn`: in Google's namespace, which takes precedence over elements of RSS and Atom. */
type FoundAttribute = {
  readonly known: DocumentedAttribute;
  readonly node: XmlElement;
  readonly isOwn: boolean;
};

export class GoogleXmlReader implements FeedReader {
  private readonly findings: GoogleFindings;
  private readonly feed: GoogleFeed;
  private readonly items: XmlItems;
  private readonly reported = new Set<string>();

  constructor(findings: GoogleFindings, now: Date) {
    this.findings = findings;
    this.feed = new GoogleFeed(findings, now);
    this.items = new XmlItems({
      item: (item) => this.item(item),
      malformed: (line, description) =>
        findings.addAt({ line, itemId: null }, "gmc.xml.malformed", { detail: `The XML ${description}.` }),
    });
  }

  push(text: string): void {
    this.items.push(text);
  }

  end(bytes: number): void {
    this.items.end();
    this.feed.end(bytes);
  }

  rows(): number {
    return this.feed.rows;
  }

  private item({ line, node, isCut }: XmlItem): void {
    this.findings.at(line, null);
    if (isCut) {
      this.findings.add("gmc.file.long", { value: node.name });
      this.feed.skip();
      return;
    }
    const found = node.children.flatMap((child) => this.attribute(child));
    const row = new CheckedRow(line, { isXml: true });
    const id = found.find(({ known, isOwn }) => known.name === "id" && isOwn);
    this.findings.at(line, id?.node.text.trim() ?? null);
    for (const one of found.filter(({ isOwn }) => isOwn)) this.set(row, one);
    for (const one of found.filter(({ isOwn, known }) => !isOwn && !row.has(known.name))) this.set(row, one);
    this.feed.add(row);
  }

  /** The attribute that an element of an item gives, if any; reports once what is wrong with its name. */
  private attribute(node: XmlElement): readonly FoundAttribute[] {
    const prefix = prefixOf(node.name);
    if (prefix !== "" && !this.isGoogle(prefix, node)) return [];
    const isOwn = prefix !== "" || GOOGLE.test(this.items.namespaces.get("") ?? "");
    const local = isOwn ? localName(node.name) : node.name.toLowerCase();
    const standard = isOwn ? undefined : STANDARD.get(local);
    const known = ATTRIBUTES.get(standard ?? columnKey(local));
    if (standard === undefined) this.checkName(node.name, known, isOwn);
    return known === undefined ? [] : [{ known, node, isOwn }];
  }

  private checkName(value: string, known: DocumentedAttribute | undefined, isOwn: boolean): void {
    if (!isOwn && IGNORED.has(value.toLowerCase())) return;
    if (known === undefined) this.addOnce(value, "gmc.file.header.unknown", { field: value });
    else if (!isOwn) {
      const detail = `\`<${value}>\` is not in Google's namespace; write \`<g:${known.name}>\`.`;
      this.addOnce(value, "gmc.xml.plain", { field: known.name, value, detail });
    } else if (localName(value) !== known.name)
      this.addOnce(value, "gmc.file.header.spelling", { field: known.name, value });
  }

  private isGoogle(prefix: string, node: XmlElement): boolean {
    const address = node.attributes[`xmlns:${prefix}`] ?? this.items.namespaces.get(prefix);
    if (address !== undefined && GOOGLE.test(address)) return true;
    // Elements of other namespaces are not checked, unless their prefix is the usual one for Google's.
    if (address !== undefined && prefix !== PREFIX) return false;
    const fault =
      address === undefined ? "not declared" : `declared as ${address}, not as Google's namespace`;
    const detail = `The prefix \`${prefix}\` is ${fault}.`;
    this.addOnce(`${prefix}:`, "gmc.xml.namespace", { value: node.name, detail });
    return prefix === PREFIX;
  }

  private set(row: CheckedRow, { known, node }: FoundAttribute): void {
    const { name } = known;
    const kind = cellKind(name);
    if (kind === "groups") {
      const groups = this.groups(known, node);
      if (groups.length > 0) row.groupLists.set(name, [...row.groups(name), ...groups]);
      return;
    }
    const value = this.textOf(name, node);
    if (value === "") return;
    if (kind === "list") row.lists.set(name, [...row.list(name), value]);
    else if (!row.texts.has(name)) row.texts.set(name, value);
    else {
      const detail = `\`<${node.name}>\` occurs twice in the item, and the attribute has one value.`;
      this.findings.add("gmc.file.header.duplicate", { field: name, value, detail });
    }
  }

  private textOf(field: string, { name, text, attributes, children }: XmlElement): string {
    const value = text.trim();
    const detail = `\`<${name}>\` has elements in its text.`;
    if (children.length > 0) this.findings.add("gmc.xml.nested", { field, value, detail });
    // Atom writes an address as an attribute.
    return value === "" && field === "link" ? (attributes["href"]?.trim() ?? "") : value;
  }

  private groups(known: DocumentedAttribute, node: XmlElement): readonly RowGroup[] {
    if (node.children.length === 0) return this.joined(known, node.text.trim());
    const group = new Map<string, string>();
    for (const child of node.children) {
      const part = columnKey(localName(child.name));
      if (!isKnownPart(known, part))
        this.addOnce(`${known.name}.${part}`, "gmc.file.header.part", {
          field: known.name,
          value: child.name,
        });
      const value = child.text.trim();
      if (value !== "") group.set(part, value);
    }
    return group.size === 0 ? [] : [group];
  }

  /** Sub-attributes with colons between them, as in a text file: read, but not the form of XML. */
  private joined(known: DocumentedAttribute, text: string): readonly RowGroup[] {
    if (text === "") return [];
    this.findings.add("gmc.xml.group", { field: known.name, value: text });
    return (splitCell(text, "groups") ?? []).map((values) => groupOf(defaultParts(known), values));
  }

  private addOnce(key: string, rule: GoogleRule, finding: FeedFinding): void {
    const what = `${rule} ${key}`;
    if (this.reported.has(what) || this.reported.size >= MAX_NAMES) return;
    this.reported.add(what);
    this.findings.add(rule, finding);
  }
}
