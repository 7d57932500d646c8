/** The fields of a webhook, for a new one and for a change. */
import type { JSX } from "preact";
import { DEFAULT_EVENTS, WEBHOOK_FIELDS } from "../../../src/contract/form-fields.ts";
import type { Webhook } from "../../../src/contract/webhooks.ts";
import { webhookTexts as t } from "../messages/webhooks.ts";
import { DeclaredField } from "./declared-field.tsx";
import { Choices } from "./fields.tsx";
import { enteredText } from "./form.tsx";
import { NamedChoice } from "./ui.tsx";

const OPTIONS = Object.entries(t.eventTexts).map(
  ([event, text]) => [event, <NamedChoice name={event} text={text} />] as const,
);

export const enteredWebhook = (form: FormData) => ({
  url: enteredText(form, "url"),
  events: form.getAll("events"),
});

export function WebhookFields({
  webhook,
}: {
  /** As it is before the change. A new one receives what has succeeded unless the user says otherwise. */
  readonly webhook?: Webhook;
}): JSX.Element {
  return (
    <>
      <DeclaredField
        of={WEBHOOK_FIELDS}
        name="url"
        placeholder={t.form.urlPlaceholder}
        value={webhook?.url ?? ""}
        required
      />
      <Choices
        legend={t.form.eventsLegend}
        name="events"
        options={OPTIONS}
        chosen={webhook?.events ?? DEFAULT_EVENTS}
        pointer="/events"
      />
    </>
  );
}
