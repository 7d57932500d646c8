/**
 * Google's items as XML: RSS 2.0, or Atom. An attribute is an element of Google's namespace. It is repeated
 * for several values, and its sub-attributes are elements inside it. Items are checked by the rules for text files.
 */
import type { Findings } from "../../kit/validate/findings.ts";
import { columnKey } from "../../kit/validate/delimiter.ts";
import { MOST_NAMES } from "../../kit/validate/limits.ts";
import type { FeedReader } from "../../kit/validate/validator.ts";
import { type Attribute, ATTRIBUTES, cellKind, defaultParts, isKnownPart } from "./attributes.ts";
import { GoogleFeed } from "./feed.ts";
import { GoogleRow, type Group } from "./row.ts";
import type { GoogleRule } from "./rules.ts";
import { splitCell } from "./scan-tsv.ts";
import { localName, prefixOf, type XmlItem, XmlItems, type XmlNode } from "./xml-items.ts";

const GOOGLE = /^https?:\/\/base\.google\.com\/ns\/1\.0\/?$/;
const PREFIX = "g";
const NO_COLUMNS: ReadonlySet<string> = new Set();

/** Elements of RSS and Atom that have the meaning of an attribute. */
const STANDARD: Readonly<Record<string, string>> = {
  id: "id",
  title: "title",
  link: "link",
  description: "description",
  summary: "description",
  content: "description",
};

/** Elements of RSS and Atom that are not attributes. */
const IGNORED: ReadonlySet<string> = new Set(
  `author category comments contributor enclosure guid pubdate published rights source updated`.split(" "),
);

const ENCODING_DETAILS = {
  bytes: "From this line on there are bytes that are not UTF-8.",
  "utf-16": "The file is UTF-16.",
} as const;

/** An attribute as the file gives it. `isOwn`: in Google's namespace, which goes before RSS and Atom. */
type Given = { readonly known: Attribute; readonly node: XmlNode; readonly isOwn: boolean };

export class GoogleXmlReader implements FeedReader {
  private readonly findings: Findings<GoogleRule>;
  private readonly feed: GoogleFeed;
  private readonly items: XmlItems;
  private readonly met = new Set<string>();

  constructor(findings: Findings<GoogleRule>, now: Date) {
    this.findings = findings;
    this.feed = new GoogleFeed(findings, now);
    this.items = new XmlItems({
      item: (item) => this.item(item),
      malformed: (line, says) =>
        findings.sayAt({ line, itemId: null }, "gmc.xml.malformed", { detail: `The XML ${says}.` }),
    });
  }

  push(text: string): void {
    this.items.push(text);
  }

  end(bytes: number): void {
    this.items.end();
    this.feed.end(bytes);
  }

  /** A byte order mark is well-known in XML. */
  misencoded(what: "mark" | keyof typeof ENCODING_DETAILS, line: number): void {
    if (what !== "mark")
      this.findings.sayAt({ line, itemId: null }, "gmc.file.encoding", { detail: ENCODING_DETAILS[what] });
  }

  rows(): number {
    return this.feed.rows;
  }

  private item({ line, node, isCut }: XmlItem): void {
    this.findings.at(line, null);
    if (isCut) {
      this.findings.say("gmc.file.long", { value: node.name });
      this.feed.pass();
      return;
    }
    const given = node.children.flatMap((child) => this.attribute(child));
    const row = new GoogleRow(line, NO_COLUMNS, true);
    const id = given.find(({ known, isOwn }) => known.name === "id" && isOwn);
    this.findings.at(line, id?.node.text.trim() ?? null);
    for (const one of given.filter(({ isOwn }) => isOwn)) this.put(row, one);
    for (const one of given.filter(({ isOwn, known }) => !isOwn && !row.has(known.name))) this.put(row, one);
    this.feed.add(row);
  }

  /** The attribute that an element of an item gives, if any; says once what is odd about its name. */
  private attribute(node: XmlNode): readonly Given[] {
    const prefix = prefixOf(node.name);
    if (prefix !== "" && !this.isGoogle(prefix, node)) return [];
    const isOwn = prefix !== "" || GOOGLE.test(this.items.namespaces.get("") ?? "");
    return isOwn ? this.own(node) : this.standard(node);
  }

  private own(node: XmlNode): readonly Given[] {
    const known = ATTRIBUTES.get(columnKey(localName(node.name)));
    this.sayName(known, node.name);
    return known === undefined ? [] : [{ known, node, isOwn: true }];
  }

  /** An element of RSS or Atom, or an attribute that lacks its prefix. */
  private standard(node: XmlNode): readonly Given[] {
    const local = node.name.toLowerCase();
    const same = STANDARD[local];
    const known = ATTRIBUTES.get(same ?? columnKey(local));
    if (same === undefined && !IGNORED.has(local)) this.sayPlain(known, node.name);
    return known === undefined ? [] : [{ known, node, isOwn: false }];
  }

  private sayName(known: Attribute | undefined, written: string): void {
    if (known === undefined) this.sayOnce(written, "gmc.file.header.unknown", { field: written });
    else if (localName(written) !== known.name)
      this.sayOnce(written, "gmc.file.header.spelling", { field: known.name, value: written });
  }

  private sayPlain(known: Attribute | undefined, written: string): void {
    if (known === undefined) this.sayOnce(written, "gmc.file.header.unknown", { field: written });
    else
      this.sayOnce(written, "gmc.xml.plain", {
        field: known.name,
        value: written,
        detail: `\`<${written}>\` stands outside of Google's namespace; write \`<g:${known.name}>\`.`,
      });
  }

  private isGoogle(prefix: string, node: XmlNode): boolean {
    const address = node.attributes[`xmlns:${prefix}`] ?? this.items.namespaces.get(prefix);
    if (address !== undefined && GOOGLE.test(address)) return true;
    // Elements of other namespaces are not checked, unless their prefix is the usual one for Google's.
    if (address !== undefined && prefix !== PREFIX) return false;
    this.sayOnce(`${prefix}:`, "gmc.xml.namespace", {
      value: node.name,
      detail:
        address === undefined
          ? `The prefix \`${prefix}\` is not declared.`
          : `The prefix \`${prefix}\` is declared as ${address}, not as Google's namespace.`,
    });
    return prefix === PREFIX;
  }

  private put(row: GoogleRow, { known, node }: Given): void {
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
    else
      this.findings.say("gmc.file.header.duplicate", {
        field: name,
        value,
        detail: `\`<${node.name}>\` stands twice in the item, and the attribute takes one value.`,
      });
  }

  private textOf(field: string, { name, text, attributes, children }: XmlNode): string {
    const value = text.trim();
    if (children.length > 0)
      this.findings.say("gmc.xml.nested", {
        field,
        value,
        detail: `\`<${name}>\` has elements in its text.`,
      });
    // Atom writes an address as an attribute.
    return value === "" && field === "link" ? (attributes["href"]?.trim() ?? "") : value;
  }

  private groups(known: Attribute, node: XmlNode): readonly Group[] {
    if (node.children.length === 0) return this.joined(known, node.text.trim());
    const group = new Map<string, string>();
    for (const child of node.children) {
      const part = columnKey(localName(child.name));
      if (!isKnownPart(known, part))
        this.sayOnce(`${known.name}.${part}`, "gmc.file.header.part", {
          field: known.name,
          value: child.name,
        });
      const value = child.text.trim();
      if (value !== "") group.set(part, value);
    }
    return group.size === 0 ? [] : [group];
  }

  /** Sub-attributes with colons between them, as in a text file: understood, but not the way XML has them. */
  private joined(known: Attribute, text: string): readonly Group[] {
    if (text === "") return [];
    this.findings.say("gmc.xml.group", { field: known.name, value: text });
    const parts = defaultParts(known);
    return (splitCell(text, "groups") ?? []).map(
      (values) =>
        new Map(
          parts.flatMap((part, place) => {
            const value = values[place]?.trim() ?? "";
            return value === "" ? [] : [[part, value] as const];
          }),
        ),
    );
  }

  private sayOnce(key: string, rule: GoogleRule, finding: Parameters<Findings<GoogleRule>["say"]>[1]): void {
    const what = `${rule} ${key}`;
    if (this.met.has(what) || this.met.size >= MOST_NAMES) return;
    this.met.add(what);
    this.findings.say(rule, finding);
  }
}
