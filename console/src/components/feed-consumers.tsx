/** Who fetched the files, which render they got, and whether they have what is published. */
import type { JSX } from "preact";
import type { FeedConsumer, FetchesAnswer } from "../../../src/contract/feed-fetches.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { useReload } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { feedTexts } from "../messages/feeds.ts";
import { Link } from "../router.tsx";
import { useData } from "../use-data.ts";
import { Table } from "./table.tsx";
import type { TableColumn } from "./table.tsx";
import { Await, Badge, Empty, Section, Time } from "./ui.tsx";

const t = feedTexts.consumers;

export function FeedConsumers(): JSX.Element {
  const { href } = useThisCatalog();
  const loaded = useData<Wire<typeof FetchesAnswer>>("/feeds/fetches");
  useReload(loaded.reload, { run: ({ kind, status }) => kind === "render" && status !== "running" });
  return (
    <Section title={t.title}>
      <p class="muted">{t.intro}</p>
      <Await loaded={loaded}>
        {({ consumers }) =>
          consumers.length === 0 ? (
            <Empty>
              <p>{t.empty}</p>
            </Empty>
          ) : (
            <Table
              label={t.label}
              rows={consumers}
              columns={columnsOf(href)}
              keyOf={({ file, consumer }) => `${file} ${consumer}`}
            />
          )
        }
      </Await>
    </Section>
  );
}

const columnsOf = (href: (page: string) => string): readonly TableColumn<FeedConsumer>[] => [
  {
    head: t.consumer,
    kind: "heading",
    cell: ({ consumer, file }) => (
      <>
        {t.names[consumer] ?? consumer}
        <div class="small muted">{file}</div>
      </>
    ),
  },
  {
    head: t.last,
    cell: ({ last_fetched_at: at, last_status: status }) => (
      <>
        <Time at={at} />
        <div class="small muted">{t.statuses[status] ?? status}</div>
      </>
    ),
  },
  {
    head: t.got,
    cell: ({ render_run_id: run, rendered_at: at }) =>
      at === null ? (
        <span class="muted">{t.notKept}</span>
      ) : (
        <Link href={href(`/renders/${run}`)}>
          <Time at={at} />
        </Link>
      ),
  },
  { head: t.state, cell: (consumer) => <Behind consumer={consumer} /> },
  { head: t.fetches, kind: "number", cell: ({ fetches }) => formatNumber(fetches) },
];

function Behind({
  consumer: { renders_behind: behind, is_known: isKnown },
}: {
  readonly consumer: FeedConsumer;
}): JSX.Element {
  if (behind === 0) return <Badge tone="ok">{t.current}</Badge>;
  // A program that fetched once is of no concern.
  return <Badge tone={isKnown && behind > 1 ? "attention" : "neutral"}>{t.behind(behind)}</Badge>;
}
