/** A sync from its begin to the feeds: live progress, the ledger or the failure, and then where the feeds are. */
import type { ComponentChildren, JSX } from "preact";
import type { FeedsAnswer } from "../../../src/contract/feeds.ts";
import type { Run, RunAnswer, SyncAnswer } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { setupText } from "../messages/setup.ts";
import { Link } from "../router.tsx";
import { useData } from "../use-data.ts";
import { FileUses } from "./file-uses.tsx";
import { HeldRender } from "./held-render.tsx";
import { Ledger } from "./ledger.tsx";
import { RunProgress } from "./run-progress.tsx";
import { CancelButton, FailureNotice, isUnpublished } from "./runs.tsx";
import { Table } from "./table.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Await, Section } from "./ui.tsx";

const text = setupText.result;

export function SyncResult({
  runId,
  repair,
}: {
  readonly runId: string;
  /** What the user can do if it failed. */
  readonly repair: (error: NonNullable<Run["error"]>) => ComponentChildren;
}): JSX.Element {
  const run = useData<Wire<typeof RunAnswer>>(`/runs/${runId}`);
  return (
    <Await loaded={run}>
      {({ status, error, source_id: sourceId }) =>
        status === "running" ? (
          <LiveRun runId={runId} hasSource={sourceId !== null} onEnd={run.reload} />
        ) : error !== null ? (
          <>
            <FailureNotice error={error} kind="sync" isPush={sourceId === null}>
              {repair(error)}
            </FailureNotice>
            <RunLink runId={runId} />
          </>
        ) : (
          <SyncDone runId={runId} />
        )
      }
    </Await>
  );
}

/** The progress of a sync, and a way to cancel it. */
export function LiveRun({
  runId,
  hasSource,
  onEnd,
}: {
  readonly runId: string;
  readonly hasSource: boolean;
  readonly onEnd: (run: Run) => void;
}): JSX.Element {
  return (
    <div class="buttons">
      <RunProgress runId={runId} onEnd={onEnd} />
      <CancelButton runId={runId} hasSource={hasSource} />
    </div>
  );
}

function RunLink({ runId }: { readonly runId: string }): JSX.Element {
  const { href } = useThisCatalog();
  return <Link href={href(`/runs/${runId}`)}>{text.details}</Link>;
}

function SyncDone({ runId }: { readonly runId: string }): JSX.Element {
  const sync = useData<Wire<typeof SyncAnswer>>(`/syncs/${runId}`);
  const { href } = useThisCatalog();
  return (
    <Await loaded={sync}>
      {({ stats, render_run_id: renderId }) => (
        <>
          <Section title={text.syncTitle} actions={<RunLink runId={runId} />}>
            <Ledger stats={stats} />
            {stats.rejections[0] && (
              <p class="small anywhere">
                {text.firstRejection(stats.rejections[0].message)}{" "}
                <Link href={href(`/runs/${runId}?kind=rejection`)}>{text.allRejections}</Link>
              </p>
            )}
          </Section>
          <FeedsAfter renderId={renderId} />
        </>
      )}
    </Await>
  );
}

/** The feed URLs, once the render after the sync has written the files. */
function FeedsAfter({ renderId }: { readonly renderId: string | null }): JSX.Element {
  const { href } = useThisCatalog();
  const render = useData<Wire<typeof RunAnswer>>(renderId === null ? null : `/runs/${renderId}`);
  if (renderId !== null && render.data && isUnpublished(render.data))
    return (
      <Section title={text.feedsTitle}>
        <HeldRender id={renderId} />
      </Section>
    );
  if (renderId !== null && render.data?.status !== "succeeded")
    return (
      <Section title={text.feedsTitle}>
        {render.data?.error ? (
          <FailureNotice error={render.data.error} kind="render">
            <RunLink runId={renderId} />
          </FailureNotice>
        ) : (
          <RunProgress runId={renderId} onEnd={render.reload} />
        )}
      </Section>
    );
  return (
    <>
      <FeedUrls />
      <p class="buttons">
        <Link class="button primary" href={href("")}>
          {text.overview}
        </Link>
      </p>
    </>
  );
}

function FeedUrls(): JSX.Element {
  const feeds = useData<FeedsAnswer>("/feeds");
  const { href } = useThisCatalog();
  return (
    <Await loaded={feeds}>
      {(data) => (
        <>
          <Section title={text.feedsTitle}>
            <p>{text.feedsIntro}</p>
            <Table
              label={text.feedTable}
              rows={data.feeds}
              keyOf={({ file }) => file}
              columns={[
                {
                  head: text.file,
                  kind: "heading",
                  cell: ({ file }) => <Link href={href(`/feeds/${file}`)}>{file}</Link>,
                },
                { head: text.url, kind: "text", cell: ({ url }) => <code class="url">{url}</code> },
                {
                  head: text.copy,
                  kind: "actions",
                  cell: ({ file, url }) => <CopyButton text={url} label={text.copy} about={file} />,
                },
              ]}
            />
          </Section>
          <Section title={text.destinations}>
            <FileUses feeds={data.feeds} />
          </Section>
        </>
      )}
    </Await>
  );
}
