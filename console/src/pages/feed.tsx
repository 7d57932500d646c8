/** One file: its figures, its content, what is not in it, its history, and how to use it. */
import type { JSX } from "preact";
import type { FeedFileName, FeedsAnswer } from "../../../src/contract/feeds.ts";
import { FileUses } from "../components/file-uses.tsx";
import { FeedHistory } from "../components/feed-history.tsx";
import { FeedPreview } from "../components/feed-preview.tsx";
import { figure, LastFetched, NotRendered } from "../components/feed-table.tsx";
import type { StatusFeed } from "../components/feed-table.tsx";
import { RefusedItems } from "../components/refused-items.tsx";
import { PreviousUrls } from "../components/rotate-feeds.tsx";
import { CopyLine } from "../components/copy-button.tsx";
import { Await, PageHeading, Stats, Tabs, Time } from "../components/ui.tsx";
import { useThisCatalog } from "../catalog.ts";
import { useReload } from "../events.tsx";
import { formatBytes, formatNumber } from "../format.ts";
import { feedTexts as texts } from "../messages/feeds.ts";
import { t } from "../messages.ts";
import { refusedIn } from "../refused.ts";
import { Link, useLocation } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";
import { useStatus } from "../use-status.ts";

export function FeedPage({ params }: PageProps): JSX.Element {
  const catalog = useThisCatalog();
  const status = useStatus();
  const feeds = useData<FeedsAnswer>("/feeds");
  useReload(feeds.reload, { run: () => true });
  const file = params["file"] ?? "";
  if (!isFeedFile(file))
    return (
      <>
        <PageHeading title={t.notFound.title} />
        <p>{t.notFound.text}</p>
        <Link href={catalog.href("/feeds")}>{texts.title}</Link>
      </>
    );
  return (
    <>
      <div>
        <PageHeading title={file} />
        <p class="muted">{texts.files[file]}</p>
        <Url url={feeds.data?.feeds.find((one) => one.file === file)?.url} />
      </div>
      <PreviousUrls until={feeds.data?.previous_until} />
      <Await loaded={status}>
        {(data) => {
          const feed = data.feeds.find((one) => one.file === file);
          return feed && <Figures feed={feed} />;
        }}
      </Await>
      <Await loaded={feeds}>
        {(data) =>
          data.last_render === null ? (
            <NotRendered />
          ) : (
            <Views
              file={file}
              feeds={data.feeds}
              runId={data.last_render.run_id}
              figures={status.data?.feeds.find((one) => one.file === file)}
            />
          )
        }
      </Await>
    </>
  );
}

const isFeedFile = (name: string): name is FeedFileName => Object.hasOwn(texts.files, name);

function Url({ url }: { readonly url: string | undefined }): JSX.Element {
  return <div class="feed-url">{url !== undefined && <CopyLine text={url} label={texts.copy} />}</div>;
}

function Figures({ feed }: { readonly feed: StatusFeed }): JSX.Element {
  const { items, bytes, rendered_at: rendered, changed_at: changed } = feed;
  return (
    <div class="figures">
      <Stats
        entries={[
          { name: texts.items, value: figure(feed, formatNumber(items)) },
          { name: texts.refused, value: figure(feed, formatNumber(refusedIn(feed))) },
          { name: texts.size, value: figure(feed, formatBytes(bytes)) },
          {
            name: texts.rendered,
            value: rendered === null ? texts.notRendered : <Time at={rendered} />,
            ...(changed !== null && {
              note: (
                <>
                  {texts.changed} <Time at={changed} />
                </>
              ),
            }),
          },
          { name: texts.fetched, value: <LastFetched feed={feed} /> },
        ]}
      />
    </div>
  );
}

const VIEWS = ["preview", "refused", "history", "use"] as const;
type View = (typeof VIEWS)[number];

type ViewProps = {
  readonly file: FeedFileName;
  readonly feeds: FeedsAnswer["data"]["feeds"];
  /** The render that the URLs serve. */
  readonly runId: string;
  readonly figures: StatusFeed | undefined;
};

function Views(props: ViewProps): JSX.Element {
  const { path, query } = useLocation();
  const view = VIEWS.find((one) => one === query.get("view")) ?? "preview";
  const names: Readonly<Record<View, string>> = {
    preview: texts.tabs.preview,
    refused: props.figures ? texts.tabs.refused(formatNumber(refusedIn(props.figures))) : texts.refused,
    history: texts.tabs.history,
    use: texts.tabs.destinations,
  };
  const Shown = CONTENTS[view];
  return (
    <>
      <Tabs
        label={texts.tabs.label}
        tabs={VIEWS.map((one) => ({
          href: one === "preview" ? path : `${path}?view=${one}`,
          text: names[one],
          isCurrent: one === view,
        }))}
      />
      <Shown {...props} />
    </>
  );
}

const CONTENTS: Readonly<Record<View, (props: ViewProps) => JSX.Element>> = {
  preview: ({ file, feeds, runId, figures }) => (
    <FeedPreview
      previewed={{
        file,
        url: feeds.find((one) => one.file === file)?.url ?? "",
        items: figures?.items,
        bytes: figures?.bytes,
        version: runId,
      }}
    />
  ),
  refused: ({ file, runId }) => <RefusedItems file={file} runId={runId} />,
  history: ({ file }) => <FeedHistory file={file} />,
  use: ({ file, feeds }) => <FileUses feeds={feeds} file={file} />,
};
