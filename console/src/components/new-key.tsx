/** Creates an API key, in a dialog. */
import type { JSX } from "preact";
import type { CreatedKeyAnswer } from "../../../src/contract/keys.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { keyTexts } from "../messages/keys.ts";
import { DialogButton } from "./buttons.tsx";
import { Choices, SelectField, TextField } from "./fields.tsx";
import { enteredText } from "./form.tsx";
import { NamedChoice } from "./ui.tsx";

const t = keyTexts.create;
const DAY_MS = 86_400_000;
const SPANS = Object.entries(t.spans).toSorted(([a], [b]) => Number(a) - Number(b));
const SCOPES = Object.entries(keyTexts.scopes).map(
  ([scope, text]) => [scope, <NamedChoice name={scope} text={text} />] as const,
);

type CreatedKey = Wire<typeof CreatedKeyAnswer>["data"];

export function NewKey({ onCreated }: { readonly onCreated: (key: CreatedKey) => void }): JSX.Element {
  const catalog = useThisCatalog();
  const create = async (entered: FormData) => {
    const days = enteredText(entered, "days");
    const body = {
      name: enteredText(entered, "name"),
      scopes: entered.getAll("scopes"),
      expires_at: days === "" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
    };
    onCreated(await catalog.fetch<{ data: CreatedKey }>("/keys", { method: "POST", body }));
  };
  return (
    <DialogButton
      label={t.label}
      confirm={t.submit}
      scope="admin"
      kind="primary"
      opener="primary"
      act={create}
    >
      <TextField label={t.name} help={t.nameHelp} name="name" maxLength={200} />
      <Choices
        legend={t.scopes}
        name="scopes"
        options={SCOPES}
        chosen={["read"]}
        note={t.scopesNote}
        pointer="/scopes"
      />
      <SelectField label={t.expires} pointer="/expires_at" name="days" options={SPANS} />
    </DialogButton>
  );
}
