/** The limits of the publish guard that a render exceeds, with both figures. */
import type { JSX } from "preact";
import type { Exceeded } from "../../../src/contract/publish-guard.ts";
import { formatBytes, formatNumber, formatPercent } from "../format.ts";
import { renderTexts } from "../messages/renders.ts";
import { Table } from "./table.tsx";

const t = renderTexts.exceeded;

/** How the difference and the limit are given. */
const FACTORS: ReadonlySet<string> = new Set(["price_median", "file_bytes"]);

export function ExceededLimits({ exceeded }: { readonly exceeded: readonly Exceeded[] }): JSX.Element {
  return (
    <Table
      label={t.label}
      rows={exceeded}
      keyOf={({ limit, subject }) => `${limit} ${subject}`}
      columns={[
        { head: t.problem, kind: "heading", cell: (one) => <Problem exceeded={one} /> },
        { head: t.before, kind: "number", cell: (one) => figure(one, one.before) },
        { head: t.after, kind: "number", cell: (one) => figure(one, one.after) },
        { head: t.change, kind: "number", cell: ({ limit, change }) => amount(limit, change) },
        { head: t.max, kind: "number", cell: ({ limit, max }) => amount(limit, max) },
      ]}
    />
  );
}

function Problem({ exceeded: { limit, message } }: { readonly exceeded: Exceeded }): JSX.Element {
  const title = renderTexts.limits[limit];
  return (
    <>
      {title !== undefined && <strong>{title}</strong>}
      <span class="cell-note small muted">{message}</span>
    </>
  );
}

function figure({ limit, subject }: Exceeded, value: Exceeded["before"]): string {
  if (value === null) return t.none;
  if (typeof value === "string") return value;
  if (limit === "file_bytes") return formatBytes(value);
  const number = formatNumber(value);
  return limit === "price_median" && subject !== null ? `${number} ${subject}` : number;
}

function amount(limit: string, value: number | null): string {
  if (value === null) return t.none;
  return FACTORS.has(limit) ? t.factor(formatNumber(Number(value.toPrecision(3)))) : formatPercent(value);
}
