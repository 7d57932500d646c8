/** The fields of items that differ between two renders. A difference that several files have is one row. */
import type { JSX } from "preact";
import type { Cause, ComparedItem, Difference } from "../../../src/contract/comparisons.ts";
import { useThisCatalog } from "../catalog.ts";
import { compareTexts } from "../messages/compare.ts";
import { Link } from "../router.tsx";
import { ItemLink } from "./item-link.tsx";
import { LongText } from "./long-text.tsx";
import { Table } from "./table.tsx";
import { Badge } from "./ui.tsx";

const t = compareTexts.items;

type Row = Difference & { readonly id: string; readonly files: readonly string[] };

/** The same in several files, such as the price in both files for OpenAI. */
const rowsOf = ({ item_id: id, differences }: ComparedItem): readonly Row[] =>
  [
    ...Map.groupBy(differences, ({ field, change, before, after, cause }) =>
      JSON.stringify([field, change, before, after, cause]),
    ).values(),
  ].flatMap((same) => {
    const [first] = same;
    return first ? [{ ...first, id, files: same.map(({ file }) => file) }] : [];
  });

export function DifferenceTable({ items }: { readonly items: readonly ComparedItem[] }): JSX.Element {
  return (
    <div class="differences">
      <Table
        label={t.label}
        rows={items.flatMap(rowsOf)}
        keyOf={({ id, files, field, change }) => [id, ...files, field, change].join(" ")}
        columns={[
          { head: t.item, kind: "heading", cell: ({ id }) => <ItemLink id={id} /> },
          { head: t.where, cell: (row) => <Where row={row} /> },
          { head: t.before, kind: "text", cell: ({ before }) => <Value text={before} /> },
          { head: t.after, kind: "text", cell: ({ after }) => <Value text={after} /> },
          { head: t.cause, cell: ({ cause }) => <CauseText cause={cause} /> },
        ]}
      />
    </div>
  );
}

function Where({ row: { field, change, files } }: { readonly row: Row }): JSX.Element {
  return (
    <>
      {field === null ? t.whole : <code>{field}</code>}{" "}
      {change !== "changed" && <Badge tone="neutral">{t.changes[change]}</Badge>}
      <span class="cell-text small muted">{files.join(", ")}</span>
    </>
  );
}

function Value({ text }: { readonly text: string | null }): JSX.Element {
  if (text === null) return <></>;
  return text === "" ? <span class="muted">{t.empty}</span> : <LongText text={text} />;
}

function CauseText({ cause }: { readonly cause: Cause }): JSX.Element {
  const { href } = useThisCatalog();
  const { kind, run_id: run, version, item_id: sibling } = cause;
  return (
    <span class="cell-text">
      {compareTexts.causes.names[kind]}{" "}
      {run !== undefined && <Link href={href(`/runs/${run}`)}>{t.run}</Link>}
      {version !== undefined && <span class="muted">{t.version(version)}</span>}
      {sibling !== undefined && <span class="small muted"> {t.sibling(sibling)}</span>}
    </span>
  );
}
