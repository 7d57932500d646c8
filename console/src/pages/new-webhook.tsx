/** Registers a webhook; then its secret, code that verifies deliveries, and a test event. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RegisteredWebhook } from "../../../src/contract/webhooks.ts";
import { useThisCatalog } from "../catalog.ts";
import { Button } from "../components/buttons.tsx";
import { Form } from "../components/form.tsx";
import { SecretPanel } from "../components/secret.tsx";
import { VerifySnippets } from "../components/snippets.tsx";
import { TestEvent } from "../components/test-event.tsx";
import { PageHeading, Section } from "../components/ui.tsx";
import { enteredWebhook, WebhookFields } from "../components/webhook-fields.tsx";
import { webhookTexts as t } from "../messages/webhooks.ts";
import { Link } from "../router.tsx";
import { useAction } from "../use-data.ts";

export function NewWebhookPage(): JSX.Element {
  const [registered, setRegistered] = useState<RegisteredWebhook>();
  return registered ? (
    <Registered webhook={registered} />
  ) : (
    <>
      <PageHeading title={t.form.title} />
      <p class="muted">{t.intro}</p>
      <RegisterForm onRegistered={setRegistered} />
    </>
  );
}

function RegisterForm({
  onRegistered,
}: {
  readonly onRegistered: (webhook: RegisteredWebhook) => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const { run, isWorking, problem } = useAction(async (form: FormData) => {
    const body = enteredWebhook(form);
    onRegistered(await catalog.fetch<{ data: RegisteredWebhook }>("/webhooks", { method: "POST", body }));
  });
  return (
    <Form
      scope="write"
      fields={<WebhookFields />}
      problem={problem}
      onSubmit={(entered) => void run(entered)}
    >
      <Button scope="write" kind="primary" type="submit" isWorking={isWorking}>
        {t.form.submit}
      </Button>
    </Form>
  );
}

function Registered({ webhook }: { readonly webhook: RegisteredWebhook }): JSX.Element {
  const catalog = useThisCatalog();
  return (
    <>
      <PageHeading title={t.registered.title}>
        <Link href={catalog.href(`/webhooks/${webhook.id}`)}>{t.registered.open}</Link>
      </PageHeading>
      <p>
        <code class="url">{webhook.url}</code>
      </p>
      <p>{t.registered.next}</p>
      <SecretPanel {...t.secret} secret={webhook.secret} />
      <Section title={t.verify.title}>
        <VerifySnippets url={webhook.url} secret={webhook.secret} />
      </Section>
      <TestEvent webhookId={webhook.id} />
    </>
  );
}
