/** One delivery: its attempts in order, and sending it again. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Delivery } from "../../../src/contract/webhooks.ts";
import { useThisCatalog } from "../catalog.ts";
import { AttemptDetails } from "../components/attempt.tsx";
import { DeliveryState, shortUrl } from "../components/deliveries.tsx";
import { ActionButton } from "../components/buttons.tsx";
import { Missing } from "../components/missing.tsx";
import { CopyLine } from "../components/copy-button.tsx";
import { Await, Facts, PageHeading, Section, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { deliveryTexts, webhookTexts } from "../messages/webhooks.ts";
import { Link } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { WebhooksAnswer } from "../../../src/contract/webhooks.ts";

const t = deliveryTexts.one;
const TEST_EVENT = "webhook.test";

export function DeliveryPage({ params: { id = "" } }: PageProps): JSX.Element {
  const catalog = useThisCatalog();
  const loaded = useData<{ data: Delivery }>(`/webhooks/deliveries/${encodeURIComponent(id)}`);
  useReload(loaded.reload, { deliveries: true });
  const delivery = loaded.data;
  return (
    <>
      <PageHeading title={delivery?.event ?? t.title}>
        {delivery && <DeliveryState state={delivery.state} />}
      </PageHeading>
      <Await
        loaded={loaded}
        missing={<Missing text={t.unknown} page="/webhooks" link={webhookTexts.backToList} />}
      >
        {(found) => (
          <>
            <Summary delivery={found} />
            <Resend delivery={found} onResent={loaded.reload} />
            <Attempts delivery={found} />
            <p>
              <Link href={catalog.href("/webhooks")}>{webhookTexts.backToList}</Link>
            </p>
          </>
        )}
      </Await>
    </>
  );
}

function Summary({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const catalog = useThisCatalog();
  const { webhook_id: webhookId, next_attempt_at: next, finished_at: finished } = delivery;
  const { data } = useData<Wire<typeof WebhooksAnswer>>("/webhooks");
  const url = data?.webhooks.find(({ id }) => id === webhookId)?.url;
  return (
    <>
      {delivery.event !== TEST_EVENT && <p>{t.stateText[delivery.state]}</p>}
      <Facts
        entries={[
          [
            t.webhook,
            <Link class="url" href={catalog.href(`/webhooks/${webhookId}`)}>
              {url === undefined ? webhookId : shortUrl(url)}
            </Link>,
          ],
          [t.created, <Time at={delivery.created_at} />],
          ...(finished === null ? [] : [[t.finished, <Time at={finished} />] as const]),
          ...(next === null ? [] : [[t.next, <Time at={next} />] as const]),
          [t.eventId, <CopyLine text={delivery.event_id} label={t.copyId} />],
        ]}
      />
    </>
  );
}

function Resend({
  delivery,
  onResent,
}: {
  readonly delivery: Delivery;
  readonly onResent: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const [resentAfter, setResentAfter] = useState<number>();
  if (delivery.event === TEST_EVENT) return <p class="muted">{t.testNote}</p>;
  const resend = async () => {
    const body = { delivery_id: delivery.id };
    await catalog.call("/webhooks/deliveries/resend", { method: "POST", body });
    setResentAfter(delivery.attempts.length);
    onResent();
  };
  return (
    <div class="buttons">
      <ActionButton scope="write" act={resend}>
        {t.resend}
      </ActionButton>
      <p role="status">{resentAfter === delivery.attempts.length && t.resent}</p>
    </div>
  );
}

function Attempts({ delivery: { attempts } }: { readonly delivery: Delivery }): JSX.Element {
  return (
    <Section title={t.attempts}>
      {attempts.length === 0 ? (
        <p class="muted">{t.noAttempt}</p>
      ) : (
        <ol class="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.number} class={attempt.error === null ? "ok" : "bad"}>
              <h3>{t.attempt(attempt.number)}</h3>
              <AttemptDetails attempt={attempt} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
