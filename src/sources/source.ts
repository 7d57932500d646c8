/**
 * What every source is: an async generator of events, pulled at the reader's pace and stopped by its signal.
 * A complete read ends with `end` (or is a lone `unchanged`); a generator that returns without either was cut
 * short, and nothing of it may be published. A failure of the whole read is a thrown AppError; a row that cannot
 * be read is an event, so that it is counted.
 */
import type { Draft } from "../catalog/draft.ts";
import type { Rejection, Warning } from "../catalog/finding.ts";
import type { DecimalMark } from "../catalog/money.ts";
import type { HttpClient } from "../lib/outbound/http-client.ts";

export type SourceEvent =
  | {
      readonly kind: "draft";
      readonly position: number;
      readonly draft: Draft;
      /** How this source's prices are written, where the source as a whole tells it better than one price can. */
      readonly decimalMark?: DecimalMark;
    }
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  | {
      readonly kind: "warning";
      readonly warning: Warning;
      /** What to set when the source's columns were not understood. */
      readonly suggestion?: ColumnSuggestion;
    }
  /** The source says that nothing has changed since `previous`. Comes alone. */
  | { readonly kind: "unchanged"; readonly validators: Validators }
  /** The read is complete. `expected` is the source's own total, where it has one. */
  | { readonly kind: "end"; readonly validators: Validators | null; readonly expected: number | null };

/** Which columns a file has, what no column feeds, and settings to try. */
export type ColumnSuggestion = {
  readonly seen: readonly string[];
  readonly missing: readonly string[];
  /** Text for the setting `columns`. */
  readonly columns: string;
  readonly link_template: string | null;
};

/** What a source remembers of its last complete read, to ask "has anything changed?". Opaque to everyone else. */
export type Validators = Readonly<Record<string, string>>;

export type ReadContext = {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
  /** A folder for this read's own temporary files; the caller removes it afterwards. */
  readonly spoolDir: string;
  readonly previous: Validators | null;
  /** `sample`: the caller wants a first look and will stop after some items; nothing large need be fetched. */
  readonly extent: "whole" | "sample";
};

/** One setting of a source, as the API, the command line and the console's form see it. */
export type SettingField = {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly required: boolean;
  /** Encrypted at rest and never shown again. */
  readonly secret: boolean;
  readonly choices?: readonly string[];
  readonly default?: string;
};

export type SourceSettings = Readonly<Record<string, string>>;

/** What a first call to the shop tells: that the credentials work, and what the user should know of the shop. */
export type Probe = {
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** What is missing or will be left out, though the shop can be read. Whole sentences. */
  readonly notes: readonly string[];
};

export type Connector = {
  readonly kind: string;
  readonly label: string;
  readonly fields: readonly SettingField[];
  /** Says what is wrong with the settings, beyond what `fields` already tells. */
  readonly check: (
    settings: SourceSettings,
  ) => readonly { readonly setting: string; readonly detail: string }[];
  /** The address that secrets are sent to: with another host, they have to be entered anew. */
  readonly destination: (settings: SourceSettings) => string;
  /** Proves credentials, permissions and reach, or throws the AppError that says what is missing. Reads no items. */
  readonly probe?: (
    settings: SourceSettings,
    context: Pick<ReadContext, "http" | "signal">,
  ) => Promise<Probe>;
  readonly read: (settings: SourceSettings, context: ReadContext) => AsyncGenerator<SourceEvent, void, void>;
};
