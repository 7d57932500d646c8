/** The settings of a feed URL: their form fields, their checks, and the request headers they give. */
import { type FileColumnSettings, parseColumnMapping } from "../product-record/column-settings.ts";
import { linkTemplate, linkTemplateProblem } from "../product-record/link-template.ts";
import type { DecimalMark } from "../../catalog/decimal.ts";
import { isEncoding } from "../../lib/formats/decode-text.ts";
import { settingFields } from "../kit/settings.ts";
import type { SettingField, SourceSettings } from "../source.ts";

export const FORMATS = ["auto", "csv", "tsv", "json", "jsonl", "xml"] as const;
export type FeedFormat = (typeof FORMATS)[number];

export const DECIMAL_MARKS = [".", ","] as const;

export const FEED_URL_FIELDS: readonly SettingField[] = settingFields({
  url: {
    label: "Feed address",
    help: "Where the product feed is: CSV, TSV, JSON, JSON Lines, RSS or Atom, plain or packed (gzip, zip, zstd).",
    required: true,
  },
  format: {
    label: "Format",
    help: "Detected from the content. Set it only when the detection is wrong.",
    choices: FORMATS,
    default: "auto",
  },
  username: {
    label: "User name",
    help: "For feeds behind HTTP basic authentication.",
  },
  password: {
    label: "Password",
    help: "For feeds behind HTTP basic authentication.",
    secret: true,
  },
  headers: {
    label: "Request headers",
    help: "Additional request headers, one per line: Name: value.",
    secret: true,
  },
  store_url: {
    label: "Store address",
    help: "The shop's own address. Relative links start there, and exports without product links need it to make them.",
  },
  decimal_mark: {
    label: "Decimal mark",
    help: "The mark before the decimals of prices. Found out from all prices. Set it only when prices such as 1.299 can be read two ways.",
    choices: DECIMAL_MARKS,
  },
  encoding: {
    label: "Encoding",
    help: "Found out from the content. Set it only when letters are wrong: windows-1250, iso-8859-2, windows-1251, shift_jis or another name of the Encoding standard.",
  },
  columns: {
    label: "Columns",
    help: "Which column feeds which field, one per line: Their name = our_name. Only needed for columns that are not recognized.",
  },
  link_template: {
    label: "Link template",
    help: "How to build product links when the feed has none: https://shop.example/{url_key}.html, with the feed's own column names in braces.",
  },
});

type FeedSettingProblem = { readonly setting: string; readonly detail: string };

export function checkFeedUrl(settings: SourceSettings): readonly FeedSettingProblem[] {
  return [
    ...(isSample(settings["url"] ?? "") ? [] : addressProblems("url", settings["url"] ?? "")),
    ...addressProblems("store_url", settings["store_url"] ?? ""),
    ...headerProblems(settings["headers"] ?? ""),
    ...columnProblems(settings),
    ...encodingProblems(settings),
    ...credentialProblems(settings),
  ];
}

function encodingProblems({ encoding = "" }: SourceSettings): FeedSettingProblem[] {
  if (encoding === "" || isEncoding(encoding)) return [];
  return [
    { setting: "encoding", detail: "Must be the name of an encoding, such as windows-1250, koi8-r or gbk." },
  ];
}

/** `sample:shop.csv` is a file that ships with the program, for trying things out without a shop. */
const isSample = (text: string): boolean => /^sample:[\w.-]+$/.test(text);

function addressProblems(setting: string, text: string): FeedSettingProblem[] {
  if (text === "") return [];
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return [{ setting, detail: "Must be a full address that begins with https:// or http://." }];
  }
  if (url.username === "" && url.password === "") return [];
  return [
    { setting, detail: "Must not contain a user name or password: use the settings username and password." },
  ];
}

function credentialProblems({ username, password }: SourceSettings): FeedSettingProblem[] {
  if ((password ?? "") !== "" && (username ?? "") === "") {
    return [{ setting: "username", detail: "Is required with a password." }];
  }
  return username?.includes(":") === true
    ? [{ setting: "username", detail: "Must not contain a colon (RFC 7617)." }]
    : [];
}

/** Field names are tokens (RFC 9110, 5.1); values are one line of visible characters. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*((?:[\x21-\x7e][\x20-\x7e]*)?)$/;

/**
 * Headers that the HTTP client or this connector sets itself, and those of one connection, which the client refuses.
 */
const RESERVED = new Set([
  ..."host content-length transfer-encoding accept-encoding if-none-match if-modified-since range".split(" "),
  ..."connection keep-alive proxy-connection upgrade te trailer expect".split(" "),
]);

function headerProblems(text: string): FeedSettingProblem[] {
  return headerLines(text).flatMap((line) => {
    const name = HEADER_LINE.exec(line)?.[1];
    if (name === undefined) return [{ setting: "headers", detail: `Every line must read "Name: value".` }];
    return RESERVED.has(name.toLowerCase())
      ? [{ setting: "headers", detail: `${name} cannot be set: the program sets it itself.` }]
      : [];
  });
}

function headerLines(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

/** The headers that the settings ask for, names in lower case. */
export function requestHeaders(settings: SourceSettings): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of headerLines(settings["headers"] ?? "")) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value.trim();
  }
  const { username, password } = settings;
  if (username !== undefined && username !== "") {
    headers["authorization"] = `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
  }
  return headers;
}

function columnProblems({ columns, link_template: template }: SourceSettings): FeedSettingProblem[] {
  const problems = parseColumnMapping(columns ?? "").problems.map((detail) => ({
    setting: "columns",
    detail,
  }));
  const detail = (template ?? "") === "" ? null : linkTemplateProblem(template ?? "");
  return detail === null ? problems : [...problems, { setting: "link_template", detail }];
}

/** How the settings say the columns are to be read. */
export function fileColumns({ columns, link_template: template }: SourceSettings): FileColumnSettings {
  return {
    mapping: parseColumnMapping(columns ?? "").mapping,
    linkTemplate: (template ?? "") === "" ? null : linkTemplate(template ?? ""),
  };
}

/** Undefined if the prices have to show it. */
export function decimalMarkSetting({ decimal_mark: mark }: SourceSettings): DecimalMark | undefined {
  return DECIMAL_MARKS.find((known) => known === mark);
}

export function formatSetting(settings: SourceSettings): FeedFormat {
  return FORMATS.find((format) => format === settings["format"]) ?? "auto";
}
