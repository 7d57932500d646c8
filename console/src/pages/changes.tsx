/** The log of changes: who changed what. */
import { CATALOG_SETTINGS, SETTING_NAMES } from "../../../src/contract/catalog-setting-table.ts";
import type { JSX } from "preact";
import type { ChangesAnswer } from "../../../src/contract/changes.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { Pager, Table } from "../components/table.tsx";
import type { TableColumn } from "../components/table.tsx";
import { Await, Badge, Empty, PageHeading, Time } from "../components/ui.tsx";
import { changeTexts as t } from "../messages/changes.ts";
import { t as common } from "../messages.ts";
import { Link, pathWith, useLocation } from "../router.tsx";
import { useData } from "../use-data.ts";

type Change = Wire<typeof ChangesAnswer>["data"]["changes"][number];

export function ChangesPage(): JSX.Element {
  const catalog = useThisCatalog();
  const { query } = useLocation();
  const loaded = useData<Wire<typeof ChangesAnswer>>(
    pathWith("/changes", { limit: 50, cursor: query.get("cursor") }),
  );
  return (
    <>
      <PageHeading title={t.title} />
      <p class="muted">{t.intro}</p>
      <Await loaded={loaded}>
        {({ changes, next_cursor: next }) =>
          changes.length === 0 ? (
            <Empty>
              <p>{t.empty}</p>
              <Link href={catalog.href("/settings")}>{t.goSettings}</Link>
            </Empty>
          ) : (
            <>
              <Table
                label={t.tableLabel}
                rows={changes}
                columns={columns(catalog.href)}
                keyOf={({ id }) => id}
              />
              <Pager next={next} />
            </>
          )
        }
      </Await>
    </>
  );
}

const PAGES = { source: "/sources", webhook: "/webhooks", delivery: "/deliveries" } as const;

/** A page about what was changed, where there is one. It may be gone by now, and then says so. */
function TargetLinks({
  of,
  href,
}: {
  readonly of: Change;
  readonly href: (page: string) => string;
}): JSX.Element {
  const { target, run_id: runId, run_status: status } = of;
  const type = target.type as keyof typeof PAGES;
  return (
    <span class="small links">
      {Object.hasOwn(PAGES, type) && target.id !== null && (
        <Link href={href(`${PAGES[type]}/${target.id}`)}>{t.open[type]}</Link>
      )}
      {runId !== null && <Link href={href(`/runs/${runId}`)}>{t.open.run}</Link>}
      {status === "failed" && <Badge tone="bad">{common.run.status.failed}</Badge>}
    </span>
  );
}

/** Settings of the catalog are named as on the page of settings; others as in the API. */
function nameOf(field: string, { type }: Change["target"]): string {
  const name = SETTING_NAMES.find((setting) => field === `settings.${setting}`);
  return type === "catalog" && name !== undefined ? CATALOG_SETTINGS[name].label : field;
}

const columns = (href: (page: string) => string): readonly TableColumn<Change>[] => [
  {
    head: t.columns.what,
    kind: "heading",
    cell: (change) => (
      <>
        {t.calls[change.call] ?? <code>{change.call}</code>} <TargetLinks of={change} href={href} />
      </>
    ),
  },
  { head: t.columns.at, cell: ({ at }) => <Time at={at} /> },
  {
    head: t.columns.by,
    cell: ({ by: { name, key } }) => (
      <>
        <span class="url">{name}</span>
        <div class="small muted">{key === null ? t.command : <code>{key}</code>}</div>
      </>
    ),
  },
  {
    head: t.columns.fields,
    cell: ({ target }) => (
      <span class="url">{target.fields.map((field) => nameOf(field, target)).join(", ")}</span>
    ),
  },
  {
    head: t.columns.request,
    cell: ({ request_id: id }) => (id === null ? "" : <code class="small muted">{id}</code>),
  },
];
