/** Fields that the contract declares: their control, and what was entered as the API takes it. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { FormField } from "../../../src/contract/form-fields.ts";
import { SelectField, TextField } from "./fields.tsx";
import { enteredText } from "./form.tsx";

type Value = string | number | boolean | readonly string[] | null;
export type FormFields = Readonly<Record<string, FormField>>;

/** A number of the API as it is entered. */
const asEntered = ({ kind, unit = 1 }: FormField, value: number): number =>
  Number((kind === "share" ? value * 100 : value / unit).toPrecision(12));

const READERS: Readonly<Record<FormField["kind"], (text: string, field: FormField) => Value>> = {
  text: (text) => text,
  url: (text) => text,
  time: (text) => text,
  time_zone: (text) => text,
  answer: (text) => text === "true",
  list: (text) => text.split(/[\s,;]+/).filter((entry) => entry !== ""),
  number: (text, { unit = 1 }) => Math.round(Number(text) * unit),
  share: (text) => Number(text) / 100,
};

/**
 * What was entered in those of the fields that the form has. An empty one is left out, unless it means null or an empty
 * list.
 */
export function enteredFields(form: FormData, table: FormFields): Readonly<Record<string, Value>> {
  const entered = Object.entries(table).flatMap(([name, field]): (readonly [string, Value])[] => {
    if (!form.has(name)) return [];
    const text = enteredText(form, name);
    if (text !== "" || field.kind === "list") return [[name, READERS[field.kind](text, field)]];
    return field.isNullable === true ? [[name, null]] : [];
  });
  return Object.fromEntries(entered);
}

export function DeclaredField<Table extends FormFields>({
  of: table,
  name,
  value,
  ...rest
}: {
  readonly of: Table;
  /** As the API names it. */
  readonly name: keyof Table & string;
  readonly value: Value;
  readonly class?: string;
  readonly isOptional?: boolean;
  readonly required?: boolean;
  readonly placeholder?: string | undefined;
}): JSX.Element {
  const field = table[name] as FormField;
  const { kind, choices, min: _min, max: _max, unit: _unit, isNullable = false, ...texts } = field;
  const shared = { ...texts, ...rest, name };
  const text = textOf(field, value);
  if (kind === "time_zone") return <TimeZoneField {...shared} zone={text} />;
  if (choices) return <SelectField {...shared} defaultValue={text} options={Object.entries(choices)} />;
  const isNeeded = NEEDED.has(kind) && !isNullable;
  return <TextField required={isNeeded} {...shared} {...controlOf(field)} defaultValue={text} />;
}

/** Kinds that have no empty value. */
const NEEDED: ReadonlySet<FormField["kind"]> = new Set(["number", "share", "time"]);

function textOf(field: FormField, value: Value): string {
  if (typeof value === "number") return String(asEntered(field, value));
  return Array.isArray(value) ? value.join("\n") : String(value ?? "");
}

/** What the control of a kind has that is not that of a text. */
function controlOf(
  field: FormField,
): Pick<Parameters<typeof TextField>[0], "type" | "lines" | "min" | "max" | "step"> {
  const { kind, unit, min, max } = field;
  if (kind === "time" || kind === "url") return { type: kind };
  if (kind === "list") return { lines: 3 };
  if (kind !== "number" && kind !== "share") return {};
  return {
    type: "number",
    ...(min !== undefined && { min: asEntered(field, min) }),
    ...(max !== undefined && { max: asEntered(field, max) }),
    ...((kind === "share" || unit !== undefined) && { step: "any" }),
  };
}

function TimeZoneField({
  zone,
  ...rest
}: Pick<Parameters<typeof SelectField>[0], "label" | "name" | "help"> & {
  readonly zone: string;
}): JSX.Element {
  const zones = useMemo(() => [...new Set(["UTC", zone, ...Intl.supportedValuesOf("timeZone")])], [zone]);
  return (
    <SelectField
      {...rest}
      defaultValue={zone}
      options={zones.map((one) => [one, one.replaceAll("_", " ")])}
    />
  );
}
