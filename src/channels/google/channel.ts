/** Google Merchant Center: the same items as tab-separated text and as RSS. */
import { type Channel, openFor } from "../channel.ts";
import { GOOGLE_FIELD_TABLE } from "./fields.ts";
import { openGoogleTsv } from "./render-tsv.ts";
import { openGoogleXml } from "./render-xml.ts";
import { ATTRIBUTES } from "./validate/attributes.ts";
import { GOOGLE_RULES } from "./validate/rules.ts";
import { googleTsvReader } from "./validate/tsv.ts";
import { GoogleXmlReader } from "./validate/xml.ts";

/** The root of RSS and Atom, or Google's namespace on any other. */
const GOOGLE_XML = /<(?:rss|feed|rdf:RDF)[\s>]|base\.google\.com\/ns/;

export const googleTsv = {
  name: "google-tsv",
  isHosted: true,
  contentType: "text/tab-separated-values; charset=utf-8",
  fieldTable: GOOGLE_FIELD_TABLE,
  ...openFor("google", openGoogleTsv),
  itemView: "row",
  validator: {
    rules: GOOGLE_RULES,
    rowName: "row",
    reads: `Google's quoting, by which a quote opens at the beginning of a cell, of an entry of a list or of a sub-value.
  So the header decides how a column is read; the sub-attributes in its brackets are followed, in any order, and Google's
  documented order where it names none. Commas, semicolons, pipes and tildes between the cells are read like tabs and
  reported once.`,
    fileName: /(?:^|[/\\.-])gmc\.(?:tsv|txt)$/i,
    recognition: {
      by: "columns",
      names: new Set(ATTRIBUTES.keys()),
      aliases: new Set(),
      delimiter: "\t",
    },
    encodingRule: "gmc.file.encoding",
    open: googleTsvReader,
  },
} as const satisfies Channel;

export const googleXml = {
  name: "google-xml",
  isHosted: false,
  contentType: "application/rss+xml; charset=utf-8",
  fieldTable: GOOGLE_FIELD_TABLE,
  ...openFor("google", openGoogleXml),
  itemView: "line",
  validator: {
    rules: GOOGLE_RULES,
    rowName: "item",
    reads: `RSS 2.0 or Atom with Google's namespace. An item is checked by the same rules as a row of the text file; its
  line is the one on which it begins. XML that is not well-formed is reported where it breaks.`,
    fileName: /(?:^|[/\\.-])gmc\.xml$/i,
    recognition: { by: "content", matches: (text) => text.startsWith("<") && GOOGLE_XML.test(text) },
    encodingRule: "gmc.file.encoding",
    allowsMark: true,
    open: (findings, now) => new GoogleXmlReader(findings, now),
  },
} as const satisfies Channel;
