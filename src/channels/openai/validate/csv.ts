/** Reads `acp.csv`, and the same rows with tabs: a header row, then one row per record. */
import { hasControls } from "../../kit/validate/checks/text.ts";
import { delimitedReader, scanCsv } from "../../kit/validate/delimited.ts";
import { CheckedRow } from "../../kit/validate/row.ts";
import type { FeedReader } from "../../kit/validate/validator.ts";
import { OpenaiFeed } from "./feed.ts";
import { ALIASES, ColumnNameCheck, OPENAI_FIELDS, REQUIRED } from "./names.ts";
import { fieldsFor, fillRow } from "./read-row.ts";
import type { OpenaiFindings } from "./rules.ts";

type CsvHeader = {
  readonly names: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
  readonly fields: ReturnType<typeof fieldsFor>;
  readonly absent: ReadonlySet<string>;
};

export function openaiCsvReader(findings: OpenaiFindings, now: Date): FeedReader {
  const feed = new OpenaiFeed(findings, now);
  let delimiter: string | null = null;
  return delimitedReader(findings, {
    rules: { long: "FILE-LONG", quote: "FILE-QUOTE", cells: "FILE-CELLS" },
    scan: (text) => {
      // The header decides: a tab in it means that tabs separate the cells.
      delimiter ??= text.includes("\t") ? "\t" : ",";
      return scanCsv(text, delimiter);
    },
    readHeader: (names) => readHeader(names, findings),
    readRow: (line, cells, { names, positions, fields, absent }) => {
      const row = new CheckedRow(line, { absent });
      const values = (name: string) => cells[positions.get(name) ?? -1];
      fillRow(row, { values, fields, findings, isJson: false });
      findings.at(line, row.text("item_id") ?? null);
      for (const [column, value] of cells.entries())
        if (hasControls(value))
          findings.add("FILE-CTRL", { field: names[column], value, isMild: !value.includes("\0") });
      feed.add(row);
    },
    idOf: () => null,
    shown: (cell) => cell,
    feed,
  });
}

function readHeader(names: readonly string[], findings: OpenaiFindings): CsvHeader | null {
  const isPresent = (name: string) => (ALIASES[name] ?? [name]).some((alias) => names.includes(alias));
  if (!REQUIRED.some(({ name }) => isPresent(name))) {
    const detail = "The first row is not a header: it has none of the required columns.";
    findings.add("FILE-HDR", { value: names.join(", "), detail });
    return null;
  }
  const positions = positionsOf(names, findings);
  const absent = new Set([...OPENAI_FIELDS.keys()].filter((name) => !isPresent(name)));
  for (const { name } of REQUIRED)
    if (absent.has(name))
      findings.add("FILE-HDR", { field: name, detail: `The required column \`${name}\` is missing.` });
  return { names, positions, fields: fieldsFor(names), absent };
}

function positionsOf(names: readonly string[], findings: OpenaiFindings): ReadonlyMap<string, number> {
  const known = new ColumnNameCheck(findings);
  const positions = new Map<string, number>();
  for (const [position, name] of names.entries()) {
    if (name === "") findings.add("FILE-HDR", { detail: `Column ${position + 1} has no name.` });
    else if (positions.has(name))
      findings.add("FILE-HDR", { field: name, detail: `Two columns are called \`${name}\`.` });
    else {
      positions.set(name, position);
      known.check(name);
    }
  }
  return positions;
}
