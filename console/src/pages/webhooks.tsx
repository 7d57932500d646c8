/** The webhooks of a catalog with their health, and everything that was sent. */
import type { JSX } from "preact";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { Webhook, WebhooksAnswer } from "../../../src/contract/webhooks.ts";
import { useThisCatalog } from "../catalog.ts";
import { DeliveryList, shortUrl } from "../components/deliveries.tsx";
import { Button } from "../components/buttons.tsx";
import { Table } from "../components/table.tsx";
import type { TableColumn } from "../components/table.tsx";
import { Await, Badge, Empty, PageHeading, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { webhookTexts as t } from "../messages/webhooks.ts";
import { Link, navigate } from "../router.tsx";
import { useData } from "../use-data.ts";

export function WebhooksPage(): JSX.Element {
  const catalog = useThisCatalog();
  const loaded = useData<Wire<typeof WebhooksAnswer>>("/webhooks");
  useReload(loaded.reload, { deliveries: true });
  return (
    <>
      <PageHeading title={t.title}>
        <Button scope="write" kind="primary" onClick={() => navigate(catalog.href("/webhooks/new"))}>
          {t.register}
        </Button>
      </PageHeading>
      <p class="muted">{t.intro}</p>
      <Await loaded={loaded}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty>
              <p>{t.empty}</p>
              <Link href={catalog.href("/webhooks/new")}>{t.register}</Link>
            </Empty>
          ) : (
            <>
              <Table
                label={t.tableLabel}
                rows={webhooks}
                columns={columns(catalog.href)}
                keyOf={({ id }) => id}
              />
              <DeliveryList webhooks={webhooks} />
            </>
          )
        }
      </Await>
    </>
  );
}

export function WebhookState({ webhook }: { readonly webhook: Webhook }): JSX.Element {
  if (webhook.status === "disabled") return <Badge tone="bad">{t.states.disabled}</Badge>;
  if (webhook.status === "failing") return <Badge tone="bad">{t.states.failing}</Badge>;
  if (webhook.last_success_at === null) return <Badge tone="neutral">{t.states.unused}</Badge>;
  return <Badge tone="ok">{t.states.active}</Badge>;
}

/** A count that leads to the deliveries it counts. */
function Count({ count, href }: { readonly count: number; readonly href: string }): JSX.Element {
  return count === 0 ? <>{formatNumber(0)}</> : <Link href={href}>{formatNumber(count)}</Link>;
}

const columns = (href: (page: string) => string): readonly TableColumn<Webhook>[] => [
  {
    head: t.url,
    kind: "heading",
    cell: ({ id, url, events }) => (
      <>
        <Link class="url" href={href(`/webhooks/${id}`)}>
          {shortUrl(url)}
        </Link>
        <div class="small muted">{events.join(", ")}</div>
      </>
    ),
  },
  {
    head: t.state,
    cell: (webhook) => (
      <>
        <WebhookState webhook={webhook} />
        {webhook.failing_since !== null && (
          <div class="small muted">
            {t.failingSince} <Time at={webhook.failing_since} />
          </div>
        )}
      </>
    ),
  },
  { head: t.lastSuccess, cell: ({ last_success_at: at }) => <Time at={at} /> },
  {
    head: t.pending,
    kind: "number",
    cell: ({ id, deliveries }) => (
      <Count count={deliveries.pending} href={href(`/webhooks/${id}?state=pending`)} />
    ),
  },
  {
    head: t.dead,
    kind: "number",
    cell: ({ id, deliveries }) => <Count count={deliveries.dead} href={href(`/webhooks/${id}?state=dead`)} />,
  },
];
