/** The limits of the publish guard that a render exceeds, with its figures. */
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
      keyOf={({ signal, subject }) => `${signal} ${subject}`}
      columns={[
        { head: t.problem, kind: "heading", cell: (one) => <Problem exceeded={one} /> },
        { head: t.before, kind: "number", cell: (one) => figure(one, one.before) },
        { head: t.after, kind: "number", cell: (one) => figure(one, one.after) },
        { head: t.change, kind: "number", cell: ({ signal, change }) => amount(signal, change) },
        { head: t.max, kind: "number", cell: ({ signal, limit }) => amount(signal, limit) },
      ]}
    />
  );
}

function Problem({ exceeded: { signal, message } }: { readonly exceeded: Exceeded }): JSX.Element {
  const title = renderTexts.limits[signal];
  return (
    <>
      {title !== undefined && <strong>{title}</strong>}
      <span class="cell-note small muted">{message}</span>
    </>
  );
}

function figure({ signal, subject }: Exceeded, value: Exceeded["before"]): string {
  // Prices are compared item by item. Renders of earlier versions have counts of compared items here.
  if (value === null || signal === "price_jumps") return t.none;
  if (typeof value === "string") return value;
  if (signal === "file_bytes") return formatBytes(value);
  const number = formatNumber(value);
  return signal === "price_median" && subject !== null ? `${number} ${subject}` : number;
}

function amount(signal: string, value: number | null): string {
  if (value === null) return t.none;
  return FACTORS.has(signal) ? t.factor(formatNumber(Number(value.toPrecision(3)))) : formatPercent(value);
}
