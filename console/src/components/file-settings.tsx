/** How an uploaded file is read: needed only where its columns are not recognized. */
import type { ComponentChildren, JSX } from "preact";
import { setupText } from "../messages/setup.ts";
import { Field } from "./form.tsx";
import { More } from "./more.tsx";

const text = setupText.upload;

export type FileSettings = {
  readonly format: string;
  readonly columns: string;
  readonly link_template: string;
  readonly store_url: string;
};
export const NO_SETTINGS: FileSettings = { format: "", columns: "", link_template: "", store_url: "" };

const LINES = [
  { name: "link_template", label: text.linkTemplate, help: text.linkTemplateHelp },
  { name: "store_url", label: text.storeUrl, help: text.storeUrlHelp },
] as const;

export function FileSettingFields({
  settings,
  onChange,
  children,
}: {
  readonly settings: FileSettings;
  readonly onChange: (settings: FileSettings) => void;
  /** The button that reads the file with these settings. */
  readonly children: ComponentChildren;
}): JSX.Element {
  const isSet = Object.values(settings).some((value) => value !== "");
  return (
    <More title={text.settings} isNeeded={isSet}>
      <Field label={text.columns} help={text.columnsHelp} isOptional>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={4}
            spellcheck={false}
            value={settings.columns}
            onInput={(event) => onChange({ ...settings, columns: event.currentTarget.value })}
          />
        )}
      </Field>
      {LINES.map(({ name, label, help }) => (
        <Field key={name} label={label} help={help} isOptional>
          {(attributes) => (
            <input
              {...attributes}
              spellcheck={false}
              value={settings[name]}
              onInput={(event) => onChange({ ...settings, [name]: event.currentTarget.value })}
            />
          )}
        </Field>
      ))}
      <FormatField value={settings.format} onChange={(format) => onChange({ ...settings, format })} />
      {children}
    </More>
  );
}

function FormatField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (format: string) => void;
}): JSX.Element {
  return (
    <Field label={text.format} help={text.formatHelp} isOptional>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {Object.entries(text.formats).map(([format, name]) => (
            <option key={format} value={format === "auto" ? "" : format}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
