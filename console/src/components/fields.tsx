/** The fields of forms. */
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { t } from "../messages.ts";
import { useRefusal } from "./form.tsx";

type FieldProps = {
  readonly label: string;
  readonly help?: ComponentChildren;
  /** The field of the API's body, e.g. `/settings/url`; otherwise that of the control's name. */
  readonly pointer?: string | undefined;
  readonly isOptional?: boolean | undefined;
};

type Attributes = {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
};

/** A labeled control with help below it, and what the API said about it. */
export function Field({
  label,
  help,
  pointer,
  isOptional = false,
  children,
}: FieldProps & {
  /** Renders the control with these attributes. */
  readonly children: (attributes: Attributes) => JSX.Element;
}): JSX.Element {
  const id = useId();
  const error = useRefusal(pointer);
  const hasHelp = help !== undefined || error !== undefined;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="muted small"> {t.form.optional}</span>}
      </label>
      {children({
        id,
        "aria-describedby": hasHelp ? `${id}-help` : undefined,
        "aria-invalid": error !== undefined,
      })}
      {hasHelp && (
        <div id={`${id}-help`} class="small">
          {error !== undefined && <p class="field-error">{error}</p>}
          {help !== undefined && <p class="muted">{help}</p>}
        </div>
      )}
    </div>
  );
}

type ControlProps = {
  readonly name?: string;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly class?: string;
  readonly required?: boolean;
  readonly onValue?: (value: string) => void;
};

type TextProps = ControlProps & {
  readonly type?: "text" | "password" | "url" | "number" | "time";
  readonly autocomplete?: "off" | "new-password";
  readonly inputMode?: "text" | "numeric" | "url";
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: "any";
  readonly placeholder?: string | undefined;
  /** The id of a list of suggestions. */
  readonly list?: string;
  /** Several lines; the control is then a text area of this height. */
  readonly lines?: number;
};

/** The control for a text, for use in a `Field`. */
export function TextInput({ lines, onValue, ...attributes }: TextProps & Partial<Attributes>): JSX.Element {
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) =>
    onValue?.(event.currentTarget.value);
  if (lines === undefined) {
    // The types of elements allow some attributes with one `type` only.
    const all = {
      autocomplete: "off",
      spellcheck: false,
      ...attributes,
      onInput,
    } as JSX.IntrinsicElements["input"];
    return <input {...all} />;
  }
  const { type: _, autocomplete: _none, inputMode: _mode, list: _list, ...shared } = attributes;
  return <textarea spellcheck={false} {...shared} rows={lines} onInput={onInput} />;
}

/** Most fields are named as in the API. */
const pointerOf = ({ name }: ControlProps): string | undefined =>
  name === undefined ? undefined : `/${name}`;

export function TextField({
  label,
  help,
  pointer,
  isOptional,
  ...rest
}: FieldProps & TextProps): JSX.Element {
  return (
    <Field {...{ label, help, isOptional }} pointer={pointer ?? pointerOf(rest)}>
      {(attributes) => <TextInput {...attributes} {...rest} />}
    </Field>
  );
}

export type SelectOption = readonly [value: string, text: string];

export const Options = ({
  of: options,
  chosen,
}: {
  readonly of: readonly SelectOption[];
  /** What is chosen at first, unless the value of the control says it. */
  readonly chosen?: string | undefined;
}): JSX.Element => (
  <>
    {options.map(([value, text]) => (
      <option key={value} value={value} {...(chosen !== undefined && { selected: value === chosen })}>
        {text}
      </option>
    ))}
  </>
);

export function SelectField({
  label,
  help,
  pointer,
  isOptional,
  options,
  defaultValue,
  onValue,
  ...rest
}: FieldProps & ControlProps & { readonly options: readonly SelectOption[] }): JSX.Element {
  return (
    <Field {...{ label, help, isOptional }} pointer={pointer ?? pointerOf(rest)}>
      {(attributes) => (
        <select {...attributes} {...rest} onChange={(event) => onValue?.(event.currentTarget.value)}>
          <Options of={options} chosen={defaultValue} />
        </select>
      )}
    </Field>
  );
}

/** Check boxes, or radio buttons, of one question. */
export function Choices({
  type = "checkbox",
  legend,
  name,
  options,
  chosen,
  onChoose,
  note,
  pointer,
}: {
  readonly type?: "checkbox" | "radio";
  readonly legend: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, text: ComponentChildren])[];
  /** What is chosen at first; with `onChoose`, what is chosen. */
  readonly chosen: readonly string[];
  readonly onChoose?: (value: string) => void;
  readonly note?: string;
  readonly pointer?: string;
}): JSX.Element {
  const error = useRefusal(pointer);
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(([value, text]) => (
        <label key={value} class="check">
          <input
            type={type}
            name={name}
            value={value}
            aria-invalid={error !== undefined}
            {...(onChoose
              ? { checked: chosen.includes(value), onChange: () => onChoose(value) }
              : { defaultChecked: chosen.includes(value) })}
          />
          <span>{text}</span>
        </label>
      ))}
      {note !== undefined && <p class="small muted">{note}</p>}
      {error !== undefined && <p class="small field-error">{error}</p>}
    </fieldset>
  );
}
