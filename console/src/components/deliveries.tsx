/** The log of deliveries as a list: of one webhook, or of all. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type {
  Attempt,
  DeliveriesAnswer,
  Delivery,
  ResentAnswer,
  Webhook,
} from "../../../src/contract/webhooks.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { useEvents } from "../events.tsx";
import { formatDuration, formatNumber } from "../format.ts";
import { deliveryTexts as t, webhookTexts } from "../messages/webhooks.ts";
import { Link, pathWith, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";
import { ConfirmButton, Field } from "./form.tsx";
import { Filters, FilterSelect, Pager, Table } from "./table.tsx";
import type { Column } from "./table.tsx";
import { Await, Badge, Empty, Section, Time } from "./ui.tsx";
import type { Tone } from "./ui.tsx";

const STATE_TONES = { pending: "attention", delivered: "ok", dead: "bad" } as const satisfies Record<
  Delivery["state"],
  Tone
>;

/** While many deliveries are sent, the list is read again at most this often. */
const RELOAD_MS = 1_000;

/** Reads again when deliveries changed. */
export function useLiveDeliveries(reload: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const soon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      reload();
    }, RELOAD_MS);
  };
  useEvents({ onDeliveries: soon, onRefetch: soon });
}

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

function columnsFor(webhooks: readonly Webhook[], href: (page: string) => string): Column<Delivery>[] {
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
  useLiveDeliveries(loaded.reload);
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
        options={[["", t.filters.all], ...Object.entries(t.states)]}
      />
      <FilterSelect
        name="event"
        label={t.filters.event}
        options={[["", t.filters.all], ...events.map((event) => [event, event] as const)]}
      />
      {webhooks.length > 1 && (
        <FilterSelect
          name="webhook"
          label={t.filters.webhook}
          options={[["", t.filters.all], ...webhooks.map(({ id, url }) => [id, shortUrl(url)] as const)]}
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
  const [hours, setHours] = useState("24");
  const [resent, setResent] = useState<number>();
  const act = async () => {
    const since = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
    const body = { since, ...(webhookId !== undefined && { webhook_id: webhookId }) };
    const answer = await catalog.fetch<Wire<typeof ResentAnswer>>("/webhooks/deliveries/resend", {
      method: "POST",
      body,
    });
    setResent(answer.resent);
    onResent();
  };
  return (
    <div class="buttons">
      {resent !== undefined && <p role="status">{t.resendAll.done(resent)}</p>}
      <ConfirmButton
        label={t.resendAll.label}
        title={t.resendAll.title}
        confirm={t.resendAll.confirm}
        kind="primary"
        act={act}
      >
        <p>{t.resendAll.text}</p>
        <Field label={t.resendAll.since}>
          {(attributes) => (
            <select {...attributes} value={hours} onChange={(event) => setHours(event.currentTarget.value)}>
              {Object.entries(t.resendAll.spans).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
      </ConfirmButton>
    </div>
  );
}
