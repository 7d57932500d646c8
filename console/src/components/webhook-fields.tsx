/** The fields of a webhook, for a new one and for a change. */
import type { JSX } from "preact";
import type { Webhook } from "../../../src/contract/webhooks.ts";
import { webhookTexts as t } from "../messages/webhooks.ts";
import { Choices, TextField } from "./fields.tsx";
import { enteredText } from "./form.tsx";
import { NamedChoice } from "./ui.tsx";

/** As `DEFAULT_EVENTS` of the contract, whose schemas the page does not load. */
const DEFAULT_EVENTS = ["sync.completed", "feeds.rendered", "audit.completed"];
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
      <TextField
        label={t.url}
        help={t.form.urlHelp}
        name="url"
        type="url"
        maxLength={2048}
        placeholder={t.form.urlPlaceholder}
        defaultValue={webhook?.url ?? ""}
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
