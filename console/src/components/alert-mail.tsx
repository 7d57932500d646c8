/** Who is mailed about alerts and when, with a test mail. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AlertSettings, TestMail } from "../../../src/contract/alerts.ts";
import { ALERT_FIELDS } from "../../../src/contract/form-fields.ts";
import { useThisCatalog } from "../catalog.ts";
import { alertTexts } from "../messages/alerts.ts";
import { useAction, useData } from "../use-data.ts";
import { ActionButton, SaveButton } from "./buttons.tsx";
import { DeclaredField, enteredFields } from "./declared-field.tsx";
import { Choices } from "./fields.tsx";
import { Form } from "./form.tsx";
import { Await, Notice, Section, Time } from "./ui.tsx";

const t = alertTexts.mail;

export function AlertMail(): JSX.Element {
  const loaded = useData<{ data: AlertSettings }>("/alerts/settings");
  return (
    <Section title={t.title}>
      <p class="muted">{t.intro}</p>
      <Await loaded={loaded}>
        {(settings) => (
          <>
            <MailState settings={settings} />
            <MailForm settings={settings} onSaved={loaded.reload} />
            {settings.mail_configured && settings.recipients.length > 0 && <TestMailButton />}
          </>
        )}
      </Await>
    </Section>
  );
}

type OfSettings = { readonly settings: AlertSettings };

function MailState({ settings }: OfSettings): JSX.Element | null {
  const { mail_configured: isConfigured, mail_failing_since: since, mail_error: error } = settings;
  if (!isConfigured) return <Notice tone="attention">{t.notConfigured}</Notice>;
  if (since === null) return null;
  return (
    <Notice tone="bad">
      <p>
        <strong>{t.failing}</strong> {error}
      </p>
      <p class="small">
        {alertTexts.since} <Time at={since} />
      </p>
    </Notice>
  );
}

function MailForm({ settings, onSaved }: OfSettings & { readonly onSaved: () => void }): JSX.Element {
  const { call } = useThisCatalog();
  const [isSaved, setIsSaved] = useState(false);
  const [hasDigest, setHasDigest] = useState(settings.digest_at !== null);
  const { run, isWorking, problem } = useAction(async (form: FormData) => {
    const body = { ...enteredFields(form, ALERT_FIELDS), ...(!hasDigest && { digest_at: null }) };
    await call("/alerts/settings", { method: "PATCH", body });
    setIsSaved(true);
    onSaved();
  });
  return (
    <Form
      scope="write"
      hasNativeChecks
      problem={problem}
      onInput={() => setIsSaved(false)}
      onSubmit={(entered) => void run(entered)}
      fields={
        <>
          <DeclaredField of={ALERT_FIELDS} name="recipients" value={settings.recipients} />
          <DigestFields {...{ settings, hasDigest }} onChoose={setHasDigest} />
          <div class="two-fields">
            <DeclaredField of={ALERT_FIELDS} name="max_feed_age_h" value={settings.max_feed_age_h} />
            <DeclaredField of={ALERT_FIELDS} name="min_score_drop" value={settings.min_score_drop} />
          </div>
        </>
      }
    >
      <div class="buttons">
        <SaveButton {...{ isWorking, isSaved }}>{t.save}</SaveButton>
      </div>
    </Form>
  );
}

function DigestFields({
  settings: { digest_at: at, time_zone: zone },
  hasDigest,
  onChoose,
}: OfSettings & {
  readonly hasDigest: boolean;
  readonly onChoose: (hasDigest: boolean) => void;
}): JSX.Element {
  return (
    <>
      <Choices
        type="radio"
        legend={t.digest}
        name="digest"
        options={Object.entries(t.digests)}
        chosen={[hasDigest ? "on" : "off"]}
        onChoose={(chosen) => onChoose(chosen === "on")}
      />
      <div class="two-fields">
        {hasDigest && <DeclaredField of={ALERT_FIELDS} name="digest_at" value={at ?? "07:00"} />}
        <DeclaredField of={ALERT_FIELDS} name="time_zone" value={zone} />
      </div>
    </>
  );
}

function TestMailButton(): JSX.Element {
  const { fetch } = useThisCatalog();
  const [results, setResults] = useState<TestMail["results"]>();
  const send = async () => {
    setResults(undefined);
    setResults((await fetch<{ data: TestMail }>("/alerts/test", { method: "POST" })).results);
  };
  return (
    <>
      <div class="buttons">
        <ActionButton scope="write" act={send}>
          {t.test}
        </ActionButton>
        <span class="small muted">{t.testNote}</span>
      </div>
      <div role="status">
        {results && (
          <Notice tone={results.every(({ sent }) => sent) ? "ok" : "bad"}>
            <ul class="plain">
              {results.map(({ recipient, sent, error }) => (
                <li key={recipient}>
                  <strong>{recipient}</strong>: {sent ? t.sent : error}
                </li>
              ))}
            </ul>
          </Notice>
        )}
      </div>
    </>
  );
}
