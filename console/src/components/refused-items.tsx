/** Why items of a file will be refused or are left out: the reasons with what to do, then the items of a reason. */
import type { JSX } from "preact";
import type { FeedFileName } from "../../../src/contract/feeds.ts";
import type { Refusal, RefusalsAnswer, RenderAnswer, RenderDetail } from "../../../src/contract/renders.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { formatNumber } from "../format.ts";
import { feedTexts } from "../messages/feeds.ts";
import { Link, pathWith, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";
import { Bar } from "./chart.tsx";
import { DownloadButton } from "./buttons.tsx";
import { ItemLink } from "./item-link.tsx";
import { Remedy } from "./remedy.tsx";
import { Filters, FilterSelect, Pager, SearchField, Table } from "./table.tsx";
import { Await, Empty, Notice } from "./ui.tsx";

const texts = feedTexts.refusedView;
type Reason = RenderDetail["files"][number]["reasons"][number];

/** "missing_brand" as "Missing brand". */
const reasonName = (code: string): string => {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export function RefusedItems({
  file,
  runId,
}: {
  readonly file: FeedFileName;
  readonly runId: string;
}): JSX.Element {
  const loaded = useData<Wire<typeof RenderAnswer>>(`/renders/${runId}`);
  const { query } = useLocation();
  return (
    <Await loaded={loaded}>
      {({ items, files }) => {
        const found = files.find((one) => one.file === file);
        if (!found || found.reasons.length === 0)
          return (
            <Empty>
              <p>{texts.none}</p>
            </Empty>
          );
        return query.has("code") ? (
          <ItemsOfReason file={file} runId={runId} reasons={found.reasons} />
        ) : (
          <Reasons file={found} items={items} />
        );
      }}
    </Await>
  );
}

function Reasons({
  file: { reasons, excluded, refused },
  items,
}: {
  readonly file: RenderDetail["files"][number];
  readonly items: number;
}): JSX.Element {
  const location = useLocation();
  return (
    <>
      {refused > 0 && <p>{texts.willBeRefused(refused, items)}</p>}
      {excluded > 0 && <p>{texts.leftOut(excluded, items)}</p>}
      <Table
        label={texts.reason}
        rows={reasons}
        keyOf={({ code }) => code}
        columns={[
          {
            head: texts.reason,
            kind: "heading",
            cell: (reason) => <ReasonName reason={reason} items={items} />,
          },
          { head: texts.count, kind: "number", cell: ({ count }) => formatNumber(count) },
          {
            head: texts.remedy,
            cell: ({ code, remedy }) => (
              <div class="remedy">
                <Remedy code={code} remedy={remedy} />
              </div>
            ),
          },
          {
            head: texts.show,
            kind: "actions",
            cell: ({ code }) => (
              <Link href={withQuery(location, { code })} aria-label={`${texts.show}: ${reasonName(code)}`}>
                {texts.show}
              </Link>
            ),
          },
        ]}
      />
    </>
  );
}

function ReasonName({
  reason: { code, example, count },
  items,
}: {
  readonly reason: Reason;
  readonly items: number;
}): JSX.Element {
  const location = useLocation();
  return (
    <div class="reason">
      <Link href={withQuery(location, { code })}>{reasonName(code)}</Link>
      {example && <span class="small muted">{example.message}</span>}
      <Bar part={count / Math.max(1, items)} kind="attention" />
    </div>
  );
}

/** The value of `code` in the address for the items of every reason. */
const EVERY_REASON = "all";

type Refusals = Wire<typeof RefusalsAnswer>;

function ItemsOfReason({
  file,
  runId,
  reasons,
}: {
  readonly file: FeedFileName;
  readonly runId: string;
  readonly reasons: readonly Reason[];
}): JSX.Element {
  const location = useLocation();
  const chosen = location.query.get("code");
  const code = chosen === EVERY_REASON ? null : chosen;
  const filter = { file, code, q: location.query.get("q") };
  const path = `/renders/${runId}/refusals`;
  const loaded = useData<Refusals>(
    pathWith(path, { ...filter, cursor: location.query.get("cursor"), limit: 50 }),
  );
  const reason = reasons.find((one) => one.code === code);
  return (
    <>
      <p>
        <Link href={withQuery(location, { code: undefined, q: undefined })}>← {texts.back}</Link>
      </p>
      {reason && <ReasonHeading reason={reason} />}
      <Filters>
        <SearchField label={texts.search} />
        <FilterSelect
          name="code"
          label={texts.reason}
          options={[
            [EVERY_REASON, texts.all],
            ...reasons.map((one) => [one.code, reasonName(one.code)] as const),
          ]}
        />
        <DownloadButton path={pathWith(`${path}.csv`, filter)} fileName={texts.fileName(file)} />
      </Filters>
      <Await loaded={loaded}>{(page) => <RefusalPage page={page} reason={reason} />}</Await>
    </>
  );
}

function ReasonHeading({ reason: { code, count, remedy } }: { readonly reason: Reason }): JSX.Element {
  return (
    <div>
      <h2>
        {reasonName(code)} ({formatNumber(count)})
      </h2>
      <p>
        <Remedy code={code} remedy={remedy} />
      </p>
    </div>
  );
}

function RefusalPage({
  page: { refusals, is_complete: isComplete, next_cursor: next },
  reason,
}: {
  readonly page: Refusals["data"];
  /** All of them have it; undefined if they differ. */
  readonly reason: Reason | undefined;
}): JSX.Element {
  const location = useLocation();
  return (
    <>
      {!isComplete && <Notice tone="neutral">{texts.notComplete}</Notice>}
      {refusals.length === 0 ? (
        <Empty>
          <p>{next === null ? texts.noMatch : texts.more}</p>
          <Link href={withQuery(location, { q: undefined })}>{texts.clear}</Link>
        </Empty>
      ) : (
        <Table
          label={reason ? texts.listOf(reasonName(reason.code)) : texts.everything}
          rows={refusals}
          keyOf={({ item_id: id, code }) => `${id} ${code}`}
          columns={[
            { head: texts.item, kind: "heading", cell: ({ item_id: id }) => <ItemLink id={id} /> },
            ...(reason ? [] : [{ head: texts.reason, cell: ({ code }: Refusal) => reasonName(code) }]),
            { head: texts.field, cell: ({ field }) => field !== null && <code>{field}</code> },
            { head: texts.message, cell: ({ message }) => message },
          ]}
        />
      )}
      <Pager next={next} />
    </>
  );
}
