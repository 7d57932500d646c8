/** Changes the address and the events of a webhook, in a dialog. */
import type { JSX } from "preact";
import type { Webhook } from "../../../src/contract/webhooks.ts";
import { useThisCatalog } from "../catalog.ts";
import { t as common } from "../messages.ts";
import { webhookTexts } from "../messages/webhooks.ts";
import { DialogButton } from "./buttons.tsx";
import { enteredWebhook, WebhookFields } from "./webhook-fields.tsx";

const { label, title, text } = webhookTexts.edit;

export function EditWebhook({
  webhook,
  onChanged,
}: {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const change = async (entered: FormData) => {
    const body = { id: webhook.id, ...enteredWebhook(entered) };
    await catalog.call("/webhooks", { method: "PATCH", body });
    onChanged();
  };
  return (
    <DialogButton {...{ label, title }} confirm={common.form.save} kind="primary" act={change}>
      <p>{text}</p>
      <WebhookFields webhook={webhook} />
    </DialogButton>
  );
}
