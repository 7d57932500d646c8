/** The fields of a destination, for a new one and for a change. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Destination, FileFormat } from "../../../src/contract/destinations.ts";
import type { Problem } from "../api.ts";
import { kbPerS, shownSettings } from "../destination-draft.ts";
import type { Draft, Kind, Login } from "../destination-draft.ts";
import { destinationForm as t } from "../messages/destination-form.ts";
import { Choices, Field, Options, SelectField, TextField } from "./fields.tsx";
import { fieldError } from "./form.tsx";
import { More } from "./more.tsx";
import { SettingInput } from "./source-form.tsx";
import { Section } from "./ui.tsx";

type FieldsProps = {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
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
          <TextField
            label={t.name}
            help={t.nameHelp}
            name="name"
            maxLength={200}
            isOptional={destination === undefined}
            defaultValue={destination?.name ?? ""}
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
  const zones = useMemo(() => ["UTC", ...Intl.supportedValuesOf("timeZone")], []);
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
          <TextField
            label={t.dailyAt}
            name="daily_at"
            type="time"
            required
            defaultValue={destination?.daily_at ?? "03:00"}
          />
          <SelectField
            label={t.timeZone}
            name="time_zone"
            defaultValue={zones.includes(chosen) ? chosen : "UTC"}
            options={zones.map((zone) => [zone, zone.replaceAll("_", " ")])}
          />
        </div>
      )}
    </>
  );
}

/** Rows that are gone are known for these only. */
const HAS_VANISHED = /^acp\.(csv|tsv|jsonl)/;
/** Whole documents cannot be split. */
const isSplit = (format: FileFormat): boolean => format !== "acp.json" && format !== "jsonld.json";

function FileFields(props: FieldsProps): JSX.Element {
  const { draft, destination } = props;
  return (
    <>
      {draft.type !== "acp" && <NameFields {...props} />}
      {HAS_VANISHED.test(draft.format) && <VanishedField days={destination?.vanished_days ?? 14} />}
      <TextField
        label={t.bandwidth}
        help={t.bandwidthHelp}
        pointer="/max_bytes_per_s"
        name="kb_per_s"
        type="number"
        class="short"
        min={1}
        max={10_000_000}
        step="any"
        isOptional
        defaultValue={destination ? kbPerS(destination) : ""}
      />
    </>
  );
}

const VanishedField = ({ days }: { readonly days: number }): JSX.Element => (
  <TextField
    label={t.vanished}
    help={t.vanishedHelp}
    name="vanished_days"
    type="number"
    class="short"
    min={0}
    max={90}
    required
    defaultValue={String(days)}
  />
);

function NameFields({ draft: { format, type }, destination }: FieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label={t.fileName}
        help={t.fileNameHelp}
        name="file_name"
        maxLength={100}
        required
        defaultValue={destination?.file_name ?? "products"}
      />
      {isSplit(format) && (
        <SelectField
          label={t.shards}
          help={t.shardsHelp}
          name="shards"
          defaultValue={String(destination?.shards ?? type === "sftp")}
          options={Object.entries(t.shardsOptions)}
        />
      )}
    </>
  );
}
