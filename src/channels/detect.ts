/**
 * Recognizes the channel that a file is for: by its name if that is one of our names, otherwise by its beginning. Other
 * names prove little: OpenAI accepts `.tsv` too, and any file can be called `feed.txt`. A header is recognized by its
 * names, whatever separates them.
 */
import { columnNames, delimiterOf } from "./kit/validate/delimited.ts";
import type { Recognition } from "./kit/validate/validator.ts";
import { type ChannelFile, VALIDATORS } from "./registry.ts";

/** How many bytes of a file are enough to recognize it. */
export const DETECTION_BYTES = 64 * 1024;

export function formatByName(path: string): ChannelFile | undefined {
  const name = path.replace(/\.(?:gz|gzip|zst)$/i, "");
  return [...VALIDATORS].find(([, { fileName }]) => fileName.test(name))?.[0];
}

/** Undefined if the text begins like no known format. */
export function formatByContent(head: string): ChannelFile | undefined {
  const text = head.replace(/^\uFEFF/, "").trimStart();
  const [found] =
    [...VALIDATORS].find(
      ([, { recognition }]) => recognition.by === "content" && recognition.matches(text),
    ) ?? [];
  if (found !== undefined || /^[[{<]/.test(text)) return found;
  const [header = ""] = text.split(/\r?\n/, 1);
  return formatByHeader(header);
}

type Table = Extract<Recognition, { readonly by: "columns" }> & { readonly file: ChannelFile };

const TABLES: readonly Table[] = [...VALIDATORS].flatMap(([file, { recognition }]) =>
  recognition.by === "columns" ? [{ file, ...recognition }] : [],
);

/** The names that show that a file is of this channel: no other has them. */
const DISTINCTIVE_NAMES: ReadonlyMap<Table, ReadonlySet<string>> = new Map(
  TABLES.map((table) => [
    table,
    new Set(
      [...table.names, ...table.aliases].filter(
        (name) => !TABLES.some((other) => other !== table && other.names.has(name)),
      ),
    ),
  ]),
);

function formatByHeader(header: string): ChannelFile | undefined {
  const delimiter = delimiterOf(header, (name) =>
    TABLES.some(({ names, aliases }) => names.has(name) || aliases.has(name)),
  );
  const columns = columnNames(header, delimiter);
  const known = TABLES.filter(({ names, aliases }) =>
    columns.some((name) => names.has(name) || aliases.has(name)),
  );
  const scores = known.map((table) => ({
    table,
    distinctive: columns.filter((name) => DISTINCTIVE_NAMES.get(table)?.has(name) === true).length,
  }));
  const most = Math.max(...scores.map(({ distinctive }) => distinctive));
  const best = scores.filter(({ distinctive }) => distinctive === most).map(({ table }) => table);
  // At equal counts the delimiter decides.
  return (best.find((table) => table.delimiter === delimiter) ?? best[0])?.file;
}
