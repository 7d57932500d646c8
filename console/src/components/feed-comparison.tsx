/** An item in the catalog and in each feed: side by side on a wide screen, one column at a time on a phone. */
import type { JSX } from "preact";
import type { ItemAnswer } from "../../../src/contract/items.ts";
import { compareFeeds, PLACES } from "../feed-fields.ts";
import type { FieldRow, FeedPlace } from "../feed-fields.ts";
import { itemText } from "../messages/items.ts";
import { useLocation, withQuery } from "../router.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Badge, Section, Tabs } from "./ui.tsx";

const t = itemText.feeds;

type ItemData = ItemAnswer["data"];

const nameOf = (place: FeedPlace): string => (place === "stored" ? t.stored : place);

export function FeedComparison({ data }: { readonly data: ItemData }): JSX.Element {
  const location = useLocation();
  const asked = location.query.get("column");
  const current = PLACES.find((place) => place === asked) ?? "stored";
  const rows = compareFeeds(data);
  const shown = rows.filter(({ isOther }) => !isOther);
  const others = rows.filter(({ isOther }) => isOther);
  return (
    <Section title={t.title}>
      <p class="small muted">{t.note}</p>
      <div class="phone-only">
        <Tabs
          label={t.choose}
          tabs={PLACES.map((place) => ({
            href: withQuery(location, { column: place === "stored" ? undefined : place }),
            text: nameOf(place),
            isCurrent: place === current,
          }))}
        />
      </div>
      <Comparison label={t.label} rows={shown} data={data} current={current} />
      {others.length > 0 && (
        <details>
          <summary>{t.other}</summary>
          <Comparison label={t.other} rows={others} data={data} current={current} />
        </details>
      )}
      {data.feeds.map(({ file, text }) => text !== null && <Raw key={file} file={file} text={text} />)}
    </Section>
  );
}

function Comparison({
  label,
  rows,
  data,
  current,
}: {
  readonly label: string;
  readonly rows: readonly FieldRow[];
  readonly data: ItemData;
  readonly current: FeedPlace;
}): JSX.Element {
  const classOf = (place: FeedPlace) => (place === current ? "current" : "other");
  return (
    <div class="table-scroll comparison" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">{t.value}</span>
            </th>
            {PLACES.map((place) => (
              <th key={place} scope="col" class={classOf(place)}>
                {nameOf(place)} <Inclusion data={data} place={place} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label: name, values }) => (
            <tr key={key}>
              <th scope="row" class="small">
                {name}
              </th>
              {PLACES.map((place) => (
                <td key={place} class={`${classOf(place)} ${isSame(values, place) ? "same" : ""}`}>
                  <Value list={values[place]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const isSame = ({ stored = [], ...feeds }: FieldRow["values"], place: FeedPlace): boolean =>
  place !== "stored" && stored.join("\n") === feeds[place]?.join("\n");

function Inclusion({
  data,
  place,
}: {
  readonly data: ItemData;
  readonly place: FeedPlace;
}): JSX.Element | null {
  const feed = data.feeds.find(({ file }) => file === place);
  if (!feed) return null;
  if (feed.refusal === null) return <Badge tone="ok">{t.included}</Badge>;
  return <Badge tone="bad">{feed.included ? t.refused : t.excluded}</Badge>;
}

/** Longer values open when they are clicked. */
const MAX_SHOWN = 160;

function Value({ list = [] }: { readonly list: readonly string[] | undefined }): JSX.Element {
  if (list.length === 0) return <span class="muted">{t.absent}</span>;
  const text = list.join("\n");
  if (text.length <= MAX_SHOWN) return <span class="feed-value">{text}</span>;
  return (
    <details class="feed-value">
      <summary>
        <span class="when-closed">{text.slice(0, MAX_SHOWN).toWellFormed()}…</span>
        <span class="when-open">{t.less}</span>
      </summary>
      {text}
    </details>
  );
}

function Raw({ file, text }: { readonly file: string; readonly text: string }): JSX.Element {
  return (
    <details>
      <summary>{t.raw(file)}</summary>
      <div class="raw-text">
        <CopyButton text={text} label={t.copy} />
        <pre tabIndex={0}>{text}</pre>
      </div>
    </details>
  );
}
