/** The sources of a catalog: how each is, and when it is synced. */
import type { JSX } from "preact";
import type { Source } from "../../../src/contract/sources.ts";
import { useThisCatalog } from "../catalog.ts";
import { NextSync } from "../components/next-sync.tsx";
import { useSources } from "../components/runs.tsx";
import { SourceBadge, SourceSwitch, SyncButton, TrySyncButton } from "../components/source-actions.tsx";
import { LiveRun } from "../components/sync-result.tsx";
import { Table } from "../components/table.tsx";
import { Await, PageHeading, Time } from "../components/ui.tsx";
import { NothingYet } from "../components/ways-in.tsx";
import { useReload } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { Link } from "../router.tsx";

const text = setupText.sources;

export function SourcesPage(): JSX.Element {
  const { href } = useThisCatalog();
  const loaded = useSources();
  useReload(loaded.reload, { run: ({ kind }) => kind === "sync" });
  return (
    <>
      <PageHeading title={text.title}>
        <div class="buttons">
          <Link class="button" href={href("/upload")}>
            {text.upload}
          </Link>
          <Link class="button primary" href={href("/sources/new")}>
            {text.connect}
          </Link>
        </div>
      </PageHeading>
      <Await loaded={loaded}>
        {({ sources }) =>
          sources.length === 0 ? (
            <NothingYet>{text.empty}</NothingYet>
          ) : (
            <SourceTable sources={sources} onChange={loaded.reload} />
          )
        }
      </Await>
    </>
  );
}

function SourceTable({
  sources,
  onChange,
}: {
  readonly sources: readonly Source[];
  readonly onChange: () => void;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Table
      label={text.label}
      rows={sources}
      keyOf={({ id }) => id}
      columns={[
        {
          head: text.name,
          kind: "heading",
          cell: ({ id, name }) => <Link href={href(`/sources/${id}`)}>{name}</Link>,
        },
        { head: text.state, kind: "text", cell: (source) => <SourceState source={source} /> },
        {
          head: text.items,
          kind: "number",
          cell: ({ item_count: items }) => formatNumber(items),
        },
        { head: text.last, cell: (source) => <LastSync source={source} /> },
        { head: text.next, cell: (source) => <NextOfSource source={source} /> },
        {
          head: text.actions,
          kind: "actions",
          cell: (source) => <SourceButtons source={source} onChange={onChange} />,
        },
      ]}
    />
  );
}

function SourceState({ source }: { readonly source: Source }): JSX.Element {
  const { last_run: last, reason } = source;
  const why = last?.error ? last.error.message : reason;
  const { status, message } = source.shop_webhooks ?? {};
  return (
    <>
      <SourceBadge source={source} />
      {why !== null && <p class="small muted source-error">{why}</p>}
      {status === "off" && <p class="small muted source-error">{text.webhooksOff(message ?? "")}</p>}
    </>
  );
}

export function LastSync({ source: { last_run: last } }: { readonly source: Source }): JSX.Element {
  const { href } = useThisCatalog();
  if (!last) return <span class="muted">{text.never}</span>;
  return (
    <Link href={href(`/runs/${last.run_id}`)}>
      {last.finished_at === null ? text.states.running : <Time at={last.finished_at} />}
    </Link>
  );
}

export function NextOfSource({ source }: { readonly source: Source }): JSX.Element {
  const { enabled, next_run_at: next, last_run: last } = source;
  if (!enabled) return <span class="muted">{text.noNext}</span>;
  if (next === null) return <span class="muted">{text.noNextInCopy}</span>;
  return <NextSync at={next} isRunning={last?.status === "running"} />;
}

function SourceButtons({
  source,
  onChange,
}: {
  readonly source: Source;
  readonly onChange: () => void;
}): JSX.Element {
  const { last_run: last } = source;
  if (last?.status === "running")
    return <LiveRun hasSource key={last.run_id} runId={last.run_id} onEnd={onChange} />;
  return (
    <div class="row-actions">
      <SyncButton isInList source={source} onStarted={onChange} />
      <TrySyncButton isInList kind="quiet" source={source} />
      <SourceSwitch isInList kind="quiet" source={source} onChange={onChange} />
    </div>
  );
}
