/**
 * XML to one small tree for each item. Whatever is not well-formed is reported; a bare `&` is then read as
 * text, so that it does not hide the problems after it. No entity beyond XML's five is ever expanded. What is
 * not part of an item is not kept, and one item, text, tag or comment has a longest length.
 */
import { SaxesParser, type SaxesTagPlain } from "saxes";
import type { XmlElement } from "../../../lib/formats/xml-elements.ts";
import { xmlRepair } from "../../../lib/formats/xml-repair.ts";
import { MAX_DEPTH, MAX_ELEMENT_CHARS, MAX_ROW_CHARS } from "../../kit/validate/limits.ts";

export type XmlItem = {
  readonly line: number;
  readonly node: XmlElement;
  /** Longer than an item may be: what came after the limit is not there. */
  readonly isCut: boolean;
};

export type XmlHandlers = {
  readonly item: (item: XmlItem) => void;
  /** Describes what is not well-formed, as the end of a sentence that begins with "The XML". */
  readonly malformed: (line: number, description: string) => void;
};

/** After so many faults the rest of the file is not read: it is not XML. */
const MAX_FAULTS = 100;
const ITEM_NAMES: ReadonlySet<string> = new Set(["item", "entry"]);

export class XmlItems {
  /** Prefix to address, the default one under "": the declarations on all elements so far. */
  readonly namespaces = new Map<string, string>();
  rootName: string | null = null;
  private readonly handlers: XmlHandlers;
  private readonly parser = new SaxesParser({});
  private readonly repair = xmlRepair(numbered, (found, line) =>
    this.fault(line, `has ${JSON.stringify(found)} where XML needs an escape such as \`&amp;\``),
  );
  private readonly open: XmlElement[] = [];
  private depth = 0;
  private line = 0;
  private start = 0;
  private lastEvent = 0;
  private isCut = false;
  private faults = 0;
  private isStopped = false;

  constructor(handlers: XmlHandlers) {
    this.handlers = handlers;
    const { parser } = this;
    parser.on("error", ({ message }) =>
      this.fault(parser.line, `breaks its rules: ${message.replace(/^[\d:]+ ?/, "").replace(/\.$/, "")}`),
    );
    parser.on("opentag", (tag) => this.openTag(tag));
    parser.on("closetag", () => this.closeTag());
    parser.on("text", (text) => this.addText(text));
    parser.on("cdata", (text) => this.addText(text));
    parser.on("comment", () => this.mark());
  }

  push(text: string): void {
    if (this.isStopped) return;
    this.parser.write(this.repair.push(text));
    if (this.parser.position - this.lastEvent > MAX_ELEMENT_CHARS)
      this.stop("has a text, tag or comment that does not end within 32 million characters");
  }

  end(): void {
    if (!this.isStopped) this.parser.write(this.repair.end()).close();
  }

  private fault(line: number, description: string): void {
    if (this.isStopped) return;
    this.faults += 1;
    this.handlers.malformed(line, description);
    if (this.faults >= MAX_FAULTS) this.stop(`has more than ${MAX_FAULTS} faults, and is not read further`);
  }

  private stop(description: string): void {
    this.isStopped = true;
    this.handlers.malformed(this.parser.line, description);
  }

  private mark(): void {
    this.lastEvent = this.parser.position;
  }

  private openTag(tag: SaxesTagPlain): void {
    this.mark();
    this.depth += 1;
    if (this.isStopped) return;
    if (this.depth > MAX_DEPTH) {
      this.stop(`has more than ${MAX_DEPTH} nested elements`);
      return;
    }
    this.rootName ??= tag.name;
    this.noteNamespaces(tag);
    const parent = this.open.at(-1);
    if (parent === undefined && !this.isItem(tag.name)) return;
    const node: XmlElement = { name: tag.name, attributes: tag.attributes, text: "", children: [] };
    if (parent === undefined) {
      this.line = this.parser.line;
      this.start = this.parser.position;
      this.isCut = false;
    } else if (this.isWithinLimit()) parent.children.push(node);
    this.open.push(node);
  }

  private isItem(name: string): boolean {
    return this.depth > 1 && ITEM_NAMES.has(localName(name));
  }

  private isWithinLimit(): boolean {
    this.isCut ||= this.parser.position - this.start > MAX_ROW_CHARS;
    return !this.isCut;
  }

  private noteNamespaces(tag: SaxesTagPlain): void {
    for (const [name, value] of Object.entries(tag.attributes))
      if ((name === "xmlns" || name.startsWith("xmlns:")) && this.namespaces.size < MAX_DEPTH)
        this.namespaces.set(name.slice("xmlns:".length), value);
  }

  private closeTag(): void {
    this.mark();
    this.depth -= 1;
    const node = this.open.pop();
    if (node === undefined || this.open.length > 0 || this.isStopped) return;
    this.handlers.item({ line: this.line, node, isCut: this.isCut });
  }

  private addText(text: string): void {
    this.mark();
    const node = this.open.at(-1);
    if (node !== undefined && this.isWithinLimit()) node.text += text;
  }
}

/** A character by its number; those with a name are not known to XML. */
function numbered(name: string): string | undefined {
  const [, hexadecimal, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
  const digits = hexadecimal ?? decimal;
  if (digits === undefined) return undefined;
  const code = Number.parseInt(digits, hexadecimal === undefined ? 10 : 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

export function prefixOf(name: string): string {
  return name.includes(":") ? name.slice(0, name.indexOf(":")) : "";
}
