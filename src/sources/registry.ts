/** The list of all kinds of sources, and the check of their settings. */
import type { FieldProblem } from "../errors.ts";
import { bigcommerce } from "./bigcommerce/bigcommerce.ts";
import { feedUrl } from "./feed-url/feed-url.ts";
import { shopify } from "./shopify/shopify.ts";
import { woocommerce } from "./woocommerce/woocommerce.ts";
import type { Connector, SettingField, SourceSettings } from "./source.ts";

export const CONNECTORS = {
  shopify,
  woocommerce,
  bigcommerce,
  feed_url: feedUrl,
} as const satisfies Record<string, Connector>;
export type SourceKind = keyof typeof CONNECTORS;

export function isSourceKind(kind: string): kind is SourceKind {
  return Object.hasOwn(CONNECTORS, kind);
}

export type CheckedSourceSettings =
  /** Secrets are separate, because they are encrypted before they are stored. */
  | { readonly kind: "valid"; readonly settings: SourceSettings; readonly secrets: SourceSettings }
  | { readonly kind: "invalid"; readonly problems: readonly FieldProblem[] };

/** Longer than any address or set of headers. */
const MAX_SETTING_CHARS = 8_000;

/** Checks the settings that a caller sent. Empty texts count as absent; defaults are filled in. */
export function checkSettings(
  kind: SourceKind,
  input: Readonly<Record<string, unknown>>,
): CheckedSourceSettings {
  const { fields, check } = CONNECTORS[kind];
  const problems: FieldProblem[] = Object.keys(input)
    .filter((name) => !fields.some((field) => field.name === name))
    .map((name) =>
      problem(name, `There is no such setting. Settings: ${fields.map((field) => field.name).join(", ")}.`),
    );
  const settings: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const field of fields) {
    const read = readSetting(field, input[field.name]);
    if (read.kind === "wrong") problems.push(problem(field.name, read.detail));
    else if (read.text !== undefined) (field.secret ? secrets : settings)[field.name] = read.text;
  }
  // A setting that is wrong already is not reported twice.
  const reported = new Set(problems.map(({ pointer }) => pointer));
  for (const { setting, detail } of check({ ...settings, ...secrets })) {
    if (!reported.has(pointerOf(setting))) problems.push(problem(setting, detail));
  }
  return problems.length > 0 ? { kind: "invalid", problems } : { kind: "valid", settings, secrets };
}

type ReadSetting =
  | { readonly kind: "read"; readonly text: string | undefined }
  | { readonly kind: "wrong"; readonly detail: string };

function readSetting(field: SettingField, input: unknown): ReadSetting {
  const value = input ?? "";
  if (typeof value !== "string") return { kind: "wrong", detail: "Must be a text." };
  const text = value.trim();
  if (text.length > MAX_SETTING_CHARS) {
    return { kind: "wrong", detail: `Must not be longer than ${MAX_SETTING_CHARS} characters.` };
  }
  if (text === "") {
    return field.required ? { kind: "wrong", detail: "Is required." } : { kind: "read", text: field.default };
  }
  if (field.choices !== undefined && !field.choices.includes(text)) {
    return { kind: "wrong", detail: `Must be one of: ${field.choices.join(", ")}.` };
  }
  return { kind: "read", text };
}

function problem(setting: string, detail: string): FieldProblem {
  return { pointer: pointerOf(setting), detail };
}

/** A JSON pointer (RFC 6901) into the settings. */
function pointerOf(setting: string): string {
  return `/settings/${setting.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
