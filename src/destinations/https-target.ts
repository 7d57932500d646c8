/** The settings of an HTTPS upload. */
export type HttpsTarget = {
  /** May contain `{file}`. */
  readonly url: string;
  /** `PUT`, `POST` or `acp`. */
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The id of an ACP feed. */
  readonly feedId: string;
};

const HEADER = /^([!#$%&'*+.^_`|~\w-]{1,100}):[ \t]*((?:[\x21-\x7e][\t\x20-\x7e]{0,7999})?)$/;
/** The client sets these headers. */
const OURS: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding", "connection"]);

/** Reads one header per line. `wrong` is the number of the first line that is not a header. */
export function parseHeaders(text: string): {
  readonly headers: Readonly<Record<string, string>>;
  readonly wrong: number | undefined;
} {
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const [, name = "", value = ""] = HEADER.exec(line.trim()) ?? [];
    if (name === "" || OURS.has(name.toLowerCase())) return { headers, wrong: index + 1 };
    headers[name.toLowerCase()] = value;
  }
  return { headers, wrong: undefined };
}

/** Shorter values occur in texts by chance, so they are not treated as secrets. */
const MIN_SECRET = 4;

/**
 * The values of the headers in the forms in which a receiver may echo them: with and without `Bearer`, decoded, and
 * inside JSON.
 */
export function secretsInHeaders(headers: HttpsTarget["headers"]): readonly string[] {
  const values = Object.values(headers).flatMap((value) => {
    const [, scheme = "", credentials = ""] = /^(\S+)\s+(\S.*)$/.exec(value) ?? [];
    if (scheme.toLowerCase() !== "basic") return [value, credentials];
    const login = Buffer.from(credentials, "base64").toString("utf8");
    return [value, credentials, login, login.slice(login.indexOf(":") + 1)];
  });
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET);
}
