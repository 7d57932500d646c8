/** Who is mailed about alerts and when, with a test mail. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { AlertSettings, TestMail } from "../../../src/contract/alerts.ts";
import { useThisCatalog } from "../catalog.ts";
import { alertTexts } from "../messages/alerts.ts";
import { useAction, useData } from "../use-data.ts";
import { ActionButton, Button } from "./buttons.tsx";
import { Choices, SelectField, TextField } from "./fields.tsx";
import { enteredText, Form } from "./form.tsx";
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
    await call("/alerts/settings", { method: "PATCH", body: enteredSettings(form, hasDigest) });
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
          <TextField
            label={t.recipients}
            help={t.recipientsHelp}
            name="recipients"
            lines={3}
            defaultValue={settings.recipients.join("\n")}
          />
          <DigestFields {...{ settings, hasDigest }} onChoose={setHasDigest} />
          <LimitFields settings={settings} />
        </>
      }
    >
      <div class="buttons">
        <Button scope="write" kind="primary" type="submit" isWorking={isWorking}>
          {t.save}
        </Button>
        <span role="status" class="muted">
          {isSaved && t.saved}
        </span>
      </div>
    </Form>
  );
}

function enteredSettings(form: FormData, hasDigest: boolean) {
  const age = enteredText(form, "max_feed_age_h");
  return {
    recipients: enteredText(form, "recipients")
      .split(/[\s,;]+/)
      .filter((address) => address !== ""),
    digest_at: hasDigest ? enteredText(form, "digest_at") : null,
    ...(form.has("time_zone") && { time_zone: enteredText(form, "time_zone") }),
    max_feed_age_h: age === "" ? null : Number(age),
    min_score_drop: Number(enteredText(form, "min_score_drop")),
  };
}

function DigestFields({
  settings: { digest_at: at, time_zone: zone },
  hasDigest,
  onChoose,
}: OfSettings & {
  readonly hasDigest: boolean;
  readonly onChoose: (hasDigest: boolean) => void;
}): JSX.Element {
  const zones = useMemo(() => [...new Set(["UTC", zone, ...Intl.supportedValuesOf("timeZone")])], [zone]);
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
        {hasDigest && (
          <TextField label={t.digestAt} name="digest_at" type="time" required defaultValue={at ?? "07:00"} />
        )}
        <SelectField
          label={t.timeZone}
          help={t.timeZoneHelp}
          name="time_zone"
          defaultValue={zone}
          options={zones.map((one) => [one, one.replaceAll("_", " ")])}
        />
      </div>
    </>
  );
}

function LimitFields({ settings: { max_feed_age_h: age, min_score_drop: drop } }: OfSettings): JSX.Element {
  return (
    <div class="two-fields">
      <TextField
        label={t.feedAge}
        help={t.feedAgeHelp}
        name="max_feed_age_h"
        type="number"
        min={1}
        max={8760}
        defaultValue={age === null ? "" : String(age)}
      />
      <TextField
        label={t.scoreDrop}
        help={t.scoreDropHelp}
        name="min_score_drop"
        type="number"
        min={1}
        max={100}
        required
        defaultValue={String(drop)}
      />
    </div>
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
