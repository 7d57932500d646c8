/** Changes the address and the events of a webhook, in a dialog. */
import type { JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import type { Webhook } from "../../../src/contract/webhooks.ts";
import { useThisCatalog } from "../catalog.ts";
import { t as common } from "../messages.ts";
import { webhookTexts as t } from "../messages/webhooks.ts";
import { useAction } from "../use-data.ts";
import { useFocusInvalid } from "./focus-invalid.ts";
import { Button } from "./form.tsx";
import { ProblemMessage } from "./ui.tsx";
import { enteredWebhook, WebhookFields } from "./webhook-fields.tsx";

export function EditWebhook({
  webhook,
  onChanged,
}: {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const { run, isWorking, problem, clear } = useAction(async (form: FormData) => {
    const body = { id: webhook.id, ...enteredWebhook(form) };
    await catalog.call("/webhooks", { method: "PATCH", body });
    dialog.current?.close();
    onChanged();
  });
  const form = useFocusInvalid(problem);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void run(new FormData(event.currentTarget as HTMLFormElement));
  };
  const close = () => {
    clear();
    form.current?.reset();
  };
  return (
    <>
      <Button scope="write" kind="quiet" onClick={() => dialog.current?.showModal()}>
        {t.edit.label}
      </Button>
      <dialog ref={dialog} aria-labelledby={titleId} onClose={close}>
        <h2 id={titleId}>{t.edit.title}</h2>
        <p>{t.edit.text}</p>
        <form ref={form} onSubmit={submit} noValidate>
          <WebhookFields webhook={webhook} problem={problem} />
          {problem && <ProblemMessage problem={problem} hasFieldErrors />}
          <div class="buttons">
            <Button kind="primary" type="submit" isWorking={isWorking}>
              {common.form.save}
            </Button>
            <Button onClick={() => dialog.current?.close()}>{common.form.cancel}</Button>
          </div>
        </form>
      </dialog>
    </>
  );
}
