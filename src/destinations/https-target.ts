/** The settings of an HTTPS upload. */
export type HttpsTarget = {
  /** May contain `{file}`. */
  readonly url: string;
  /** `PUT`, `POST` or `acp`. */
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of an ACP feed. */
  readonly feedId: string;
};

const HEADER = /^([!#$%&'*+.^_`|~\w-]{1,100}):[ \t]*([\t\x20-\x7e]{0,8000})$/;
/** The client sets them. */
const OURS: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding", "connection"]);

/** One header per line. `wrong` is the number of the first line that is not one. */
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
