/** One destination: its state, a test, its deliveries with their receipts, its settings, and removing it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  Destination,
  DestinationKindsAnswer,
  DestinationsAnswer,
} from "../../../src/contract/destinations.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { ActionButton, Button, DialogButton } from "../components/buttons.tsx";
import { DestinationDeliveries } from "../components/destination-deliveries.tsx";
import { EditDestinationForm } from "../components/destination-form.tsx";
import {
  DestinationState,
  formatText,
  isKeyChanged,
  isUnconfirmed,
  placeOf,
  typeOf,
} from "../components/destination-state.tsx";
import { KeyChanged, TestButton, TestResult, useDestinationTest } from "../components/destination-test.tsx";
import type { DestinationTestAction } from "../components/destination-test.tsx";
import { Missing } from "../components/missing.tsx";
import { Await, Facts, Notice, PageHeading, ProblemMessage, Section, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { destinationTexts as t } from "../messages/destinations.ts";
import { navigate } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";
import { LastDelivery, NextDelivery, sendNow } from "./destinations.tsx";

export function DestinationPage({ params: { id = "" } }: PageProps): JSX.Element {
  const loaded = useData<Wire<typeof DestinationsAnswer>>("/destinations");
  useReload(loaded.reload, { deliveries: true });
  const destination = loaded.data?.destinations.find((one) => one.id === id);
  return (
    <>
      <PageHeading title={destination?.name ?? t.title}>
        {destination && <DestinationState destination={destination} />}
      </PageHeading>
      <Await loaded={loaded}>
        {() =>
          destination ? (
            <Details destination={destination} onChange={loaded.reload} />
          ) : (
            <Missing text={t.notFound} page="/destinations" link={t.backToList} />
          )
        }
      </Await>
    </>
  );
}

type OfDestination = { readonly destination: Destination; readonly onChange: () => void };

function Details({ destination, onChange }: OfDestination): JSX.Element {
  const { call } = useThisCatalog();
  const kinds = useData<Wire<typeof DestinationKindsAnswer>>("/destinations/kinds");
  const kind = kinds.data?.kinds.find((one) => one.kind === destination.kind);
  const test = useDestinationTest();
  const confirm = async (key: string) => {
    const body = { id: destination.id, settings: { host_key: key } };
    await call("/destinations", { method: "PATCH", body });
    onChange();
    await test.run({ id: destination.id });
  };
  return (
    <>
      <Health destination={destination} test={test} />
      {test.problem && <ProblemMessage problem={test.problem} />}
      {test.result && (
        <TestResult
          result={test.result}
          confirmed={destination.settings["host_key"] ?? null}
          onConfirm={confirm}
        />
      )}
      <Actions destination={destination} test={test} onChange={onChange} />
      <DestinationFacts destination={destination} />
      <DestinationDeliveries id={destination.id} />
      <details class="card">
        <summary>{t.changes}</summary>
        <Await loaded={kinds}>
          {() =>
            kind && (
              <EditDestinationForm
                // A key that was confirmed above is part of the form.
                key={destination.settings["host_key"] ?? ""}
                destination={destination}
                kind={kind}
                onSaved={onChange}
              />
            )
          }
        </Await>
      </details>
      <Section title={t.remove.section}>
        <Remove destination={destination} />
      </Section>
    </>
  );
}

/** What is wrong, or what to do next. */
function Health({
  destination,
  test,
}: Pick<OfDestination, "destination"> & { readonly test: DestinationTestAction }): JSX.Element | null {
  const { enabled, failing_since: since } = destination;
  if (test.result) return null;
  if (isUnconfirmed(destination)) return <Notice tone="attention">{t.notices.unconfirmed}</Notice>;
  if (isKeyChanged(destination))
    return (
      <KeyChanged confirmed={destination.settings["host_key"]}>
        <Button
          scope="write"
          isWorking={test.isWorking}
          onClick={() => void test.run({ id: destination.id })}
        >
          {t.test.showKey}
        </Button>
      </KeyChanged>
    );
  if (since !== null) return <Failing destination={destination} since={since} />;
  if (!enabled) return <Notice tone="neutral">{t.notices.paused}</Notice>;
  return destination.status === "new" ? <Notice tone="neutral">{t.notices.firstDelivery}</Notice> : null;
}

function Failing({
  destination: { last_error: error, next_delivery_at: next },
  since,
}: Pick<OfDestination, "destination"> & { readonly since: string }): JSX.Element {
  const advice = error && t.advice[error.code];
  return (
    <Notice tone="bad">
      <p>
        <strong>
          {t.notices.failingSince} <Time at={since} />.
        </strong>{" "}
        {error?.message}
      </p>
      {advice != null && <p>{advice}</p>}
      {next !== null && (
        <p class="small">
          {t.notices.nextAttempt} <Time at={next} />.
        </p>
      )}
    </Notice>
  );
}

const resultOf = ({ last_success_at: success, last_failure_at: failure }: Destination): string =>
  `${success} ${failure}`;

function Actions({
  destination,
  test,
  onChange,
}: OfDestination & { readonly test: DestinationTestAction }): JSX.Element {
  const catalog = useThisCatalog();
  const { id, enabled, status } = destination;
  const isDue = status !== "active" && !isUnconfirmed(destination) && !isKeyChanged(destination);
  // Until there is a result.
  const [queuedAfter, setQueuedAfter] = useState<string>();
  return (
    <div class="buttons">
      <ActionButton
        scope="write"
        kind={isDue ? "primary" : undefined}
        act={async () => {
          await sendNow(catalog, id);
          setQueuedAfter(resultOf(destination));
          onChange();
        }}
      >
        {t.actions.send}
      </ActionButton>
      <TestButton test={test} onClick={() => void test.run({ id })} />
      <ActionButton
        scope="write"
        act={async () => {
          await catalog.call("/destinations", { method: "PATCH", body: { id, enabled: !enabled } });
          onChange();
        }}
      >
        {enabled ? t.actions.pause : t.actions.resume}
      </ActionButton>
      <span role="status" class="muted">
        {queuedAfter === resultOf(destination) && t.actions.queued}
      </span>
    </div>
  );
}

function DestinationFacts({ destination }: Pick<OfDestination, "destination">): JSX.Element {
  const { kind, settings } = destination;
  return (
    <Facts
      entries={[
        [t.facts.kind, t.kinds[typeOf(destination)]],
        [t.facts.place, <span class="url">{placeOf(destination)}</span>],
        [t.facts.what, formatText(destination.format)],
        [t.facts.when, t.whenTexts(destination)],
        [t.facts.last, <LastDelivery destination={destination} />],
        [t.facts.next, <NextDelivery destination={destination} />],
        ...(kind === "sftp"
          ? [
              [
                t.facts.hostKey,
                settings["host_key"] === undefined ? t.facts.noHostKey : <code>{settings["host_key"]}</code>,
              ] as const,
            ]
          : []),
        [t.facts.created, <Time at={destination.created_at} />],
      ]}
    />
  );
}

function Remove({ destination: { id, name } }: Pick<OfDestination, "destination">): JSX.Element {
  const catalog = useThisCatalog();
  const { label, title, confirm, note } = t.remove;
  return (
    <div class="buttons">
      <DialogButton
        {...{ label, confirm }}
        title={title(name)}
        act={async () => {
          await catalog.call("/destinations", { method: "DELETE", body: { id } });
          navigate(catalog.href("/destinations"));
        }}
      >
        <p>{note}</p>
      </DialogButton>
    </div>
  );
}
