/** The fields of a webhook, for a new one and for a change. */
import type { JSX } from "preact";
import type { Webhook } from "../../../src/contract/webhooks.ts";
import type { Problem } from "../api.ts";
import { webhookTexts as t } from "../messages/webhooks.ts";
import { enteredText, Field, fieldError } from "./form.tsx";

const EVENTS = Object.entries(t.eventTexts);

export const enteredWebhook = (form: FormData) => ({
  url: enteredText(form, "url"),
  events: form.getAll("events"),
});

export function WebhookFields({
  webhook,
  problem,
}: {
  /** As it is before the change. A new one receives all events unless the user says otherwise. */
  readonly webhook?: Webhook;
  readonly problem: Problem | undefined;
}): JSX.Element {
  const eventsError = fieldError(problem, "/events");
  const isChecked = (event: string) => !webhook || webhook.events.some((one) => one === event);
  return (
    <>
      <Field label={t.url} help={t.form.urlHelp} error={fieldError(problem, "/url")}>
        {(attributes) => (
          <input
            {...attributes}
            name="url"
            type="url"
            maxLength={2048}
            placeholder={t.form.urlPlaceholder}
            defaultValue={webhook?.url ?? ""}
            spellcheck={false}
            required
          />
        )}
      </Field>
      <fieldset>
        <legend>{t.form.eventsLegend}</legend>
        {EVENTS.map(([event, text]) => (
          <label key={event} class="check">
            <input type="checkbox" name="events" value={event} defaultChecked={isChecked(event)} />
            <span>
              <code>{event}</code> <span class="muted">{text}</span>
            </span>
          </label>
        ))}
        {eventsError !== undefined && <p class="small field-error">{eventsError}</p>}
      </fieldset>
    </>
  );
}
