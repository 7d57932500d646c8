/**
 * XML of any size to one small tree per record element. Nothing outside a record is kept. A document type that declares
 * entities is refused. Every piece of markup is limited, because the parser keeps an unfinished text, tag or comment in
 * memory.
 */
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { FormatError } from "./format-error.ts";
import type { TextReader } from "./text-reader.ts";
import { type XmlRepair, xmlRepair } from "./xml-repair.ts";

export type XmlElement = {
  /** As written, prefix included. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text and CDATA, without that of its children. */
  text: string;
  readonly children: XmlElement[];
};

/** `namespaces`: prefix to address, as declared on the elements around the record; the default one under "". */
export type XmlRecord = {
  readonly line: number;
  readonly element: XmlElement;
  readonly namespaces: ReadonlyMap<string, string>;
};

export type XmlOptions = {
  /** Whether an element of this local name is a record. The first match fixes the depth of records. */
  readonly isRecord: (localName: string) => boolean;
  /** Named characters beyond the five of XML that are read although no document type declares them. */
  readonly namedCharacter: (name: string) => string | undefined;
  readonly maxFieldChars: number;
  readonly maxRecordChars: number;
  readonly maxDepth: number;
};

export type XmlRecordReader = TextReader<XmlRecord> & {
  /** The name of the root element; null until it was read. */
  readonly rootName: () => string | null;
};

/** Counted for each element in addition to its characters, so that a million empty ones exceed the limit too. */
const ELEMENT_CHARS = 16;

const MAX_NAMESPACES = 100;

export function xmlElements(options: XmlOptions): XmlRecordReader {
  const collector = new Collector(options);
  return {
    push: (text) => collector.push(text),
    end: () => collector.end(),
    rootName: () => collector.rootName,
  };
}

export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

class Collector {
  rootName: string | null = null;
  private readonly options: XmlOptions;
  private readonly repair: XmlRepair;
  private readonly parser = new SaxesParser({});
  private readonly open: XmlElement[] = [];
  private readonly namespaces = new Map<string, string>();
  private depth = 0;
  private recordDepth: number | null = null;
  private recordLine = 0;
  private recordStart = 0;
  private elements = 0;
  private lastEvent = 0;
  private found: XmlRecord[] = [];

  constructor(options: XmlOptions) {
    this.options = options;
    this.repair = xmlRepair(options.namedCharacter);
    const { parser } = this;
    // Six handlers, no more: with a seventh V8 turns the parser into a hash table, at a quarter of the speed (Node 26).
    parser.on("doctype", (text) => this.doctype(text));
    parser.on("opentag", (tag) => this.openTag(tag));
    parser.on("closetag", () => this.closeTag());
    parser.on("text", (text) => this.addText(text));
    parser.on("cdata", (text) => this.addText(text));
    parser.on("comment", () => this.mark());
  }

  push(text: string): readonly XmlRecord[] {
    this.found = [];
    this.parse(this.repair.push(text));
    if (this.parser.position - this.lastEvent > this.options.maxFieldChars)
      this.tooLong("One text, tag or comment");
    return this.found;
  }

  end(): readonly XmlRecord[] {
    this.found = [];
    this.parse(this.repair.end());
    if (this.depth > 0 || this.rootName === null) {
      throw new FormatError("truncated", `The XML ends early, on line ${this.parser.line}.`, {
        line: this.parser.line,
      });
    }
    this.parse(null);
    return this.found;
  }

  private parse(text: string | null): void {
    try {
      this.parser.write(text);
    } catch (cause) {
      if (cause instanceof FormatError) throw cause;
      const { line, column } = this.parser;
      const message = `The XML is not well-formed on line ${line}, column ${column}.`;
      throw new FormatError("malformed", message, { line, cause });
    }
  }

  private mark(): void {
    this.lastEvent = this.parser.position;
  }

  private doctype(text: string): void {
    this.mark();
    if (!/<!ENTITY/i.test(text)) return;
    throw new FormatError("unsupported", "The XML declares entities of its own; such files are refused.", {
      line: this.parser.line,
    });
  }

  private openTag(tag: SaxesTagPlain): void {
    this.mark();
    this.depth += 1;
    if (this.depth > this.options.maxDepth) {
      throw new FormatError("too_large", `The XML nests deeper than ${this.options.maxDepth} levels.`, {
        line: this.parser.line,
      });
    }
    this.rootName ??= tag.name;
    const parent = this.open.at(-1);
    if (parent !== undefined) this.addChild(parent, tag);
    else if (this.isRecord(tag.name)) this.beginRecord(tag);
    else this.noteNamespaces(tag);
  }

  private isRecord(name: string): boolean {
    if (this.recordDepth !== null && this.recordDepth !== this.depth) return false;
    return this.depth > 1 && this.options.isRecord(localName(name));
  }

  private beginRecord(tag: SaxesTagPlain): void {
    this.recordDepth = this.depth;
    this.recordLine = this.parser.line;
    this.recordStart = this.parser.position;
    this.elements = 0;
    this.open.push(elementOf(tag));
  }

  private addChild(parent: XmlElement, tag: SaxesTagPlain): void {
    const element = elementOf(tag);
    parent.children.push(element);
    this.open.push(element);
    this.elements += 1;
    const chars = this.parser.position - this.recordStart + this.elements * ELEMENT_CHARS;
    if (chars > this.options.maxRecordChars) this.tooLong("One record");
  }

  private noteNamespaces(tag: SaxesTagPlain): void {
    for (const [name, value] of Object.entries(tag.attributes)) {
      if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
      if (this.namespaces.size < MAX_NAMESPACES) this.namespaces.set(name.slice(6), value);
    }
  }

  private closeTag(): void {
    this.mark();
    this.depth -= 1;
    const element = this.open.pop();
    if (element === undefined || this.open.length > 0) return;
    this.found.push({ line: this.recordLine, element, namespaces: this.namespaces });
  }

  private addText(text: string): void {
    this.mark();
    const element = this.open.at(-1);
    if (element === undefined) return;
    element.text += text;
    if (element.text.length > this.options.maxFieldChars) this.tooLong(`The element <${element.name}>`);
    if (this.parser.position - this.recordStart > this.options.maxRecordChars) this.tooLong("One record");
  }

  private tooLong(what: string): never {
    throw new FormatError(
      "too_large",
      `${what} near line ${this.parser.line} of the XML is longer than allowed.`,
      {
        line: this.parser.line,
      },
    );
  }
}

function elementOf(tag: SaxesTagPlain): XmlElement {
  return { name: tag.name, attributes: tag.attributes, text: "", children: [] };
}
