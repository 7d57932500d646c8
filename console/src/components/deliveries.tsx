/** The log of deliveries as a list: of one webhook, or of all. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  Attempt,
  DeliveriesAnswer,
  Delivery,
  ResentAnswer,
  Webhook,
} from "../../../src/contract/webhooks.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { useReload } from "../events.tsx";
import { formatDuration, formatNumber } from "../format.ts";
import { deliveryTexts as t, webhookTexts } from "../messages/webhooks.ts";
import { Link, pathWith, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";
import { DialogButton } from "./buttons.tsx";
import { SelectField } from "./fields.tsx";
import { Filters, FilterSelect, Pager, Table } from "./table.tsx";
import type { TableColumn } from "./table.tsx";
import { Await, Badge, Empty, Section, Time } from "./ui.tsx";
import type { Tone } from "./ui.tsx";

const STATE_TONES = {
  pending: "attention",
  delivered: "ok",
  dead: "bad",
  discarded: "neutral",
} as const satisfies Record<Delivery["state"], Tone>;

export function DeliveryState({ state }: { readonly state: Delivery["state"] }): JSX.Element {
  return <Badge tone={STATE_TONES[state]}>{t.states[state]}</Badge>;
}

/** Without the protocol, which is the same for almost all. */
export const shortUrl = (url: string): string => url.replace(/^https:\/\//, "");

const resultOf = ({ status, error }: Attempt): string =>
  status === null ? (error ?? t.noAnswer) : String(status);

function StateAndNext({
  delivery: { state, next_attempt_at: next },
}: {
  readonly delivery: Delivery;
}): JSX.Element {
  return (
    <>
      <DeliveryState state={state} />
      {next !== null && (
        <div class="small muted">
          {t.columns.next} <Time at={next} />
        </div>
      )}
    </>
  );
}

const last = ({ attempts }: Delivery) => attempts.at(-1);

function columnsFor(webhooks: readonly Webhook[], href: (page: string) => string): TableColumn<Delivery>[] {
  const urls = new Map(webhooks.map(({ id, url }) => [id, url]));
  return [
    {
      head: t.columns.event,
      kind: "heading",
      cell: ({ id, event }) => <Link href={href(`/deliveries/${id}`)}>{event}</Link>,
    },
    { head: t.columns.created, cell: ({ created_at: at }) => <Time at={at} /> },
    ...(webhooks.length > 1
      ? [
          {
            head: t.columns.webhook,
            cell: ({ webhook_id: id }: Delivery) => (
              <span class="url one-line" title={urls.get(id)}>
                {shortUrl(urls.get(id) ?? "")}
              </span>
            ),
          },
        ]
      : []),
    { head: t.columns.state, cell: (delivery) => <StateAndNext delivery={delivery} /> },
    { head: t.columns.attempts, kind: "number", cell: ({ attempts }) => formatNumber(attempts.length) },
    {
      head: t.columns.result,
      cell: (delivery) => {
        const attempt = last(delivery);
        return attempt ? <code>{resultOf(attempt)}</code> : t.none;
      },
    },
    {
      head: t.columns.duration,
      kind: "number",
      cell: (delivery) => {
        const attempt = last(delivery);
        return attempt ? formatDuration(attempt.duration_ms.total) : t.none;
      },
    },
  ];
}

const FILTERS = ["state", "event", "webhook"] as const;

/** `webhooks`: those whose deliveries may be in the list; with one, the list has no filter for it. */
export function DeliveryList({ webhooks }: { readonly webhooks: readonly Webhook[] }): JSX.Element {
  const catalog = useThisCatalog();
  const location = useLocation();
  const { query } = location;
  const only = webhooks.length === 1 ? webhooks[0]?.id : query.get("webhook");
  const loaded = useData<Wire<typeof DeliveriesAnswer>>(
    pathWith("/webhooks/deliveries", {
      webhook_id: only,
      state: query.get("state"),
      event: query.get("event"),
      cursor: query.get("cursor"),
    }),
  );
  useReload(loaded.reload, { deliveries: true });
  const isFiltered = FILTERS.some((name) => query.has(name));
  return (
    <Section title={t.title} actions={<ResendAll webhookId={only ?? undefined} onResent={loaded.reload} />}>
      <DeliveryFilters webhooks={webhooks} />
      <Await loaded={loaded}>
        {({ deliveries, next_cursor: next }) =>
          deliveries.length === 0 ? (
            <NoDelivery isFiltered={isFiltered} />
          ) : (
            <>
              <Table
                label={t.tableLabel}
                rows={deliveries}
                columns={columnsFor(webhooks, catalog.href)}
                keyOf={({ id }) => id}
              />
              <Pager next={next} />
            </>
          )
        }
      </Await>
    </Section>
  );
}

function DeliveryFilters({ webhooks }: { readonly webhooks: readonly Webhook[] }): JSX.Element {
  const events = [...Object.keys(webhookTexts.eventTexts), "webhook.test"];
  return (
    <Filters>
      <FilterSelect
        name="state"
        label={t.filters.state}
        any={t.filters.all}
        options={Object.entries(t.states)}
      />
      <FilterSelect
        name="event"
        label={t.filters.event}
        any={t.filters.all}
        options={events.map((event) => [event, event] as const)}
      />
      {webhooks.length > 1 && (
        <FilterSelect
          name="webhook"
          label={t.filters.webhook}
          any={t.filters.all}
          options={webhooks.map(({ id, url }) => [id, shortUrl(url)] as const)}
        />
      )}
    </Filters>
  );
}

function NoDelivery({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  const catalog = useThisCatalog();
  const location = useLocation();
  return (
    <Empty>
      <p>{isFiltered ? t.emptyFiltered : t.empty}</p>
      {isFiltered ? (
        <Link href={withQuery(location, { state: undefined, event: undefined, webhook: undefined })}>
          {t.clearFilters}
        </Link>
      ) : (
        <Link href={catalog.href("/sources")}>{t.goSync}</Link>
      )}
    </Empty>
  );
}

const HOUR_MS = 3_600_000;

function ResendAll({
  webhookId,
  onResent,
}: {
  readonly webhookId: string | undefined;
  readonly onResent: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const [resent, setResent] = useState<number>();
  const act = async (entered: FormData) => {
    const since = new Date(Date.now() - Number(entered.get("hours")) * HOUR_MS).toISOString();
    const body = { since, ...(webhookId !== undefined && { webhook_id: webhookId }) };
    const answer = await catalog.fetch<Wire<typeof ResentAnswer>>("/webhooks/deliveries/resend", {
      method: "POST",
      body,
    });
    setResent(answer.resent);
    onResent();
  };
  const { label, title, confirm, text, since, spans } = t.resendAll;
  return (
    <div class="buttons">
      {resent !== undefined && <p role="status">{t.resendAll.done(resent)}</p>}
      <DialogButton {...{ label, title, confirm, act }} kind="primary">
        <p>{text}</p>
        <SelectField label={since} name="hours" defaultValue="24" options={Object.entries(spans)} />
      </DialogButton>
    </div>
  );
}
