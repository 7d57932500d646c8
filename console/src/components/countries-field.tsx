/** Several countries of one setting: those chosen, each with a button that removes it, and a list to add from. */
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { countries } from "../codes.ts";
import { settingTexts } from "../messages/settings.ts";
import { Field, Options } from "./fields.tsx";
import type { SelectOption } from "./fields.tsx";

const t = settingTexts.countries;

/** As a form has them: one text. */
export const joinCodes = (codes: readonly string[]): string => codes.join(", ");
export const splitCodes = (text: string): readonly string[] =>
  text.split(/[\s,]+/).filter((code) => code !== "");

type Props = {
  readonly label: string;
  readonly help: string;
  readonly pointer: string;
  readonly name: string;
  readonly defaultValue: string;
};

export function CountriesField({ name, defaultValue, ...field }: Props): JSX.Element {
  const all = useMemo(() => new Map(countries()), []);
  const [chosen, setChosen] = useState(() => splitCodes(defaultValue));
  /** The selected entry of the list. It is saved also without a click on "Add". */
  const [next, setNext] = useState("");
  const list = useRef<HTMLSelectElement>(null);
  // A stored code that is no longer in use has no name.
  const nameOf = (code: string): string => all.get(code) ?? code;
  const options = [["", t.choose] as const, ...[...all].filter(([code]) => !chosen.includes(code))];
  const add = () => {
    if (next !== "") setChosen([...chosen, next]);
    setNext("");
    list.current?.focus();
  };
  const remove = (code: string) => {
    setChosen(chosen.filter((one) => one !== code));
    // The button that had the focus is gone.
    list.current?.focus();
  };
  return (
    <Field {...field}>
      {(attributes) => (
        <div class="countries">
          <input type="hidden" name={name} value={joinCodes(next === "" ? chosen : [...chosen, next])} />
          <Chosen
            label={field.label}
            countries={chosen.map((code) => [code, nameOf(code)])}
            onRemove={remove}
          />
          <div class="add">
            <select
              {...attributes}
              ref={list}
              value={next}
              onChange={(event) => setNext(event.currentTarget.value)}
            >
              <Options of={options} />
            </select>
            <button type="button" onClick={add}>
              {t.add}
            </button>
          </div>
          <span class="visually-hidden" role="status">
            {t.count(chosen.length)}
          </span>
        </div>
      )}
    </Field>
  );
}

function Chosen({
  label,
  countries: chosen,
  onRemove,
}: {
  readonly label: string;
  readonly countries: readonly SelectOption[];
  readonly onRemove: (code: string) => void;
}): JSX.Element | null {
  if (chosen.length === 0) return null;
  return (
    <ul class="plain chosen" aria-label={t.chosen(label)}>
      {chosen.map(([code, name]) => (
        <li key={code}>
          {name}
          <button type="button" aria-label={t.remove(name)} onClick={() => onRemove(code)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
