/** The four files of a catalog with their figures. */
import type { JSX } from "preact";
import type { CatalogStatus } from "../../../src/contract/status.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatBytes, formatNumber } from "../format.ts";
import { feedTexts as texts } from "../messages/feeds.ts";
import { refusedIn } from "../refused.ts";
import { Link } from "../router.tsx";
import { Table } from "./table.tsx";
import type { TableColumn } from "./table.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Time } from "./ui.tsx";
import { NothingYet } from "./ways-in.tsx";

export type StatusFeed = CatalogStatus["feeds"][number];

const COLUMNS: readonly TableColumn<StatusFeed>[] = [
  { head: texts.file, kind: "heading", cell: ({ file }) => <FileName file={file} /> },
  { head: texts.items, kind: "number", cell: (feed) => figure(feed, formatNumber(feed.items)) },
  {
    head: texts.refused,
    kind: "number",
    cell: (feed) => (refusedIn(feed) > 0 ? <RefusedLink feed={feed} /> : figure(feed, formatNumber(0))),
  },
  { head: texts.size, kind: "number", cell: (feed) => figure(feed, formatBytes(feed.bytes)) },
  {
    head: texts.rendered,
    cell: ({ rendered_at: at }) => (at === null ? texts.notRendered : <Time at={at} />),
  },
  { head: texts.fetched, cell: (feed) => <LastFetched feed={feed} /> },
  {
    head: texts.url,
    kind: "actions",
    cell: ({ file, url }) =>
      url === null ? (
        <span class="small">{texts.noUrl}</span>
      ) : (
        <CopyButton text={url} label={texts.copy} about={file} />
      ),
  },
];

export function FeedTable({ feeds }: { readonly feeds: readonly StatusFeed[] }): JSX.Element {
  return (
    <div class="feed-table">
      <Table label={texts.list} rows={feeds} keyOf={({ file }) => file} columns={COLUMNS} />
    </div>
  );
}

/** A dash before the first render. */
export const figure = (feed: StatusFeed, text: string) =>
  feed.rendered_at === null ? <span class="muted">{texts.noFigure}</span> : text;

function FileName({ file }: Pick<StatusFeed, "file">): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <div class="feed-name">
      <Link href={href(`/feeds/${file}`)}>{file}</Link>
      <span class="small muted">{texts.files[file]}</span>
    </div>
  );
}

function RefusedLink({ feed }: { readonly feed: StatusFeed }): JSX.Element {
  const { href } = useThisCatalog();
  return <Link href={href(`/feeds/${feed.file}?view=refused`)}>{formatNumber(refusedIn(feed))}</Link>;
}

/** Before the first render. */
export function NotRendered(): JSX.Element {
  return <NothingYet>{texts.empty}</NothingYet>;
}

export function LastFetched({ feed }: { readonly feed: StatusFeed }): JSX.Element {
  if (feed.last_fetched_at === null) return <span class="muted">{texts.notFetched}</span>;
  return (
    <>
      <Time at={feed.last_fetched_at} />
      {feed.last_fetched_by !== null && <span class="small muted"> {texts.by(feed.last_fetched_by)}</span>}
    </>
  );
}
