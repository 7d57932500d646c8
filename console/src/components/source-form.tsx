/** The settings of a source as a form, made from what the API says about the kind. Saved secrets are never shown. */
import type { JSX } from "preact";
import type { KindsAnswer } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { Problem } from "../api.ts";
import { setupText } from "../messages/setup.ts";
import { Field, Options, TextField, TextInput } from "./fields.tsx";
import { fieldError } from "./form.tsx";
import { More } from "./more.tsx";

const text = setupText.source;

export type SourceKindInfo = Wire<typeof KindsAnswer>["data"]["kinds"][number];
export type SourceSettingField = SourceKindInfo["fields"][number];
/** What the user entered, by name. A secret that is not here keeps its saved value; null removes it. */
export type SourceFormValues = Readonly<Record<string, string | null>>;

/** The settings that a shop needs, by kind; all others are under "More settings". Of other kinds all are shown. */
const MAIN: Readonly<Record<string, readonly string[]>> = {
  shopify: ["shop", "access_token", "client_id", "client_secret"],
  woocommerce: ["url", "consumer_key", "consumer_secret"],
  bigcommerce: ["store_hash", "access_token"],
  feed_url: ["url"],
};
/** Settings with one entry a line. */
const LINES = new Set(["headers", "columns", "metafields", "private_key"]);

type FieldsProps = {
  readonly kind: SourceKindInfo;
  readonly values: SourceFormValues;
  readonly secretsSet?: readonly string[];
  readonly problem: Problem | undefined;
  readonly onChange: (values: SourceFormValues) => void;
};

export function SettingFields({
  kind,
  values,
  secretsSet = [],
  problem,
  onChange,
}: FieldsProps): JSX.Element {
  const main = MAIN[kind.kind];
  const isMain = ({ name, required }: SourceSettingField) =>
    required || main === undefined || main.includes(name);
  const others = kind.fields.filter((field) => !isMain(field));
  const needsAttention = others.some(
    ({ name, default: preset }) =>
      (values[name] ?? preset ?? "") !== (preset ?? "") ||
      fieldError(problem, `/settings/${name}`) !== undefined,
  );
  const fieldOf = (field: SourceSettingField) => (
    <SettingInput
      key={field.name}
      field={field}
      value={values[field.name]}
      isSet={secretsSet.includes(field.name)}
      onInput={(value) => onChange(changed(values, field.name, value))}
    />
  );
  return (
    <>
      {kind.fields.filter(isMain).map(fieldOf)}
      {others.length > 0 && (
        <More title={text.more} isNeeded={needsAttention}>
          {others.map(fieldOf)}
        </More>
      )}
    </>
  );
}

function changed(values: SourceFormValues, name: string, value: string | null | undefined): SourceFormValues {
  const { [name]: _, ...rest } = values;
  return value === undefined ? rest : { ...rest, [name]: value };
}

type SettingProps = {
  readonly field: SourceSettingField;
  readonly value: string | null | undefined;
  readonly isSet: boolean;
  readonly onInput: (value: string | null | undefined) => void;
};

/** One setting of a source or destination. */
export function SettingInput({ field, value, isSet, onInput }: SettingProps): JSX.Element {
  const isKept = field.secret && isSet && typeof value !== "string";
  return (
    <Field
      label={field.label}
      help={field.help}
      pointer={`/settings/${field.name}`}
      isOptional={!field.required}
    >
      {(attributes) =>
        isKept ? (
          <div class="buttons saved-secret">
            <span class="muted">{value === null ? text.secretRemoved : text.secretSet}</span>
            <button
              type="button"
              id={attributes.id}
              aria-label={text.replaceOf(field.label)}
              onClick={() => onInput("")}
            >
              {text.replace}
            </button>
            {!field.required && (
              <button type="button" class="quiet" onClick={() => onInput(value === null ? undefined : null)}>
                {value === null ? text.keep : text.remove}
              </button>
            )}
          </div>
        ) : (
          <>
            <Control field={field} value={value ?? ""} attributes={attributes} onInput={onInput} />
            {isSet && (
              <button type="button" class="quiet" onClick={() => onInput(undefined)}>
                {text.keep}
              </button>
            )}
          </>
        )
      }
    </Field>
  );
}

function Control({
  field: { name, choices, default: preset, secret, required },
  value,
  attributes,
  onInput,
}: {
  readonly field: SourceSettingField;
  readonly value: string;
  readonly attributes: object;
  readonly onInput: (value: string) => void;
}): JSX.Element {
  if (choices !== null)
    return (
      <select
        {...attributes}
        value={value === "" ? (preset ?? "") : value}
        onChange={(event) => onInput(event.currentTarget.value)}
      >
        {preset === null && <option value="">{text.notSet}</option>}
        <Options of={choices.map((choice) => [choice, choice])} />
      </select>
    );
  return (
    <TextInput
      {...attributes}
      {...(LINES.has(name) && { lines: 3 })}
      {...(secret && { type: "password", autocomplete: "new-password" })}
      required={required}
      value={value}
      onValue={onInput}
    />
  );
}

export function NameField({
  placeholder,
  ...rest
}: {
  readonly value?: string;
  readonly defaultValue?: string;
  /** The name if none is entered. */
  readonly placeholder?: string;
  readonly onValue?: (name: string) => void;
}): JSX.Element {
  return (
    <TextField
      label={text.name}
      help={text.nameHelp}
      name="name"
      isOptional={placeholder !== undefined}
      required={placeholder === undefined}
      maxLength={200}
      placeholder={placeholder}
      {...rest}
    />
  );
}
