/** What was entered about a destination, as the API takes it. */
import type { Destination, DestinationKindsAnswer, FileFormat } from "../../src/contract/destinations.ts";
import { DESTINATION_FIELDS } from "../../src/contract/form-fields.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import { enteredFields } from "./components/declared-field.tsx";
import type { DestinationType } from "./components/destination-state.tsx";
import { enteredText } from "./components/form.tsx";
import type { SourceFormValues } from "./components/source-form.tsx";

export type DestinationKindInfo = Wire<typeof DestinationKindsAnswer>["data"]["kinds"][number];
export type Login = "password" | "key";
type Schedule = Destination["schedule"];

/** What decides which fields there are. All others are read from the form when it is sent. */
export type DestinationDraft = {
  readonly type: DestinationType;
  /** The settings of the kind by name. A secret that is not here keeps its saved value; null removes it. */
  readonly values: SourceFormValues;
  readonly login: Login;
  readonly format: FileFormat;
  readonly schedule: Schedule;
};

export const newDraft = (type: DestinationType): DestinationDraft => ({
  type,
  values: type === "acp" ? { method: "acp" } : {},
  login: "password",
  format: type === "acp" ? "acp-feed" : "acp.csv.gz",
  schedule: "publication",
});

export const draftOf = (type: DestinationType, destination: Destination): DestinationDraft => ({
  type,
  values: destination.settings,
  login: destination.secrets_set.includes("private_key") ? "key" : "password",
  format: destination.format,
  schedule: destination.schedule,
});

/** The settings that the form shows, in this order. The first group is shown at once, the second on demand. */
export function shownSettings({ type, login, format }: DestinationDraft): {
  readonly main: readonly string[];
  readonly more: readonly string[];
} {
  if (type === "sftp") {
    const secrets = login === "key" ? ["private_key", "passphrase"] : ["password"];
    return { main: ["host", "user", ...secrets, "path"], more: ["port", "host_key"] };
  }
  const feed = format === "acp-feed" ? ["feed_id", "target_country"] : [];
  return type === "acp"
    ? { main: ["url", ...feed, "headers"], more: [] }
    : { main: ["url", ...feed, "method", "headers"], more: [] };
}

const isShown = (draft: DestinationDraft, name: string): boolean => {
  const { main, more } = shownSettings(draft);
  return name === "method" || main.includes(name) || more.includes(name);
};

/** The settings of a new destination. */
export const enteredSettings = (draft: DestinationDraft): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(draft.values).filter(
      (entry): entry is [string, string] => isShown(draft, entry[0]) && (entry[1] ?? "") !== "",
    ),
  );

/** The settings that differ from the saved ones; null clears one. */
export function changedSettings(draft: DestinationDraft, before: Destination): SourceFormValues {
  const { settings, secrets_set: saved } = before;
  const hidden = saved.filter((name) => !isShown(draft, name)).map((name) => [name, null] as const);
  const entered = Object.entries(draft.values)
    .filter(([name, value]) => isShown(draft, name) && isChanged(before, name, value))
    .map(([name, value]) => [name, value === "" ? null : value] as const);
  const changes = Object.fromEntries([...hidden, ...entered]);
  // The key that was confirmed is not that of another server.
  const isMoved = "host" in changes || "port" in changes;
  return isMoved && "host_key" in settings ? { host_key: null, ...changes } : changes;
}

/** An empty field of a saved secret keeps it. */
const isChanged = (
  { settings, secrets_set: saved }: Destination,
  name: string,
  value: string | null,
): boolean => (saved.includes(name) ? value !== "" : (value ?? "") !== (settings[name] ?? ""));

/** Everything but the settings of the kind. */
export const enteredOptions = (form: FormData) => ({
  ...enteredFields(form, DESTINATION_FIELDS),
  format: enteredText(form, "format"),
  schedule: enteredText(form, "schedule"),
});
