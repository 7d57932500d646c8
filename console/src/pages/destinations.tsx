/** The destinations of a catalog: where files are uploaded, whether it works, and what each has. */
import type { JSX } from "preact";
import type { Destination, DestinationsAnswer } from "../../../src/contract/destinations.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import type { ConsoleCatalog } from "../catalog.ts";
import { ActionButton, Button } from "../components/buttons.tsx";
import { DestinationState, placeOf } from "../components/destination-state.tsx";
import { Table } from "../components/table.tsx";
import type { TableColumn } from "../components/table.tsx";
import { Await, Empty, PageHeading, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { destinationTexts as t } from "../messages/destinations.ts";
import { Link, navigate } from "../router.tsx";
import { useData } from "../use-data.ts";

export function DestinationsPage(): JSX.Element {
  const catalog = useThisCatalog();
  const loaded = useData<Wire<typeof DestinationsAnswer>>("/destinations");
  useReload(loaded.reload, { deliveries: true });
  return (
    <>
      <PageHeading title={t.title}>
        <Button scope="write" kind="primary" onClick={() => navigate(catalog.href("/destinations/new"))}>
          {t.add}
        </Button>
      </PageHeading>
      <p class="muted">{t.intro}</p>
      <Await loaded={loaded}>
        {({ destinations }) =>
          destinations.length === 0 ? (
            <Empty>
              <p>{t.empty}</p>
              <Link href={catalog.href("/destinations/new")}>{t.add}</Link>
            </Empty>
          ) : (
            <Table
              label={t.tableLabel}
              rows={destinations}
              columns={columnsOf(catalog, loaded.reload)}
              keyOf={({ id }) => id}
            />
          )
        }
      </Await>
    </>
  );
}

/** The render that the destination has, and when it got it. */
export function LastDelivery({
  destination: { last_success_at: at, delivered_run_id: run },
}: {
  readonly destination: Destination;
}): JSX.Element {
  const { href } = useThisCatalog();
  if (at === null) return <>{t.neverSent}</>;
  return (
    <>
      <Time at={at} /> {run !== null && <Link href={href(`/renders/${run}`)}>{t.lastOf}</Link>}
    </>
  );
}

export function NextDelivery({ destination }: { readonly destination: Destination }): JSX.Element {
  const { next_delivery_at: next, enabled, schedule } = destination;
  if (next !== null) return <Time at={next} />;
  return <>{enabled && schedule === "publication" ? t.afterPublication : t.notNext}</>;
}

export const sendNow = async ({ call }: ConsoleCatalog, id: string): Promise<Response> =>
  call("/destinations/send", { method: "POST", body: { id } });

const columnsOf = (catalog: ConsoleCatalog, reload: () => void): readonly TableColumn<Destination>[] => [
  {
    head: t.columns.name,
    kind: "heading",
    cell: (destination) => (
      <>
        <Link href={catalog.href(`/destinations/${destination.id}`)}>{destination.name}</Link>
        <div class="small muted anywhere">{placeOf(destination)}</div>
      </>
    ),
  },
  {
    head: t.columns.state,
    cell: (destination) => (
      <>
        <DestinationState destination={destination} />
        {destination.failing_since !== null && (
          <div class="small muted">
            {t.notices.failingSince} <Time at={destination.failing_since} />
          </div>
        )}
      </>
    ),
  },
  { head: t.columns.last, cell: (destination) => <LastDelivery destination={destination} /> },
  { head: t.columns.next, cell: (destination) => <NextDelivery destination={destination} /> },
  {
    head: t.columns.actions,
    kind: "actions",
    cell: ({ id, name }) => (
      <ActionButton
        scope="write"
        kind="quiet"
        about={name}
        act={async () => {
          await sendNow(catalog, id);
          reload();
        }}
      >
        {t.actions.send}
      </ActionButton>
    ),
  },
];
