/** The items and the size of a file over time. */
import type { JSX } from "preact";
import type { FeedFileName } from "../../../src/contract/feeds.ts";
import type { Render, RendersAnswer } from "../../../src/contract/renders.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useReload } from "../events.tsx";
import { formatBytes, formatNumber } from "../format.ts";
import { feedTexts } from "../messages/feeds.ts";
import { refusedIn } from "../refused.ts";
import { pathWith, useLocation } from "../router.tsx";
import { useData } from "../use-data.ts";
import { LineChart } from "./chart.tsx";
import { RenderState } from "./render-state.tsx";
import { Pager, Table } from "./table.tsx";
import { Await, Badge, Empty, Section, Time } from "./ui.tsx";

const texts = feedTexts.history;

export function FeedHistory({ file }: { readonly file: FeedFileName }): JSX.Element {
  const { query } = useLocation();
  const loaded = useData<Wire<typeof RendersAnswer>>(
    pathWith("/renders", { limit: 50, cursor: query.get("cursor") }),
  );
  useReload(loaded.reload, { run: () => true });
  return (
    <Await loaded={loaded}>
      {({ renders, next_cursor: next }) =>
        renders.length === 0 ? (
          <Empty>
            <p>{texts.empty}</p>
          </Empty>
        ) : (
          <>
            <Charts file={file} renders={renders} />
            <Section title={texts.list}>
              <Renders file={file} renders={renders} />
              <Pager next={next} />
            </Section>
          </>
        )
      }
    </Await>
  );
}

type OfFile = { readonly file: FeedFileName; readonly renders: readonly Render[] };

const fileIn = (render: Render, file: FeedFileName) => render.files.find((one) => one.file === file);

function Charts({ file, renders }: OfFile): JSX.Element {
  const points = renders
    .flatMap((render) => {
      const found = fileIn(render, file);
      return found && render.finished_at !== null ? [{ at: render.finished_at, ...found }] : [];
    })
    .toReversed();
  if (points.length < 2) return <p class="muted">{texts.few}</p>;
  return (
    <div class="charts">
      <Section title={texts.items}>
        <LineChart label={texts.items} points={points.map(({ at, written }) => ({ at, value: written }))} />
      </Section>
      <Section title={texts.size}>
        <LineChart
          label={texts.size}
          points={points.map(({ at, bytes }) => ({ at, value: bytes }))}
          format={formatBytes}
        />
      </Section>
    </div>
  );
}

function Renders({ file, renders }: OfFile): JSX.Element {
  type RenderedFile = Render["files"][number];
  const figure = (render: Render, read: (file: RenderedFile) => number, format = formatNumber) => {
    const found = fileIn(render, file);
    return found && format(read(found));
  };
  return (
    <Table
      label={texts.tableOf(file)}
      rows={renders}
      keyOf={({ run_id: id }) => id}
      columns={[
        {
          head: texts.time,
          kind: "heading",
          cell: ({ finished_at: finished, queued_at: queued }) => <Time at={finished ?? queued} />,
        },
        { head: texts.cause, cell: ({ cause }) => texts.causes[cause] ?? cause },
        { head: feedTexts.items, kind: "number", cell: (render) => figure(render, ({ written }) => written) },
        { head: feedTexts.refused, kind: "number", cell: (render) => figure(render, refusedIn) },
        {
          head: feedTexts.size,
          kind: "number",
          cell: (render) => figure(render, ({ bytes }) => bytes, formatBytes),
        },
        { head: texts.result, cell: (render) => <Result render={render} file={file} /> },
      ]}
    />
  );
}

function Result({ render, file }: { readonly render: Render; readonly file: FeedFileName }): JSX.Element {
  // Held, or decided about.
  if (render.exceeded.length > 0 && !render.is_published) return <RenderState render={render} />;
  if (render.status === "failed")
    return (
      <>
        <Badge tone="bad">{texts.failed}</Badge> <span class="small">{render.error?.message}</span>
      </>
    );
  if (render.status === "running") return <Badge tone="neutral">{texts.running}</Badge>;
  return (
    <>
      {fileIn(render, file)?.changed === true ? texts.changed : texts.same}{" "}
      {render.is_published && <Badge tone="ok">{texts.current}</Badge>}
    </>
  );
}
