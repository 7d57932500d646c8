/** Creates an API key, in a dialog. */
import type { JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import type { CreatedKeyAnswer } from "../../../src/contract/keys.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { t as common } from "../messages.ts";
import { keyTexts } from "../messages/keys.ts";
import { useAction } from "../use-data.ts";
import type { Action } from "../use-data.ts";
import { Button, enteredText, Field, fieldError } from "./form.tsx";
import { useFocusInvalid } from "./focus-invalid.ts";
import { ProblemMessage } from "./ui.tsx";

const t = keyTexts.create;
const DAY_MS = 86_400_000;

type CreatedKey = Wire<typeof CreatedKeyAnswer>["data"];

export function NewKey({ onCreated }: { readonly onCreated: (key: CreatedKey) => void }): JSX.Element {
  const catalog = useThisCatalog();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const action = useAction(async (data: FormData) => {
    const days = enteredText(data, "days");
    const body = {
      name: enteredText(data, "name"),
      scopes: data.getAll("scopes"),
      expires_at: days === "" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
    };
    const key = await catalog.fetch<{ data: CreatedKey }>("/keys", { method: "POST", body });
    dialog.current?.close();
    form.current?.reset();
    onCreated(key);
  });
  const form = useFocusInvalid(action.problem);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void action.run(new FormData(event.currentTarget as HTMLFormElement));
  };
  return (
    <>
      <Button scope="admin" kind="primary" onClick={() => dialog.current?.showModal()}>
        {t.label}
      </Button>
      <dialog ref={dialog} aria-labelledby={id} onClose={action.clear}>
        <h2 id={id}>{t.label}</h2>
        <form ref={form} onSubmit={submit} noValidate>
          <KeyFields problem={action.problem} />
          {action.problem && <ProblemMessage problem={action.problem} hasFieldErrors />}
          <div class="buttons">
            <Button kind="primary" type="submit" isWorking={action.isWorking}>
              {t.submit}
            </Button>
            <Button onClick={() => dialog.current?.close()}>{common.form.cancel}</Button>
          </div>
        </form>
      </dialog>
    </>
  );
}

function KeyFields({ problem }: Pick<Action<FormData>, "problem">): JSX.Element {
  const scopesError = fieldError(problem, "/scopes");
  return (
    <>
      <Field label={t.name} help={t.nameHelp} error={fieldError(problem, "/name")}>
        {(attributes) => <input {...attributes} name="name" maxLength={200} autocomplete="off" />}
      </Field>
      <fieldset>
        <legend>{t.scopes}</legend>
        {Object.entries(keyTexts.scopes).map(([scope, text]) => (
          <label key={scope} class="check">
            <input type="checkbox" name="scopes" value={scope} defaultChecked={scope === "read"} />
            <span>
              <code>{scope}</code> <span class="muted">{text}</span>
            </span>
          </label>
        ))}
        <p class="small muted">{t.scopesNote}</p>
        {scopesError !== undefined && <p class="small field-error">{scopesError}</p>}
      </fieldset>
      <Field label={t.expires} error={fieldError(problem, "/expires_at")}>
        {(attributes) => (
          <select {...attributes} name="days">
            {Object.entries(t.spans)
              .toSorted(([a], [b]) => Number(a) - Number(b))
              .map(([days, text]) => (
                <option key={days} value={days}>
                  {text}
                </option>
              ))}
          </select>
        )}
      </Field>
    </>
  );
}
