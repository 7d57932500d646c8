/**
 * Which format a file is: by its name when that is one of ours, else by how it begins. What a file is called says
 * little otherwise: OpenAI takes `.tsv` too, and anything can be called `feed.txt`. A header is recognized by its names,
 * whatever separates them.
 */
import { ATTRIBUTES } from "./google/validate/attributes.ts";
import { ACP_FIELDS, ALIASES } from "./openai/validate/names.ts";
import { columnNames, delimiterOf } from "./kit/validate/delimiter.ts";
import type { CheckedFormat } from "./validators.ts";

/** How many bytes of a file are enough to tell. */
export const DETECTION_BYTES = 64 * 1024;

const BY_NAME: readonly (readonly [RegExp, CheckedFormat])[] = [
  [/(?:^|[/\\.-])acp\.csv$/i, "acp.csv"],
  [/(?:^|[/\\.-])acp\.jsonl?$/i, "acp.json"],
  [/(?:^|[/\\.-])gmc\.(?:tsv|txt)$/i, "gmc.tsv"],
  [/(?:^|[/\\.-])gmc\.xml$/i, "gmc.xml"],
  [/(?:^|[/\\.-])jsonld\.json$|\.jsonld$/i, "jsonld.json"],
];

/** The root of RSS and Atom, or Google's namespace on any other. */
const GOOGLE_XML = /<(?:rss|feed|rdf:RDF)[\s>]|base\.google\.com\/ns/;

export function formatByName(path: string): CheckedFormat | undefined {
  const name = path.replace(/\.(?:gz|gzip|zst)$/i, "");
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}

/** Undefined when the text begins like none of them. */
export function formatByContent(head: string): CheckedFormat | undefined {
  const text = head.replace(/^\uFEFF/, "").trimStart();
  if (/^[[{]/.test(text)) return /"@(?:context|graph|type)"/.test(text) ? "jsonld.json" : "acp.json";
  if (text.startsWith("<")) return GOOGLE_XML.test(text) ? "gmc.xml" : undefined;
  const [header = ""] = text.split(/\r?\n/, 1);
  const delimiter = delimiterOf(header);
  const names = columnNames(header, delimiter);
  const openai = names.filter((name) => OPENAI_ONLY.has(name)).length;
  const google = names.filter((name) => GOOGLE_ONLY.has(name)).length;
  if (openai > google) return "acp.csv";
  if (google > 0) return "gmc.tsv";
  // Names that both know, and no other: the delimiter decides.
  if (!names.some((name) => ACP_FIELDS.has(name))) return undefined;
  return delimiter === "\t" ? "gmc.tsv" : "acp.csv";
}

const OPENAI_ONLY: ReadonlySet<string> = new Set(
  [...ACP_FIELDS.keys(), ...Object.values(ALIASES).flat()].filter((name) => !ATTRIBUTES.has(name)),
);
const GOOGLE_ONLY: ReadonlySet<string> = new Set(
  [...ATTRIBUTES.keys()].filter((name) => !ACP_FIELDS.has(name)),
);
