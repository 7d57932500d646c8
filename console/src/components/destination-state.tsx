/** How a destination is: its state in one word, where it is, and what it gets. */
import type { JSX } from "preact";
import type { Destination, FileFormat } from "../../../src/contract/destinations.ts";
import { destinationForm } from "../messages/destination-form.ts";
import { destinationTexts as t } from "../messages/destinations.ts";
import { Badge } from "./ui.tsx";
import type { Tone } from "./ui.tsx";

/** What the pages show as a kind of its own. */
export type DestinationType = "sftp" | "https" | "acp";

export const typeOf = ({ kind, settings }: Pick<Destination, "kind" | "settings">): DestinationType =>
  kind === "https" && settings["method"] === "acp" ? "acp" : kind;

type State = keyof typeof t.states;

const TONES: Readonly<Record<State, Tone>> = {
  active: "ok",
  failing: "bad",
  new: "neutral",
  paused: "neutral",
  unconfirmed: "attention",
  keyChanged: "bad",
};

export const isUnconfirmed = ({ kind, settings }: Destination): boolean =>
  kind === "sftp" && settings["host_key"] === undefined;

/** The newest attempt failed because the server showed another key. */
export const isKeyChanged = ({ status, last_error: error }: Destination): boolean =>
  status === "failing" && error?.code === "host_key_changed";

function stateOf(destination: Destination): State {
  if (isUnconfirmed(destination)) return "unconfirmed";
  if (isKeyChanged(destination)) return "keyChanged";
  if (!destination.enabled) return "paused";
  return destination.status;
}

export function DestinationState({ destination }: { readonly destination: Destination }): JSX.Element {
  const state = stateOf(destination);
  return <Badge tone={TONES[state]}>{t.states[state]}</Badge>;
}

/** `user@host:port/folder`, or the address. */
export function placeOf({ kind, settings }: Destination): string {
  if (kind === "https") return settings["url"] ?? "";
  const { user = "", host = "", port = "22", path = "" } = settings;
  return `${user}@${host}${port === "22" ? "" : `:${port}`}${path === "" ? "" : ` ${path}`}`;
}

export const formatText = (format: FileFormat): string =>
  Object.values(destinationForm.formats)
    .map((group) => group[format])
    .find((text) => text !== undefined) ?? format;
