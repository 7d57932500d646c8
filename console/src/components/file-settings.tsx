/** How an uploaded file is read: needed only where its columns are not recognized. */
import type { ComponentChildren, JSX } from "preact";
import { setupText } from "../messages/setup.ts";
import { SelectField, TextField } from "./fields.tsx";
import { More } from "./more.tsx";

const text = setupText.upload;

export type FileFormSettings = {
  readonly format: string;
  readonly columns: string;
  readonly link_template: string;
  readonly store_url: string;
  readonly decimal_mark: string;
  readonly encoding: string;
};
export const NO_SETTINGS: FileFormSettings = {
  format: "",
  columns: "",
  link_template: "",
  store_url: "",
  decimal_mark: "",
  encoding: "",
};

const LINES = [
  { name: "columns", label: text.columns, help: text.columnsHelp, lines: 4 },
  { name: "link_template", label: text.linkTemplate, help: text.linkTemplateHelp },
  { name: "store_url", label: text.storeUrl, help: text.storeUrlHelp },
  { name: "encoding", label: text.encoding, help: text.encodingHelp },
] as const;
const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, name]) => [value === "auto" ? "" : value, name] as const);
const FORMATS = optionsOf(text.formats);
const DECIMAL_MARKS = optionsOf(text.decimalMarks);

export function FileSettingFields({
  settings,
  onChange,
  children,
}: {
  readonly settings: FileFormSettings;
  readonly onChange: (settings: FileFormSettings) => void;
  /** The button that reads the file with these settings. */
  readonly children: ComponentChildren;
}): JSX.Element {
  const isSet = Object.values(settings).some((value) => value !== "");
  const change = (name: keyof FileFormSettings) => (value: string) =>
    onChange({ ...settings, [name]: value });
  return (
    <More title={text.settings} isNeeded={isSet}>
      {LINES.map(({ name, ...field }) => (
        <TextField key={name} {...field} isOptional value={settings[name]} onValue={change(name)} />
      ))}
      <SelectField
        label={text.format}
        help={text.formatHelp}
        isOptional
        value={settings.format}
        options={FORMATS}
        onValue={change("format")}
      />
      <SelectField
        label={text.decimalMark}
        help={text.decimalMarkHelp}
        isOptional
        value={settings.decimal_mark}
        options={DECIMAL_MARKS}
        onValue={change("decimal_mark")}
      />
      {children}
    </More>
  );
}
