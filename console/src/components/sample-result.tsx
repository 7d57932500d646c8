/**
 * What a test of a source or the preview of a file found: the first items, what is wrong with them, and their feeds.
 */
import type { ComponentChildren, JSX } from "preact";
import type { TriedAnswer } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { formatNumber } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { type Suggested, SuggestionNotice } from "./suggestion-notice.tsx";
import { IssueTable } from "./sync-issues.tsx";
import { Table } from "./table.tsx";
import { Facts, Notice, Section } from "./ui.tsx";
import type { Tone } from "./ui.tsx";
import { refusedIn } from "../refused.ts";

const text = setupText.sample;

type Tried = Wire<typeof TriedAnswer>["data"];
/** Sources have a probe, files a format. */
export type Sample = Omit<Tried, "probe"> & {
  readonly probe?: Tried["probe"];
  readonly format?: string | null;
};
type Item = Sample["items"][number] & Readonly<Record<string, unknown>>;

export function SampleResult({
  sample,
  onApply,
  children,
}: {
  readonly sample: Sample;
  readonly onApply: (settings: Suggested) => void;
  /** What to do next, below the summary. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { probe, items, rejections, warnings, feeds, suggestion } = sample;
  const issues = [
    ...rejections.map((one) => ({ kind: "rejection" as const, ...one })),
    ...warnings.map((one) => ({ kind: "warning" as const, ...one })),
  ];
  return (
    <>
      <Summary sample={sample} />
      {suggestion && <SuggestionNotice suggestion={suggestion} onApply={onApply} />}
      {children}
      {probe && <ProbeResult probe={probe} />}
      {items.length > 0 && (
        <Section title={text.items}>
          <ItemTable items={items} />
          <OtherFields items={items} />
        </Section>
      )}
      <Section title={text.issues}>
        {issues.length === 0 ? (
          <p class="muted">{text.noIssues}</p>
        ) : (
          <IssueTable issues={issues} label={text.issueTable} />
        )}
      </Section>
      {items.length > 0 && (
        <Section title={text.feeds}>
          <FeedForecast feeds={feeds} />
        </Section>
      )}
    </>
  );
}

function Summary({
  sample: { items, rejections, effect, cleared, is_whole: isWhole },
}: {
  readonly sample: Sample;
}): JSX.Element {
  const read = items.length + rejections.length;
  const counts = [formatNumber(items.length), formatNumber(rejections.length)] as const;
  const [tone, sentence]: readonly [Tone, string] =
    items.length > 0
      ? [
          rejections.length > 0 ? "attention" : "ok",
          isWhole ? text.whole(...counts) : text.works(...counts, formatNumber(read)),
        ]
      : ["bad", rejections.length > 0 ? text.nothing : text.empty];
  return (
    <div role="status">
      <Notice tone={tone}>
        <p>{sentence}</p>
        <Effect effect={effect} />
      </Notice>
      {cleared.length > 0 && <ClearedFields cleared={cleared} />}
    </div>
  );
}

/** What would happen to the catalog. Removals are rare: only rows that ask for one. */
function Effect({ effect }: Pick<Sample, "effect">): JSX.Element | null {
  const { added, changed, unchanged, deleted } = effect;
  const parts = [
    [text.effect.added, added],
    [text.effect.changed, changed],
    [text.effect.unchanged, unchanged],
    ...(deleted.length > 0 ? [[text.effect.deleted, deleted] as const] : []),
  ] as const;
  if (parts.every(([, ids]) => ids.length === 0)) return null;
  return <p>{parts.map(([what, ids]) => `${what}: ${formatNumber(ids.length)}`).join(" · ")}</p>;
}

function ClearedFields({ cleared }: Pick<Sample, "cleared">): JSX.Element {
  return (
    <Notice tone="attention">
      <strong>{text.cleared(formatNumber(cleared.length))}</strong>
      <ul>
        {cleared.map(({ item_id: id, fields }) => (
          <li key={id}>
            <span class="id">{id}</span>: {fields.join(", ")}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function ProbeResult({
  probe: { facts, notes },
}: {
  readonly probe: NonNullable<Tried["probe"]>;
}): JSX.Element {
  return (
    <Section title={text.facts}>
      <Facts entries={facts.map(({ label, value }) => [label, value])} />
      {notes.length > 0 && (
        <Notice tone="attention">
          <strong>{text.notes}</strong>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Notice>
      )}
    </Section>
  );
}

const SHOWN = new Set(["id", "title", "price", "sale_price", "availability", "brand", "gtin", "images"]);

const textOf = (item: Item, name: string): string => {
  const value = item[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
};

const moneyOf = (item: Item, name: string): string => {
  const { amount, currency } = (item[name] ?? {}) as { readonly amount?: string; readonly currency?: string };
  return amount === undefined ? "" : `${amount} ${currency ?? ""}`;
};

function ItemTable({ items }: { readonly items: readonly Item[] }): JSX.Element {
  return (
    <Table
      label={text.itemTable}
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        { head: text.columns.id, kind: "heading", cell: ({ id }) => <span class="id">{id}</span> },
        { head: text.columns.title, cell: (item) => textOf(item, "title") },
        { head: text.columns.price, kind: "number", cell: (item) => <Price item={item} /> },
        { head: text.columns.availability, cell: (item) => textOf(item, "availability") },
        { head: text.columns.brand, cell: (item) => textOf(item, "brand") },
        { head: text.columns.gtin, cell: (item) => textOf(item, "gtin") },
        {
          head: text.columns.images,
          kind: "number",
          cell: ({ images }) => (Array.isArray(images) ? formatNumber(images.length) : 0),
        },
      ]}
    />
  );
}

function Price({ item }: { readonly item: Item }): JSX.Element {
  const [price, sale] = [moneyOf(item, "price"), moneyOf(item, "sale_price")];
  if (sale === "") return <>{price}</>;
  return (
    <>
      <s class="muted">{price}</s> {sale}
    </>
  );
}

/** The fields that have no column of their own. */
function OtherFields({ items }: { readonly items: readonly Item[] }): JSX.Element | null {
  const names = new Set(items.flatMap((item) => Object.keys(item)).filter((name) => !SHOWN.has(name)));
  return names.size === 0 ? null : <p class="small muted">{text.more([...names].join(", "))}</p>;
}

function FeedForecast({ feeds }: { readonly feeds: Sample["feeds"] }): JSX.Element {
  return (
    <Table
      label={text.feedTable}
      rows={feeds}
      keyOf={({ file }) => file}
      columns={[
        { head: text.file, kind: "heading", cell: ({ file }) => file },
        { head: text.written, kind: "number", cell: ({ written }) => formatNumber(written) },
        { head: text.refused, kind: "number", cell: (feed) => formatNumber(refusedIn(feed)) },
        {
          head: text.reasons,
          kind: "text",
          cell: ({ reasons }) =>
            reasons.length === 0 ? (
              <span class="muted">{text.complete}</span>
            ) : (
              <ul class="plain small">
                {reasons.map(({ code, count, message }) => (
                  <li key={code}>
                    {formatNumber(count)} × {message}
                  </li>
                ))}
              </ul>
            ),
        },
      ]}
    />
  );
}
