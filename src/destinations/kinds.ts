/** The kinds of destinations, the settings of each, and how they are checked. */
import { posix } from "node:path";
import type { DestinationKind, FileFormat } from "../contract/destinations.ts";
import type { FieldProblem } from "../errors.ts";
import { COUNTRIES } from "../lib/iso-codes.ts";
import { type Naming, namePattern } from "./formats.ts";
import { parseHostKey } from "./host-key.ts";
import { type HttpsTarget, parseHeaders } from "./https-target.ts";
import { SFTP_PORT } from "./ssh-session.ts";
import type { SftpTarget } from "./sftp-place.ts";

export type DestinationSettings = Readonly<Record<string, string>>;

export type DestinationField = {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly choices: readonly string[] | null;
  readonly default: string | null;
};

type DestinationSettingProblem = readonly [setting: string, detail: string];

type KindRule = {
  readonly label: string;
  readonly fields: readonly DestinationField[];
  readonly check: (
    settings: DestinationSettings,
    upload: Uploaded,
  ) => readonly DestinationSettingProblem[] | Promise<readonly DestinationSettingProblem[]>;
  /** The host and port that secrets are sent to. */
  readonly destination: (settings: DestinationSettings) => string;
};

/** How the files are made, which decides what the other settings must be. */
export type Uploaded = { readonly format: FileFormat; readonly isSharded: boolean };

const field = (
  name: string,
  [label, help]: readonly [string, string],
  more: Partial<DestinationField> = {},
): DestinationField => ({
  name,
  label,
  help,
  required: false,
  secret: false,
  choices: null,
  default: null,
  ...more,
});

export const DESTINATION_KINDS: Readonly<Record<DestinationKind, KindRule>> = {
  sftp: {
    label: "SFTP server",
    fields: [
      field("host", ["Host", "The name or IP address of the server."], { required: true }),
      field("port", ["Port", "Usually 22."], { default: String(SFTP_PORT) }),
      field("path", ["Folder", "Where the files go; empty: the folder of the login. It must exist."]),
      field("user", ["User", "The name to log in with."], { required: true }),
      field("password", ["Password", "Either this or a private key."], { secret: true }),
      field("private_key", ["Private key", "In OpenSSH or PEM format."], { secret: true }),
      field("passphrase", ["Passphrase", "Of the private key, if it has one."], { secret: true }),
      field("host_key", [
        "Host key",
        "Such as ssh-ed25519 SHA256:… A test shows the key of the server; compare it with the one that its operator names before you save it.",
      ]),
    ],
    check: checkSftp,
    destination: ({ host, port }) => `${host}:${port}`,
  },
  https: {
    label: "HTTPS upload",
    fields: [
      field(
        "url",
        [
          "Address",
          "Where the file goes. {file} stands for its name. With the method acp: the address above /feeds.",
        ],
        {
          required: true,
        },
      ),
      field(
        "method",
        ["Method", "PUT or POST of the whole file; acp: PATCH /feeds/{id}/products of the ACP Feed API."],
        {
          choices: ["PUT", "POST", "acp"],
          default: "PUT",
        },
      ),
      field("headers", ["Headers", "One per line, such as Authorization: Bearer …"], { secret: true }),
      field("feed_id", ["Feed id", "Of the ACP feed, as the agent assigned it."]),
      field("target_country", ["Country", "Of the ACP feed, such as US."]),
    ],
    check: checkHttps,
    destination: ({ url = "" }) => URL.parse(url)?.origin ?? url,
  },
};

/** Describes where files go, for receipts. The text contains nothing that may be secret. */
export function placeOf({
  kind,
  settings,
}: {
  readonly kind: DestinationKind;
  readonly settings: DestinationSettings;
}): string {
  const to = DESTINATION_KINDS[kind].destination(settings);
  if (kind !== "sftp") return to;
  const { path = "" } = settings;
  return `sftp://${to}${path === "" || path.startsWith("/") ? path : `/~/${path}`}`;
}

type DestinationTarget = { readonly kind: DestinationKind; readonly settings: DestinationSettings } & Naming;

/**
 * Identifies where files go and what they are called there: destinations with the same target would overwrite and
 * remove each other's files. A relative folder is relative to the user's folder.
 */
export const targetOf = ({ kind, settings, ...naming }: DestinationTarget): string =>
  JSON.stringify([
    kind,
    ...(kind === "sftp"
      ? sftpFiles(settings, namePattern(naming))
      : httpsFiles(settings, namePattern(naming))),
  ]);

function sftpFiles({ host, port, user, path = "" }: DestinationSettings, name: string): readonly unknown[] {
  const folder = posix.join(path.startsWith("/") ? "/" : `~${user}`, path, "/");
  return [host?.toLowerCase(), port, folder, name];
}

function httpsFiles(
  { url = "", method, feed_id: feedId }: DestinationSettings,
  name: string,
): readonly unknown[] {
  const address = URL.parse(url)?.href ?? url;
  if (method === "acp") return ["acp", address, feedId];
  return ["file", address, HAS_FILE.test(url) ? name : null];
}

export const DESTINATION_KIND_NAMES: readonly DestinationKind[] = ["sftp", "https"];

async function checkSftp(settings: DestinationSettings): Promise<readonly DestinationSettingProblem[]> {
  const { port = "", password, private_key: key, passphrase, host_key: hostKey } = settings;
  const problems: DestinationSettingProblem[] = [];
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) problems.push(["port", "Must be 1 to 65535."]);
  if ((password === undefined) === (key === undefined))
    problems.push(["password", "Enter either a password or a private key."]);
  if (key !== undefined) problems.push(...(await keyProblems(key, passphrase)));
  if (hostKey !== undefined && parseHostKey(hostKey) === undefined)
    problems.push(["host_key", "Must be a fingerprint such as ssh-ed25519 SHA256:…, as a test shows it."]);
  return problems;
}

async function keyProblems(
  key: string,
  passphrase: string | undefined,
): Promise<readonly DestinationSettingProblem[]> {
  // The library is loaded when it is needed, here and for uploads: it takes 8 MB, and most installations use no SFTP.
  const { default: ssh2 } = await import("ssh2");
  const parsed = ssh2.utils.parseKey(`${key}\n`, passphrase);
  if (parsed instanceof Error) {
    const isLocked = /passphrase|encrypted/i.test(parsed.message);
    return isLocked
      ? [["passphrase", "The private key cannot be decrypted with it."]]
      : [["private_key", "Must be a private key in OpenSSH or PEM format, with its first and last lines."]];
  }
  const isPrivate = [parsed].flat().every((one) => one.isPrivateKey());
  return isPrivate ? [] : [["private_key", "This is the public key. Enter the private one."]];
}

const HAS_FILE = /\{file\}/;

function checkHttps(settings: DestinationSettings, upload: Uploaded): readonly DestinationSettingProblem[] {
  const { url = "", headers = "", target_country: country } = settings;
  const problems: DestinationSettingProblem[] = [...methodProblems(settings, upload)];
  if (URL.parse(url) === null) problems.push(["url", "Must be an https:// address."]);
  if (country !== undefined && !COUNTRIES.has(country))
    problems.push(["target_country", "Must be a country code."]);
  const { wrong } = parseHeaders(headers);
  if (wrong !== undefined) problems.push(["headers", `Line ${wrong} is not a header such as Name: value.`]);
  return problems;
}

function methodProblems(
  { url = "", method, feed_id: feedId }: DestinationSettings,
  { format, isSharded }: Uploaded,
): readonly DestinationSettingProblem[] {
  const isAcp = method === "acp";
  const isNested = format === "acp-feed";
  const problems: DestinationSettingProblem[] = [];
  if (isAcp && !isNested) problems.push(["method", "acp needs the format acp-feed."]);
  if (isNested && feedId === undefined) problems.push(["feed_id", "Is required for acp-feed."]);
  if (!isAcp && (isSharded || isNested) && !HAS_FILE.test(url))
    problems.push(["url", "Must contain {file}, because several files are sent; or set shards to false."]);
  return problems;
}

export type CheckedSettings =
  | { readonly kind: "valid"; readonly settings: DestinationSettings; readonly secrets: DestinationSettings }
  | { readonly kind: "invalid"; readonly problems: readonly FieldProblem[] };

/** Splits the settings into open and secret ones. Every problem is listed. */
export async function checkSettings(
  kind: DestinationKind,
  input: DestinationSettings,
  upload: Uploaded,
): Promise<CheckedSettings> {
  const { fields, check } = DESTINATION_KINDS[kind];
  const names = fields.map(({ name }) => name);
  const problems: DestinationSettingProblem[] = Object.keys(input)
    .filter((name) => !names.includes(name))
    .map((name) => [name, `There is no such setting. Settings: ${names.join(", ")}.`]);
  const settings: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const one of fields) {
    const text = input[one.name]?.trim() || one.default;
    const detail = fieldProblem(one, text);
    if (detail !== undefined) problems.push([one.name, detail]);
    else if (text !== null) (one.secret ? secrets : settings)[one.name] = text;
  }
  const reported = new Set(problems.map(([name]) => name));
  const others = await check({ ...settings, ...secrets }, upload);
  problems.push(...others.filter(([name]) => !reported.has(name)));
  if (problems.length === 0) return { kind: "valid", settings, secrets };
  const toField = ([name, detail]: DestinationSettingProblem) => ({ pointer: `/settings/${name}`, detail });
  return { kind: "invalid", problems: problems.map(toField) };
}

function fieldProblem({ required, choices }: DestinationField, text: string | null): string | undefined {
  if (text === null) return required ? "Is required." : undefined;
  return choices?.includes(text) === false ? `Must be one of: ${choices.join(", ")}.` : undefined;
}

export function sftpTarget(settings: DestinationSettings): SftpTarget {
  const { host = "", port, user = "", password, private_key: key, passphrase, path = "" } = settings;
  return {
    host,
    port: Number(port),
    user,
    password,
    privateKey: key === undefined ? undefined : `${key}\n`,
    passphrase,
    hostKey: settings["host_key"] ?? null,
    folder: path,
  };
}

export function httpsTarget(settings: DestinationSettings): HttpsTarget {
  const { url = "", method = "PUT", headers = "", feed_id: feedId } = settings;
  return { url, method, headers: parseHeaders(headers).headers, feedId: feedId ?? "" };
}

/** Lists the kinds in the form that the API shows. */
export function kindBodies() {
  return DESTINATION_KIND_NAMES.map((kind) => {
    const { label, fields } = DESTINATION_KINDS[kind];
    return { kind, label, fields };
  });
}
