/** What was delivered to a destination, newest first, with the receipt of each delivery. */
import type { JSX } from "preact";
import type {
  DeliveredFile,
  DestinationDeliveriesPage,
  DestinationDelivery,
} from "../../../src/contract/destination-deliveries.ts";
import { useThisCatalog } from "../catalog.ts";
import { useReload } from "../events.tsx";
import { formatBytes, formatDuration, formatNumber } from "../format.ts";
import { destinationTexts } from "../messages/destinations.ts";
import { Link, pathWith, useLocation } from "../router.tsx";
import { useData } from "../use-data.ts";
import { Pager, Table } from "./table.tsx";
import { Await, Badge, Empty, Facts, Section, Time } from "./ui.tsx";
import type { Tone } from "./ui.tsx";

const t = destinationTexts.deliveries;

const TONES: Readonly<Record<DestinationDelivery["state"], Tone>> = {
  pending: "attention",
  sending: "neutral",
  delivered: "ok",
  dead: "bad",
  superseded: "neutral",
};

const PAGE = 20;

export function DestinationDeliveries({ id }: { readonly id: string }): JSX.Element {
  const { query } = useLocation();
  const loaded = useData<{ data: DestinationDeliveriesPage }>(
    pathWith("/destinations/deliveries", { destination_id: id, limit: PAGE, cursor: query.get("cursor") }),
  );
  useReload(loaded.reload, { deliveries: true });
  return (
    <Section title={t.title}>
      <Await loaded={loaded}>
        {({ deliveries, next_cursor: next }) =>
          deliveries.length === 0 ? (
            <Empty>
              <p>{t.empty}</p>
            </Empty>
          ) : (
            <>
              <ol class="attempts timeline" aria-label={t.label}>
                {deliveries.map((delivery) => (
                  <li key={delivery.id} class={TONES[delivery.state]}>
                    <Delivery delivery={delivery} />
                  </li>
                ))}
              </ol>
              <Pager next={next} />
            </>
          )
        }
      </Await>
    </Section>
  );
}

type OfDelivery = { readonly delivery: DestinationDelivery };

function Delivery({ delivery }: OfDelivery): JSX.Element {
  const { state, error, files } = delivery;
  return (
    <div class="attempt">
      <Line delivery={delivery} />
      {state !== "delivered" && error !== null && <Failure {...error} />}
      {state === "superseded" && error === null && <p class="muted">{t.superseded}</p>}
      {files !== null && <Receipt delivery={delivery} files={files} />}
    </div>
  );
}

function Line({ delivery }: OfDelivery): JSX.Element {
  const { href } = useThisCatalog();
  const { state, error, files, bytes, attempts, next_attempt_at: next } = delivery;
  return (
    <p class="attempt-line">
      <Badge tone={TONES[state]}>{t.states[state]}</Badge>
      <strong>
        <Time at={delivery.finished_at ?? delivery.created_at} />
      </strong>
      <span class="muted">{t.causes[delivery.cause]}</span>
      <Link href={href(`/renders/${delivery.render_run_id}`)}>{t.rendered}</Link>
      {files !== null && <span>{t.sent(files.length, formatBytes(bytes ?? 0))}</span>}
      {(error !== null || attempts > 1) && <span>{t.attempts(attempts)}</span>}
      {next !== null && attempts > 0 && (
        <span class="muted">
          {t.next} <Time at={next} />
        </span>
      )}
    </p>
  );
}

function Failure({ code, message }: NonNullable<DestinationDelivery["error"]>): JSX.Element {
  const advice = destinationTexts.advice[code];
  return (
    <>
      <p>
        {message} <code class="small">{code}</code>
      </p>
      {advice !== undefined && <p>{advice}</p>}
    </>
  );
}

function Receipt({
  delivery,
  files,
}: {
  readonly delivery: DestinationDelivery;
  readonly files: readonly DeliveredFile[];
}): JSX.Element {
  const { duration_ms: ms, vanished, replaced_by: replaced, removed } = delivery;
  return (
    <details>
      <summary>{t.receipt}</summary>
      <div class="receipt">
        <Table
          label={t.receipt}
          rows={files}
          keyOf={({ name }) => name}
          columns={[
            { head: t.file, kind: "heading", cell: ({ name }) => name },
            { head: t.size, kind: "number", cell: ({ bytes }) => formatBytes(bytes) },
            { head: t.sha256, cell: ({ sha256 }) => <code class="small anywhere">{sha256}</code> },
          ]}
        />
        <Facts
          entries={[
            [t.facts.started, <Time at={delivery.started_at} />],
            ...(ms === null ? [] : [[t.facts.duration, formatDuration(ms)] as const]),
            ...(replaced === null ? [] : [[t.facts.replaced, t.replacedBy[replaced] ?? replaced] as const]),
            ...((vanished ?? 0) > 0 ? [[t.facts.vanished, formatNumber(vanished ?? 0)] as const] : []),
            ...(removed.length > 0 ? [[t.facts.removed, removed.join(", ")] as const] : []),
            [
              t.facts.source,
              <>
                {delivery.file} <code class="small anywhere muted">{delivery.etag}</code>
              </>,
            ],
          ]}
        />
      </div>
    </details>
  );
}
