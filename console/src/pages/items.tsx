/** All items of the catalog, and search in them. */
import type { JSX } from "preact";
import type { AuditAnswer } from "../../../src/contract/audits.ts";
import type { ItemSummary } from "../../../src/contract/items.ts";
import type { Source, SourcesAnswer } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import type { SelectOption } from "../components/fields.tsx";
import { RejectedItems } from "../components/rejected-items.tsx";
import { RemoveItemsButton } from "../components/remove-items.tsx";
import { ItemLink } from "../components/item-link.tsx";
import { Filters, FilterSelect, Pager, SearchField, Table } from "../components/table.tsx";
import type { TableColumn } from "../components/table.tsx";
import { Badge, Empty, Loading, Notice, PageHeading, ProblemMessage } from "../components/ui.tsx";
import type { Tone } from "../components/ui.tsx";
import { NothingYet } from "../components/ways-in.tsx";
import { isAudited, useReload } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { itemsText as t } from "../messages/items.ts";
import { Link, useLocation, withQuery } from "../router.tsx";
import type { Location } from "../router.tsx";
import { useData } from "../use-data.ts";
import { PAGE, useItems } from "../use-items.ts";
import type { ListedItems, ItemListFilter } from "../use-items.ts";

const FILES = ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"] as const;
const FILTERS = ["q", "source_id", "group_id", "finding", "refused_in"] as const;

export function ItemsPage(): JSX.Element {
  const { query } = useLocation();
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name)])) as ItemListFilter;
  const found = useItems(filter, query.get("cursor"));
  const sources = useData<Wire<typeof SourcesAnswer>>("/sources").data?.sources ?? [];
  const audits = useData<AuditAnswer>("/audit");
  const audit = audits.data?.audit;
  const reload = () => {
    found.reload();
    audits.reload();
  };
  useReload(reload, { run: isAudited });
  return (
    <>
      <PageHeading title={t.title}>{audit && <p class="muted">{t.audited(audit.items)}</p>}</PageHeading>
      <ItemFilters sources={sources} rules={audit?.rules ?? []} current={filter} />
      {filter.group_id !== null && <GroupNotice id={filter.group_id} />}
      {found.items?.some(({ source_id: source }) => source === null) && (
        <RemoveItemsButton key={JSON.stringify(filter)} items={removedBy(filter)} />
      )}
      <Found found={found} sources={sources} isFiltered={FILTERS.some((name) => filter[name] !== null)} />
    </>
  );
}

/** The filter as the removal takes it: it concerns pushed items in any case. */
function removedBy({ source_id: _source, ...filter }: ItemListFilter) {
  const set = Object.entries(filter).filter(([, value]) => value !== null && value.trim() !== "");
  return set.length === 0 ? { all: true } : Object.fromEntries(set);
}

function ItemFilters({
  sources,
  rules,
  current,
}: {
  readonly sources: readonly Source[];
  readonly rules: NonNullable<AuditAnswer["data"]["audit"]>["rules"];
  readonly current: ItemListFilter;
}): JSX.Element {
  const problems = rules
    .filter(({ items, field }) => items > 0 && field !== "settings")
    .map(({ id, title, items }) => [id, t.findingOption(title, items)] as const);
  const files = FILES.map((file) => [file, file] as const);
  const names = sources.map(({ id, name }) => [id, name] as const);
  return (
    <Filters>
      <div class="wide-filter">
        <SearchField label={t.search} />
      </div>
      <FilterSelect
        name="source_id"
        label={t.source}
        options={withCurrent(current.source_id, [["", t.anySource], ...names, ["pushed", t.pushed]])}
      />
      <FilterSelect
        name="finding"
        label={t.finding}
        options={withCurrent(current.finding, [["", t.anyFinding], ...problems])}
      />
      <FilterSelect name="refused_in" label={t.refusedIn} any={t.anyFile} options={files} />
    </Filters>
  );
}

/** The filter in the address is shown also where it is none of the choices, or these are not loaded yet. */
const withCurrent = (value: string | null, options: readonly SelectOption[]): readonly SelectOption[] =>
  value === null || options.some(([known]) => known === value) ? options : [...options, [value, value]];

function GroupNotice({ id }: { readonly id: string }): JSX.Element {
  const location = useLocation();
  return (
    <Notice tone="neutral">
      <p class="anywhere">
        {t.group(id)} <Link href={withQuery(location, { group_id: undefined })}>{t.allItems}</Link>
      </p>
    </Notice>
  );
}

function Found({
  found,
  sources,
  isFiltered,
}: {
  readonly found: ListedItems;
  readonly sources: readonly Source[];
  readonly isFiltered: boolean;
}): JSX.Element {
  const { items, next, isSearching, problem, reload } = found;
  const location = useLocation();
  const isFirst = !location.query.has("cursor");
  if (problem)
    return (
      <>
        <ProblemMessage problem={problem} onRetry={reload} />
        {!isFirst && <Link href={withQuery(location, { cursor: undefined })}>{t.firstPage}</Link>}
      </>
    );
  if (items === undefined) return <Loading />;
  if (items.length === 0 && next === null && !isSearching)
    return isFirst ? <Nothing isFiltered={isFiltered} /> : <NoMore />;
  return (
    <div class="results" aria-busy={isSearching}>
      {items.length > 0 && (
        <Table label={t.list} rows={items} keyOf={({ id }) => id} columns={columnsOf(sources)} />
      )}
      <Further found={items.length} next={next} isSearching={isSearching} />
    </div>
  );
}

/** How to go on: to the next page, or with a search that has not seen everything yet. */
function Further({
  found,
  next,
  isSearching,
}: {
  readonly found: number;
  readonly next: string | null;
  readonly isSearching: boolean;
}): JSX.Element {
  const location = useLocation();
  const isPartial = next !== null && found < PAGE;
  return (
    <>
      <p role="status" class="muted small">
        {isSearching ? t.searching : foundText(found, next, location)}
      </p>
      {!isSearching && isPartial && <Link href={withQuery(location, { cursor: next })}>{t.goOn}</Link>}
      {(isSearching || !isPartial) && <Pager next={isSearching ? null : next} />}
    </>
  );
}

function foundText(found: number, next: string | null, { query }: Location): string {
  if (next !== null) return found < PAGE ? t.soFar(found) : "";
  return !query.has("cursor") && FILTERS.some((name) => query.has(name)) ? t.matches(found) : "";
}

function NoMore(): JSX.Element {
  const location = useLocation();
  return (
    <Empty>
      <p>{t.noMore}</p>
      <Link href={withQuery(location, { cursor: undefined })}>{t.firstPage}</Link>
    </Empty>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  const { href } = useThisCatalog();
  const query = useLocation().query.get("q");
  if (isFiltered)
    return (
      <Empty>
        <p>{t.noMatch}</p>
        {query !== null && <RejectedItems query={query} />}
        <Link href={href("/items")}>{t.clear}</Link>
      </Empty>
    );
  return <NothingYet title={t.empty.title}>{t.empty.text}</NothingYet>;
}

const TONES: Readonly<Record<string, Tone>> = { in_stock: "ok", out_of_stock: "attention" };

export function Availability({ of }: { readonly of: string }): JSX.Element {
  return <Badge tone={TONES[of] ?? "neutral"}>{t.availabilities[of] ?? of}</Badge>;
}

function columnsOf(sources: readonly Source[]): readonly TableColumn<ItemSummary>[] {
  const nameOf = new Map(sources.map(({ id, name }) => [id, name]));
  return [
    { head: t.item, kind: "heading", cell: ({ id, title }) => <ItemLink id={id} title={title} /> },
    { head: t.brand, cell: ({ brand }) => brand ?? <span class="muted">{t.noBrand}</span> },
    {
      head: t.price,
      kind: "number",
      cell: ({ price }) => <span class="nowrap">{`${price.amount} ${price.currency}`}</span>,
    },
    { head: t.availability, cell: ({ availability }) => <Availability of={availability} /> },
    {
      head: t.source,
      cell: ({ source_id: id }) => (id === null ? t.pushed : (nameOf.get(id) ?? id)),
    },
    {
      head: t.score,
      kind: "number",
      cell: ({ score }) => score ?? <span class="muted">{t.notScored}</span>,
    },
    {
      head: t.findings,
      kind: "number",
      cell: ({ findings }) => (findings === null ? "" : formatNumber(findings)),
    },
  ];
}
