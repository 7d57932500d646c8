/** On the page of an item: what the served files have, next to what the catalog has, while the two differ. */
import type { JSX } from "preact";
import type { ItemAnswer, ServedDifference } from "../../../src/contract/items.ts";
import { itemText } from "../messages/items.ts";
import { LongText } from "./long-text.tsx";
import { Table } from "./table.tsx";
import { Notice, Section, Time } from "./ui.tsx";

const t = itemText.served;

type Published = ItemAnswer["data"]["published"];

export function ServedDifferences({ of: published }: { readonly of: Published }): JSX.Element | null {
  if (published === null || published.is_current) return null;
  const { differences, rendered_at: at } = published;
  const rows = differences === null ? [] : merged(differences);
  return (
    <Section title={t.title}>
      <Notice tone="attention">
        <p>
          {t.note} <Time at={at} />. {differences === null ? t.unknown : rows.length === 0 ? t.same : ""}
        </p>
      </Notice>
      {rows.length > 0 && (
        <Table
          label={t.label}
          rows={rows}
          keyOf={({ files, difference: { field } }) => `${files.join(" ")} ${field}`}
          columns={[
            {
              head: t.value,
              kind: "heading",
              cell: ({ files, difference: { field } }) => (
                <>
                  {field ?? t.wholeItem} <span class="small muted">{files.join(", ")}</span>
                </>
              ),
            },
            { head: t.served, cell: ({ difference }) => <Text of={difference} side="served" /> },
            { head: t.catalog, cell: ({ difference }) => <Text of={difference} side="catalog" /> },
          ]}
        />
      )}
    </Section>
  );
}

type Row = { readonly files: string[]; readonly difference: ServedDifference };

/** Files with the same column and the same two values are one row. */
function merged(differences: readonly ServedDifference[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const difference of differences) {
    const { file, ...rest } = difference;
    const key = JSON.stringify(rest);
    const known = rows.get(key);
    if (known) known.files.push(file);
    else rows.set(key, { files: [file], difference });
  }
  return [...rows.values()];
}

function Text({
  of: { field, is_served: isServed, ...texts },
  side,
}: {
  readonly of: ServedDifference;
  readonly side: "served" | "catalog";
}): JSX.Element {
  if (field === null) return <>{(side === "served") === (isServed ?? false) ? t.there : t.missing}</>;
  const text = texts[side];
  return text === null ? <span class="muted">{t.none}</span> : <LongText text={text} />;
}
