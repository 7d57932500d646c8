/** The result of comparing two renders. */
import type { JSX } from "preact";
import type {
  Between,
  CauseKind,
  ComparedItem,
  ComparisonHead,
  ComparisonTotals,
} from "../../../src/contract/comparisons.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatNumber } from "../format.ts";
import { compareTexts as t } from "../messages/compare.ts";
import { feedTexts } from "../messages/feeds.ts";
import { Link, pathWith, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";
import { DifferenceTable } from "./differences.tsx";
import { Filters, FilterSelect, Table } from "./table.tsx";
import { Await, Empty, Facts, Notice, Section, Stats, Time } from "./ui.tsx";

type Compared = {
  readonly data: ComparisonHead & {
    readonly items: readonly ComparedItem[];
    readonly totals: ComparisonTotals;
  };
};

/** Items that the page lists. */
const LISTED = 25;

export function Comparison({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  const { query } = useLocation();
  const filters = { file: query.get("file"), cause: query.get("cause") };
  const path = `/renders/${encodeURIComponent(before)}/compare/${encodeURIComponent(after)}`;
  const loaded = useData<Compared>(pathWith(path, { ...filters, limit: LISTED }));
  return (
    <Await loaded={loaded}>
      {({ totals, between, items }) => (
        <>
          <Totals totals={totals} />
          {totals.differences === 0 && filters.file === null && filters.cause === null ? (
            <Notice tone="neutral">{t.same}</Notice>
          ) : (
            <>
              <Causes totals={totals} />
              <BetweenThem between={between} />
              <Items items={items} totals={totals} />
            </>
          )}
        </>
      )}
    </Await>
  );
}

const CAUSES = Object.keys(t.causes.names) as readonly CauseKind[];

type OfTotals = { readonly totals: ComparisonTotals };

const Totals = ({ totals: { items } }: OfTotals): JSX.Element => (
  <Stats
    entries={(["added", "removed", "changed", "unchanged"] as const).map((name) => ({
      name: t.totals[name],
      value: formatNumber(items[name]),
    }))}
  />
);

function Causes({ totals: { by_cause: counts, differences } }: OfTotals): JSX.Element {
  const location = useLocation();
  const rows = CAUSES.map((cause) => ({ cause, count: counts[cause] ?? 0 })).filter(({ count }) => count > 0);
  return (
    <Section title={t.causes.title}>
      <Table
        label={t.causes.label}
        rows={rows}
        keyOf={({ cause }) => cause}
        columns={[
          {
            head: t.causes.cause,
            kind: "heading",
            cell: ({ cause }) => <Link href={withQuery(location, { cause })}>{t.causes.names[cause]}</Link>,
          },
          { head: t.causes.count, kind: "number", cell: ({ count }) => formatNumber(count) },
        ]}
      />
      <p class="small muted">
        {t.causes.sum}: {rows.map(({ count }) => formatNumber(count)).join(" + ")}
        {rows.length > 1 && ` = ${formatNumber(differences)}`}
      </p>
    </Section>
  );
}

function BetweenThem({ between }: { readonly between: Between }): JSX.Element {
  const { href } = useThisCatalog();
  const {
    runs,
    rule_versions: versions,
    decisions,
    category_mappings: categories,
    settings,
    renderer,
  } = between;
  const entries = [
    runs.length > 0 &&
      ([
        t.between.runs,
        <ul class="plain">
          {runs.slice(0, 5).map(({ run_id: id, kind, finished_at: at }) => (
            <li key={id}>
              <Link href={href(`/runs/${id}`)}>{t.between.kinds[kind]}</Link> <Time at={at} />
            </li>
          ))}
        </ul>,
      ] as const),
    versions.length > 0 && ([t.between.rules, versions.map(formatNumber).join(", ")] as const),
    decisions > 0 && ([t.between.decisions, formatNumber(decisions)] as const),
    categories && ([t.between.categories, t.between.categoriesChanged] as const),
    settings.length > 0 && ([t.between.settings, settings.join(", ")] as const),
    renderer && ([t.between.renderer, t.between.rendererChanged] as const),
  ].filter((entry) => entry !== false);
  return (
    <Section title={t.between.title}>
      {entries.length === 0 ? <p class="muted">{t.between.nothing}</p> : <Facts entries={entries} />}
    </Section>
  );
}

function Items({ items, totals }: OfTotals & { readonly items: readonly ComparedItem[] }): JSX.Element {
  const location = useLocation();
  const differing = totals.items.added + totals.items.removed + totals.items.changed;
  return (
    <Section title={t.items.title}>
      <Filters>
        <FilterSelect
          name="file"
          label={t.filters.file}
          any={t.filters.anyFile}
          options={Object.keys(feedTexts.files).map((file) => [file, file])}
        />
        <FilterSelect
          name="cause"
          label={t.filters.cause}
          any={t.filters.anyCause}
          options={Object.entries(t.causes.names)}
        />
      </Filters>
      {items.length === 0 ? (
        <Empty>
          <p>{t.items.none}</p>
          <Link href={withQuery(location, { file: undefined, cause: undefined })}>{t.items.all}</Link>
        </Empty>
      ) : (
        <DifferenceTable items={items} />
      )}
      {differing > items.length && items.length >= LISTED && (
        <p class="small muted">{t.items.listed(items.length, differing)}</p>
      )}
    </Section>
  );
}
