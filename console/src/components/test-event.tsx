/** Sends a test event to a webhook and shows what it answered. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TestedWebhook } from "../../../src/contract/webhooks.ts";
import { useThisCatalog } from "../catalog.ts";
import { webhookTexts } from "../messages/webhooks.ts";
import { Link } from "../router.tsx";
import { AttemptDetails } from "./attempt.tsx";
import { ActionButton } from "./buttons.tsx";
import { Section } from "./ui.tsx";

const t = webhookTexts.test;

export function TestEvent({
  webhookId,
  onTested,
}: {
  readonly webhookId: string;
  readonly onTested?: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const [tested, setTested] = useState<TestedWebhook>();
  const send = async () => {
    setTested(
      await catalog.fetch<{ data: TestedWebhook }>("/webhooks/test", {
        method: "POST",
        body: { id: webhookId },
      }),
    );
    onTested?.();
  };
  return (
    <Section title={t.title}>
      <p class="muted">{t.note}</p>
      <ActionButton scope="write" act={send}>
        {t.send}
      </ActionButton>
      <div role="status">
        {tested && (
          <div class="card">
            <AttemptDetails key={tested.delivery_id} attempt={tested.attempt} />
            <p class="small">
              <Link href={catalog.href(`/deliveries/${tested.delivery_id}`)}>{t.details}</Link>
            </p>
          </div>
        )}
      </div>
    </Section>
  );
}
