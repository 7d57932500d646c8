/** One webhook: its health, a test, a new secret, its deliveries. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { RotatedSecret, Webhook, WebhooksAnswer } from "../../../src/contract/webhooks.ts";
import { useThisCatalog } from "../catalog.ts";
import { DeliveryList, shortUrl } from "../components/deliveries.tsx";
import { EditWebhook } from "../components/edit-webhook.tsx";
import { ActionButton, DialogButton } from "../components/buttons.tsx";
import { SelectField } from "../components/fields.tsx";
import { Missing } from "../components/missing.tsx";
import { SecretPanel } from "../components/secret.tsx";
import { VerifySnippets } from "../components/snippets.tsx";
import { TestEvent } from "../components/test-event.tsx";
import { CopyLine } from "../components/copy-button.tsx";
import { Await, Facts, Notice, PageHeading, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { webhookTexts as t } from "../messages/webhooks.ts";
import { navigate } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";
import { WebhookState } from "./webhooks.tsx";

export function WebhookPage({ params: { id = "" } }: PageProps): JSX.Element {
  const loaded = useData<Wire<typeof WebhooksAnswer>>("/webhooks");
  useReload(loaded.reload, { deliveries: true });
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
            <Missing text={t.notFound} page="/webhooks" link={t.backToList} />
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
      <Trouble webhook={webhook} />
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
        <EnableWebhook webhook={webhook} onChanged={onChange} />
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

/** Since when it fails or is disabled, and why. */
function Trouble({ webhook }: { readonly webhook: Webhook }): JSX.Element | null {
  const { failing_since: failing, disabled_at: disabled, disabled_by: by, last_failure: reason } = webhook;
  if (webhook.status === "active") return null;
  return (
    <Notice tone="bad">
      <p>
        <strong>
          {disabled === null ? t.failingSince : t.disabledSince[by ?? "request"]}{" "}
          <Time at={disabled ?? failing} />.
        </strong>{" "}
        {reason} {disabled !== null && t.disabledMeans}
      </p>
    </Notice>
  );
}

function Health({ webhook }: { readonly webhook: Webhook }): JSX.Element {
  return (
    <Facts
      entries={[
        [t.url, <CopyLine text={webhook.url} label={t.copyUrl} />],
        [t.events, webhook.events.join(", ")],
        [t.lastSuccess, <Time at={webhook.last_success_at} />],
        [t.lastFailure, <Time at={webhook.last_failure_at} />],
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
  const rotate = async (entered: FormData) => {
    const body = { id: webhook.id, overlap_s: Number(entered.get("overlap")) };
    onRotated(await catalog.fetch<{ data: RotatedSecret }>("/webhooks/rotate", { method: "POST", body }));
  };
  const { label, title, confirm, text, overlap, overlaps } = t.rotate;
  return (
    <DialogButton {...{ label, title, confirm }} kind="primary" act={rotate}>
      <p>{text}</p>
      <SelectField label={overlap} name="overlap" defaultValue="86400" options={Object.entries(overlaps)} />
    </DialogButton>
  );
}

function EnableWebhook({
  webhook: { id, enabled },
  onChanged,
}: {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const change = async () => {
    await catalog.call("/webhooks", { method: "PATCH", body: { id, enabled: !enabled } });
    onChanged();
  };
  if (!enabled)
    return (
      <ActionButton scope="write" kind="primary" act={change}>
        {t.enable}
      </ActionButton>
    );
  const { label, title, confirm, text } = t.disable;
  return (
    <DialogButton {...{ label, title, confirm }} act={change}>
      <p>{text}</p>
    </DialogButton>
  );
}

function RemoveWebhook({ webhook: { id, url } }: { readonly webhook: Webhook }): JSX.Element {
  const catalog = useThisCatalog();
  return (
    <DialogButton
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
    </DialogButton>
  );
}
