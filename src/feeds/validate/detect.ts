/**
 * Which of the four formats a file is: by its name when that is one of ours, else by how it begins. What a file is
 * called says little otherwise: OpenAI takes `.tsv` too, and anything can be called `feed.txt`.
 */
import type { FeedFile } from "../format.ts";
import { ATTRIBUTES } from "./gmc/attributes.ts";
import { ACP_FIELDS, ALIASES } from "./acp/names.ts";

/** How many bytes of a file are enough to tell. */
export const TELLING_BYTES = 64 * 1024;

const BY_NAME: readonly (readonly [RegExp, FeedFile])[] = [
  [/(?:^|[/\\.-])acp\.csv$/i, "acp.csv"],
  [/(?:^|[/\\.-])acp\.jsonl?$/i, "acp.json"],
  [/(?:^|[/\\.-])gmc\.(?:tsv|txt)$/i, "gmc.tsv"],
  [/(?:^|[/\\.-])jsonld\.json$|\.jsonld$/i, "jsonld.json"],
];

export function formatByName(path: string): FeedFile | undefined {
  const name = path.replace(/\.(?:gz|gzip|zst)$/i, "");
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}

/** Undefined when the text begins like none of the four. */
export function formatByContent(head: string): FeedFile | undefined {
  const text = head.replace(/^\uFEFF/, "").trimStart();
  if (/^[[{]/.test(text)) return /"@(?:context|graph|type)"/.test(text) ? "jsonld.json" : "acp.json";
  const [header = ""] = text.split(/\r?\n/, 1);
  const isTabbed = header.includes("\t");
  const names = header.split(isTabbed ? "\t" : ",").map(nameIn);
  const openai = names.filter((name) => OPENAI_ONLY.has(name)).length;
  const google = names.filter((name) => GOOGLE_ONLY.has(name)).length;
  if (openai > google) return "acp.csv";
  if (google > 0) return "gmc.tsv";
  // Names that both know, and no other: the delimiter decides.
  if (!names.some((name) => ACP_FIELDS.has(name))) return undefined;
  return isTabbed ? "gmc.tsv" : "acp.csv";
}

function nameIn(cell: string): string {
  return cell
    .trim()
    .replace(/^"|"$|\(.*$/g, "")
    .replace(/^g:/i, "")
    .replace(/\s+/g, "_")
    .toLowerCase();
}

const OPENAI_ONLY: ReadonlySet<string> = new Set(
  [...ACP_FIELDS.keys(), ...Object.values(ALIASES).flat()].filter((name) => !ATTRIBUTES.has(name)),
);
const GOOGLE_ONLY: ReadonlySet<string> = new Set(
  [...ATTRIBUTES.keys()].filter((name) => !ACP_FIELDS.has(name)),
);
