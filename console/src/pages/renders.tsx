/** The renders of a catalog: what was published, what is held, and what was decided. */
import type { JSX } from "preact";
import type { Render, RendersAnswer } from "../../../src/contract/renders.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { RenderState } from "../components/render-state.tsx";
import { Pager, Table } from "../components/table.tsx";
import type { TableColumn } from "../components/table.tsx";
import { Await, PageHeading, Time } from "../components/ui.tsx";
import { NothingYet } from "../components/ways-in.tsx";
import { useReload } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { compareTexts } from "../messages/compare.ts";
import { renderTexts as t } from "../messages/renders.ts";
import { feedTexts } from "../messages/feeds.ts";
import { Link, pathWith, useLocation } from "../router.tsx";
import { useData } from "../use-data.ts";

const PAGE = 50;

export function RendersPage(): JSX.Element {
  const { href } = useThisCatalog();
  const { query } = useLocation();
  const loaded = useData<Wire<typeof RendersAnswer>>(
    pathWith("/renders", { limit: PAGE, cursor: query.get("cursor") }),
  );
  useReload(loaded.reload, { run: ({ kind }) => kind === "render" });
  return (
    <>
      <PageHeading title={t.title}>
        <Link href={href("/renders/compare")}>{compareTexts.open}</Link>
      </PageHeading>
      <p class="muted">{t.intro}</p>
      <Await loaded={loaded}>
        {({ renders, next_cursor: next }) =>
          renders.length === 0 ? (
            <NothingYet>{t.empty}</NothingYet>
          ) : (
            <>
              <Table
                label={t.tableLabel}
                rows={renders}
                columns={columnsOf(href)}
                keyOf={({ run_id: id }) => id}
              />
              <Pager next={next} />
            </>
          )
        }
      </Await>
    </>
  );
}

const columnsOf = (href: (page: string) => string): readonly TableColumn<Render>[] => [
  {
    head: t.columns.time,
    kind: "heading",
    cell: ({ run_id: id, finished_at: finished, queued_at: queued }) => (
      <Link href={href(`/renders/${id}`)}>
        <Time at={finished ?? queued} />
      </Link>
    ),
  },
  { head: t.columns.state, kind: "text", cell: (render) => <StateAndWhy render={render} /> },
  { head: t.columns.cause, cell: ({ cause }) => feedTexts.history.causes[cause] ?? cause },
  { head: t.columns.items, kind: "number", cell: ({ items }) => formatNumber(items) },
  {
    head: t.columns.files,
    cell: ({ files, is_kept: isKept }) =>
      files.length > 0 && (
        <>
          {t.changedFiles(files.filter(({ changed }) => changed).length)}
          {!isKept && <span class="cell-text small muted">{t.notKept}</span>}
        </>
      ),
  },
];

/** Why it was not published, or who decided. */
function StateAndWhy({ render }: { readonly render: Render }): JSX.Element {
  const { decision, exceeded, error, state } = render;
  const why = decision?.reason ?? (state === "held" ? exceeded[0]?.message : error?.message);
  return (
    <>
      <RenderState render={render} />
      {why !== undefined && <span class="cell-note small muted">{why}</span>}
    </>
  );
}
