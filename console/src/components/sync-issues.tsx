/** What a sync rejected or warned about: by code, then the list with search, filters and pages. */
import type { JSX } from "preact";
import type { IssuesAnswer, SyncIssue } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { SyncStats } from "../../../src/contract/syncs.ts";
import { formatNumber } from "../format.ts";
import { runsText } from "../messages/runs.ts";
import { Link, pathWith, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";
import { DownloadButton } from "./buttons.tsx";
import { ItemLink } from "./item-link.tsx";
import { Filters, FilterSelect, Pager, SearchField, Table } from "./table.tsx";
import { Await, Badge, Empty, Section } from "./ui.tsx";

const text = runsText.issues;

type Group = {
  readonly kind: SyncIssue["kind"];
  readonly code: string;
  readonly count: number;
  readonly example: string | undefined;
};

function groupsOf(stats: SyncStats): readonly Group[] {
  const groups = (
    kind: Group["kind"],
    counts: SyncStats["warning_codes"],
    known: SyncStats["warning_examples"],
  ) =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([code, count]) => ({
        kind,
        code,
        count,
        example: known.find((one) => one.code === code)?.message,
      }));
  return [
    ...groups("rejection", stats.rejection_codes, stats.rejections),
    ...groups("warning", stats.warning_codes, stats.warning_examples),
  ];
}

function KindBadge({ kind }: { readonly kind: SyncIssue["kind"] }): JSX.Element {
  return <Badge tone={kind === "rejection" ? "bad" : "attention"}>{text.kinds[kind]}</Badge>;
}

export function SyncIssues({
  runId,
  stats,
  isStored,
}: {
  readonly runId: string;
  readonly stats: SyncStats;
  /** The run succeeded. */
  readonly isStored: boolean;
}): JSX.Element {
  const location = useLocation();
  const groups = groupsOf(stats);
  if (groups.length === 0 && stats.rejected + stats.warnings === 0)
    return (
      <Section title={text.title}>
        <p class="muted">{text.none}</p>
      </Section>
    );
  return (
    <>
      <Section title={text.title}>
        <Table
          label={text.byCode}
          rows={groups}
          keyOf={({ kind, code }) => kind + code}
          columns={[
            {
              head: text.code,
              kind: "heading",
              cell: ({ kind, code }) => (
                <Link href={withQuery(location, { kind, code, q: "" })}>
                  <code>{code}</code>
                </Link>
              ),
            },
            { head: text.kind, cell: ({ kind }) => <KindBadge kind={kind} /> },
            { head: text.count, kind: "number", cell: ({ count }) => formatNumber(count) },
            { head: text.example, kind: "text", cell: ({ example }) => example },
          ]}
        />
      </Section>
      <IssueList runId={runId} groups={groups} isStored={isStored} />
    </>
  );
}

function IssueList({
  runId,
  groups,
  isStored,
}: {
  readonly runId: string;
  readonly groups: readonly Group[];
  readonly isStored: boolean;
}): JSX.Element {
  const location = useLocation();
  const { query } = location;
  const filter = { kind: query.get("kind"), code: query.get("code"), q: query.get("q") };
  const path = `/syncs/${runId}/issues`;
  const issues = useData<Wire<typeof IssuesAnswer>>(
    pathWith(path, { ...filter, cursor: query.get("cursor"), limit: 25 }),
  );
  return (
    <Section
      title={text.list}
      actions={
        <DownloadButton path={pathWith(`${path}.csv`, filter)} fileName={`sync-${runId}-issues.csv`} />
      }
    >
      <IssueFilters groups={groups} />
      <Await loaded={issues}>
        {({ issues: page, raised, stored, next_cursor: next }) => (
          <>
            <p class="small muted">{text.rowsHelp}</p>
            {stored < raised && (
              <p class="small muted">{text.kept(formatNumber(raised), formatNumber(stored))}</p>
            )}
            {page.length === 0 ? (
              <Empty>
                <p>{text.nothingFound}</p>
                <Link href={withQuery(location, { kind: "", code: "", q: "" })}>{text.clear}</Link>
              </Empty>
            ) : (
              <IssueTable issues={page} label={text.table} isStored={isStored} />
            )}
            <Pager next={next} />
          </>
        )}
      </Await>
    </Section>
  );
}

function IssueFilters({ groups }: { readonly groups: readonly Group[] }): JSX.Element {
  const codes = [...new Set(groups.map(({ code }) => code))].sort();
  return (
    <Filters>
      <SearchField label={text.search} />
      <FilterSelect
        name="kind"
        label={text.kind}
        any={text.anyKind}
        options={[
          ["rejection", text.rejections],
          ["warning", text.warnings],
        ]}
      />
      <FilterSelect
        name="code"
        label={text.code}
        any={text.anyCode}
        options={codes.map((code) => [code, code] as const)}
      />
    </Filters>
  );
}

export function IssueTable({
  issues,
  label,
  isStored = false,
}: {
  readonly issues: readonly SyncIssue[];
  readonly label: string;
  /** Items with warnings are in the catalog. */
  readonly isStored?: boolean;
}): JSX.Element {
  return (
    <Table
      label={label}
      rows={issues.map((issue, index) => ({ ...issue, index }))}
      keyOf={({ index }) => String(index)}
      columns={[
        {
          head: text.position,
          kind: "number",
          cell: ({ position }) => (position === null ? "" : formatNumber(position)),
        },
        {
          head: text.item,
          kind: "heading",
          cell: ({ item_id: id, position, kind }) =>
            id === null ? (
              position === null && <span class="muted">{text.wholeSource}</span>
            ) : (
              <span class="id">{isStored && kind === "warning" ? <ItemLink id={id} /> : id}</span>
            ),
        },
        { head: text.kind, cell: ({ kind }) => <KindBadge kind={kind} /> },
        { head: text.field, cell: ({ field }) => field !== null && <code>{field}</code> },
        { head: text.message, kind: "text", cell: ({ message }) => message },
        { head: text.code, cell: ({ code }) => <code>{code}</code> },
      ]}
    />
  );
}
