/** The four files of a catalog with their figures. */
import type { JSX } from "preact";
import type { CatalogStatus } from "../../../src/contract/status.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatBytes, formatNumber } from "../format.ts";
import { feedTexts as texts } from "../messages/feeds.ts";
import { Link } from "../router.tsx";
import { Table } from "./table.tsx";
import { CopyButton, Time } from "./ui.tsx";

export type StatusFeed = CatalogStatus["feeds"][number];

export function FeedTable({ feeds }: { readonly feeds: readonly StatusFeed[] }): JSX.Element {
  const { href } = useThisCatalog();
  const figure = (feed: StatusFeed, text: string) =>
    feed.rendered_at === null ? <span class="muted">{texts.noFigure}</span> : text;
  return (
    <div class="feed-table">
      <Table
        label={texts.list}
        rows={feeds}
        keyOf={({ file }) => file}
        columns={[
          {
            head: texts.file,
            kind: "heading",
            cell: ({ file }) => (
              <div class="feed-name">
                <Link href={href(`/feeds/${file}`)}>{file}</Link>
                <span class="small muted">{texts.files[file]}</span>
              </div>
            ),
          },
          {
            head: texts.items,
            kind: "number",
            cell: (feed) => figure(feed, formatNumber(feed.items)),
          },
          {
            head: texts.leftOut,
            kind: "number",
            cell: ({ file, excluded }) =>
              excluded > 0 ? (
                <Link href={href(`/feeds/${file}?view=left-out`)}>{formatNumber(excluded)}</Link>
              ) : (
                formatNumber(excluded)
              ),
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
            cell: ({ url }) =>
              url === null ? (
                <span class="small">{texts.noUrl}</span>
              ) : (
                <CopyButton text={url} label={texts.copy} />
              ),
          },
        ]}
      />
    </div>
  );
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
