/** The fields of a destination, for a new one and for a change. */
import type { JSX } from "preact";
import type { Destination, FileFormat } from "../../../src/contract/destinations.ts";
import { DESTINATION_FIELDS as FIELDS } from "../../../src/contract/form-fields.ts";
import type { Problem } from "../api.ts";
import { shownSettings } from "../destination-draft.ts";
import type { DestinationDraft, DestinationKindInfo, Login } from "../destination-draft.ts";
import { destinationForm as t } from "../messages/destination-form.ts";
import { DeclaredField } from "./declared-field.tsx";
import { Choices, Field, Options } from "./fields.tsx";
import { fieldError } from "./form.tsx";
import { More } from "./more.tsx";
import { SettingInput } from "./source-form.tsx";
import { Section } from "./ui.tsx";

type FieldsProps = {
  readonly kind: DestinationKindInfo;
  readonly draft: DestinationDraft;
  readonly onChange: (change: Partial<DestinationDraft>) => void;
  readonly problem: Problem | undefined;
  /** As it is saved. */
  readonly destination?: Destination | undefined;
  /** The name if none is entered. */
  readonly placeholder?: string;
};

export function DestinationFields(props: FieldsProps): JSX.Element {
  const { draft, destination, placeholder } = props;
  const { main, more } = shownSettings(draft);
  return (
    <>
      <Section title={t.connection}>
        <div class="form">
          {main.map((name) => (
            <KindSetting key={name} name={name} {...props} />
          ))}
        </div>
      </Section>
      <Section title={t.content}>
        <div class="form">
          {draft.type !== "acp" && <FormatField {...props} />}
          {draft.type === "acp" && <input type="hidden" name="format" value="acp-feed" />}
          <ScheduleFields {...props} />
          <DeclaredField
            of={FIELDS}
            name="name"
            isOptional={destination === undefined}
            value={destination?.name ?? ""}
            placeholder={placeholder}
          />
          <More title={t.more} isNeeded={needsAttention(props, more)}>
            {more.map((name) => (
              <KindSetting key={name} name={name} {...props} />
            ))}
            <FileFields {...props} />
          </More>
        </div>
      </Section>
    </>
  );
}

const OPTIONS = ["/file_name", "/vanished_days", "/max_bytes_per_s", "/shards"] as const;

/** What is refused must be seen. */
const needsAttention = ({ problem }: FieldsProps, settings: readonly string[]): boolean =>
  [...OPTIONS, ...settings.map((name) => `/settings/${name}`)].some(
    (pointer) => fieldError(problem, pointer) !== undefined,
  );

const LOGINS: ReadonlySet<string> = new Set(["password", "private_key"]);
/** Some that are optional in general are required where they are shown. */
const NEEDED: ReadonlySet<string> = new Set([...LOGINS, "feed_id"]);

function KindSetting({
  name,
  kind,
  draft: { values, login, type },
  destination,
  onChange,
}: FieldsProps & { readonly name: string }): JSX.Element | null {
  const field = kind.fields.find((one) => one.name === name);
  if (!field) return null;
  const set = (value: string | null | undefined) => {
    const { [name]: _, ...others } = values;
    onChange({ values: value === undefined ? others : { ...others, [name]: value } });
  };
  const isSet = destination?.secrets_set.includes(name) === true;
  const isKept = isSet && typeof values[name] !== "string";
  // The third method is a type of its own.
  const choices = type === "https" && name === "method" ? ["PUT", "POST"] : field.choices;
  return (
    <>
      {LOGINS.has(name) && (
        <Choices
          type="radio"
          legend={t.login}
          name="login"
          options={Object.entries(t.logins)}
          chosen={[login]}
          onChoose={(chosen) => onChange({ login: chosen as Login })}
        />
      )}
      <SettingInput
        field={{ ...field, ...t.settings[name], choices, required: field.required || NEEDED.has(name) }}
        value={values[name]}
        isSet={isSet}
        onInput={set}
      />
      {name === "private_key" && !isKept && <KeyFile onText={set} />}
    </>
  );
}

/** Reads a key file into the field: it need not be opened in an editor. */
function KeyFile({ onText }: { readonly onText: (text: string) => void }): JSX.Element {
  return (
    <Field label={t.keyFile} help={t.keyFileHelp} isOptional>
      {(attributes) => (
        <input
          {...attributes}
          type="file"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file) void file.text().then((text) => onText(text.trim()));
          }}
        />
      )}
    </Field>
  );
}

function FormatField({ draft: { format }, onChange }: FieldsProps): JSX.Element {
  return (
    <Field label={t.format} help={t.formatHelp} pointer="/format">
      {(attributes) => (
        <select
          {...attributes}
          name="format"
          onChange={(event) => onChange({ format: event.currentTarget.value as FileFormat })}
        >
          {Object.entries(t.formats).map(([group, options]) => (
            <optgroup key={group} label={group}>
              <Options of={Object.entries(options)} chosen={format} />
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  );
}

function ScheduleFields({ draft: { schedule }, destination, onChange }: FieldsProps): JSX.Element {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const chosen = destination?.schedule === "daily" ? destination.time_zone : own;
  return (
    <>
      <Choices
        type="radio"
        legend={t.schedule}
        name="schedule"
        options={Object.entries(t.schedules)}
        chosen={[schedule]}
        onChoose={(value) => onChange({ schedule: value === "daily" ? "daily" : "publication" })}
      />
      {schedule === "daily" && (
        <div class="two-fields">
          <DeclaredField of={FIELDS} name="daily_at" value={destination?.daily_at ?? "03:00"} />
          <DeclaredField of={FIELDS} name="time_zone" value={chosen} />
        </div>
      )}
    </>
  );
}

/** Rows that are gone are known for these only. */
const HAS_VANISHED = /^acp\.(csv|tsv|jsonl)/;
/** Whole documents cannot be split. */
const isSplit = (format: FileFormat): boolean => format !== "acp.json" && format !== "jsonld.json";

/** What a new destination has, unless something else is entered. */
const newFiles = (type: DestinationDraft["type"]) => ({
  file_name: "products",
  shards: type === "sftp",
  vanished_days: 14,
  max_bytes_per_s: null,
});

function FileFields({ draft: { format, type }, destination }: FieldsProps): JSX.Element {
  const saved = destination ?? newFiles(type);
  const hasName = type !== "acp";
  return (
    <>
      {hasName && <DeclaredField of={FIELDS} name="file_name" required value={saved.file_name} />}
      {hasName && isSplit(format) && <DeclaredField of={FIELDS} name="shards" value={saved.shards} />}
      {HAS_VANISHED.test(format) && (
        <DeclaredField of={FIELDS} name="vanished_days" class="short" value={saved.vanished_days} />
      )}
      <DeclaredField
        of={FIELDS}
        name="max_bytes_per_s"
        class="short"
        isOptional
        value={saved.max_bytes_per_s}
      />
    </>
  );
}
