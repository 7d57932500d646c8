/** One webhook: its health, a test, a new secret, its deliveries. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { RotatedSecret, Webhook, WebhooksAnswer } from "../../../src/contract/webhooks.ts";
import { useThisCatalog } from "../catalog.ts";
import { DeliveryList, shortUrl, useLiveDeliveries } from "../components/deliveries.tsx";
import { EditWebhook } from "../components/edit-webhook.tsx";
import { ConfirmButton, Field } from "../components/form.tsx";
import { SecretPanel } from "../components/secret.tsx";
import { VerifySnippets } from "../components/snippets.tsx";
import { TestEvent } from "../components/test-event.tsx";
import { Await, CopyButton, Empty, Facts, Notice, PageHeading, Time } from "../components/ui.tsx";
import { webhookTexts as t } from "../messages/webhooks.ts";
import { Link, navigate } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";
import { WebhookState } from "./webhooks.tsx";

export function WebhookPage({ params: { id = "" } }: PageProps): JSX.Element {
  const catalog = useThisCatalog();
  const loaded = useData<Wire<typeof WebhooksAnswer>>("/webhooks");
  useLiveDeliveries(loaded.reload);
  const webhook = loaded.data?.webhooks.find((one) => one.id === id);
  return (
    <>
      <PageHeading title={webhook ? shortUrl(webhook.url) : t.title}>
        {webhook && <WebhookState webhook={webhook} />}
      </PageHeading>
      <Await loaded={loaded}>
        {() =>
          webhook ? (
            <Details webhook={webhook} onChange={loaded.reload} />
          ) : (
            <Empty>
              <p>{t.notFound}</p>
              <Link href={catalog.href("/webhooks")}>{t.backToList}</Link>
            </Empty>
          )
        }
      </Await>
    </>
  );
}

function Details({
  webhook,
  onChange,
}: {
  readonly webhook: Webhook;
  readonly onChange: () => void;
}): JSX.Element {
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {webhook.status === "failing" && webhook.failing_since !== null && (
        <Notice tone="bad">
          <p>
            <strong>
              {t.failingSince} <Time at={webhook.failing_since} />.
            </strong>{" "}
            {webhook.last_failure}
          </p>
        </Notice>
      )}
      {secret !== undefined && (
        <SecretPanel key={secret} {...t.secret} title={t.rotate.done} secret={secret} />
      )}
      <Health webhook={webhook} />
      <div class="buttons">
        <EditWebhook key={webhook.url + webhook.events.join()} webhook={webhook} onChanged={onChange} />
        <RotateSecret
          webhook={webhook}
          onRotated={(rotated) => {
            setSecret(rotated.secret);
            onChange();
          }}
        />
        <RemoveWebhook webhook={webhook} />
      </div>
      <TestEvent webhookId={webhook.id} onTested={onChange} />
      <details class="card">
        <summary>{t.verify.title}</summary>
        <VerifySnippets url={webhook.url} {...(secret !== undefined && { secret })} />
      </details>
      <DeliveryList webhooks={[webhook]} />
    </>
  );
}

const timeOrNever = (at: string | null) => (at === null ? t.never : <Time at={at} />);

function Health({ webhook }: { readonly webhook: Webhook }): JSX.Element {
  return (
    <Facts
      entries={[
        [
          t.url,
          <>
            <code class="url">{webhook.url}</code> <CopyButton text={webhook.url} label={t.copyUrl} />
          </>,
        ],
        [t.events, webhook.events.join(", ")],
        [t.lastSuccess, timeOrNever(webhook.last_success_at)],
        [t.lastFailure, timeOrNever(webhook.last_failure_at)],
        [t.created, <Time at={webhook.created_at} />],
        ...(webhook.previous_secret_until === null
          ? []
          : [[t.rotate.both, <Time at={webhook.previous_secret_until} />] as const]),
      ]}
    />
  );
}

function RotateSecret({
  webhook,
  onRotated,
}: {
  readonly webhook: Webhook;
  readonly onRotated: (rotated: RotatedSecret) => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const [overlap, setOverlap] = useState("86400");
  const rotate = async () => {
    const body = { id: webhook.id, overlap_s: Number(overlap) };
    onRotated(await catalog.fetch<{ data: RotatedSecret }>("/webhooks/rotate", { method: "POST", body }));
  };
  return (
    <ConfirmButton
      label={t.rotate.label}
      title={t.rotate.title}
      confirm={t.rotate.confirm}
      kind="primary"
      act={rotate}
    >
      <p>{t.rotate.text}</p>
      <Field label={t.rotate.overlap}>
        {(attributes) => (
          <select {...attributes} value={overlap} onChange={(event) => setOverlap(event.currentTarget.value)}>
            {Object.entries(t.rotate.overlaps).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
    </ConfirmButton>
  );
}

function RemoveWebhook({ webhook: { id, url } }: { readonly webhook: Webhook }): JSX.Element {
  const catalog = useThisCatalog();
  return (
    <ConfirmButton
      label={t.remove.label}
      title={t.remove.title}
      confirm={t.remove.confirm}
      act={async () => {
        await catalog.call("/webhooks", { method: "DELETE", body: { id } });
        navigate(catalog.href("/webhooks"));
      }}
    >
      <p>
        <code class="url">{url}</code>
      </p>
      <p>{t.remove.text}</p>
    </ConfirmButton>
  );
}
