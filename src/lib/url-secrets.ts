/**
 * Secrets in addresses: the user and password before the host, path parameters (`;jsessionid=…`), the fragment, and the
 * parameters of the query that look like a secret by their name or by their value. An address is shown with `***` in
 * place of each. If a client sends the masked address back, the stored secrets are put in again.
 */

export const URL_MASK = "***";

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Names of parameters whose values are secrets only if the name has no other word: `code`, but not `country_code`. */
const SECRET_NAMES = listOf("code accesscode authcode securitycode k pin");
/** A name with one of these words is that of a secret: `export_hash`, `x[access]`. */
const SECRET_WORDS = listOf(
  `access auth oauth authorization bearer credential credentials hmac jwt md5 otp pass passphrase private pw sas session sha sid
   sig sign signed`,
);
/**
 * So is a name with a word that ends like this, since words are often written without a mark between them:
 * `customerkey`.
 */
const SECRET_ENDINGS =
  /(?:key|token|tokens|secret|password|passwort|kennwort|passwd|pwd|signature|hash|license|licence|sessionid|sessid)$/;
/** Names of keys that are not secret. */
const HARMLESS_NAMES = listOf("sortkey orderkey groupkey");

function isSecretName(written: string): boolean {
  const name = decoded(written);
  const words = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  const whole = words.join("");
  if (HARMLESS_NAMES.has(whole)) return false;
  // A number at the end is left out (`token2`), unless it is part of the word (`md5`).
  const all = [whole, ...words].flatMap((word) => [word, word.replace(/\d{1,9}$/, "")]);
  return SECRET_NAMES.has(whole) || all.some((word) => SECRET_WORDS.has(word) || SECRET_ENDINGS.test(word));
}

/** Shorter values are not taken for random keys. */
const MIN_RANDOM = 12;
const DATE = /^\d{4}-?\d\d-?\d\d(?:[T ]\d\d:?\d\d(?::?\d\d(?:\.\d{1,9})?)?(?:Z|[+ -]\d\d:?\d\d)?)?$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A word, a number, a word with a short number (`v2`, `SHA256`), or a number with a unit (`500ml`). */
const PLAIN_WORD = /^(?:\p{L}*|\d*|\p{L}{1,11}\d{1,4}|\d{1,4}\p{L}{1,3})$/u;

/**
 * The value looks like a random key: it is long, and letters and digits are mixed in it as they are not in words,
 * versions and dates. An address inside an address is a secret if it has one.
 */
function isSecretValue(written: string): boolean {
  if (written === URL_MASK) return true;
  const value = decoded(written);
  if (value.length < MIN_RANDOM || DATE.test(value)) return false;
  if (UUID.test(value)) return true;
  if (/^https?:\/\//i.test(value)) return maskUrl(value) !== value;
  const words = value.split(/[^\p{L}\p{N}]+/u);
  if (words.length === 1) return /\p{L}/u.test(value) && /\d/.test(value);
  return !words.every((word) => PLAIN_WORD.test(word));
}

/** The parts of an address as they are written. Joined, they are the address. */
type UrlPart = { readonly text: string; readonly secret?: { readonly name: string } };

const USER = /^(?<start>[a-z][a-z0-9+.-]*:\/\/)(?<user>[^/?#]*)@/i;

function partsOf(url: string): readonly UrlPart[] {
  const { start = "", user } = USER.exec(url)?.groups ?? {};
  const userParts: readonly UrlPart[] =
    user === undefined ? [] : [{ text: start }, { text: user, secret: { name: "@" } }];
  const rest = user === undefined ? url : url.slice(start.length + user.length);
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest) ?? [];
  return [
    ...userParts,
    ...path.split(/(?=[;/])/).flatMap(pathParts),
    ...query.split(/(^\?|&)/).flatMap(parameterParts),
    ...fragmentParts(fragment),
  ];
}

/** A path parameter is nearly always the id of a session. */
function pathParts(text: string): readonly UrlPart[] {
  const at = text.indexOf("=") + 1;
  if (!text.startsWith(";") || at === 0 || at === text.length) return [{ text }];
  const name = text.slice(0, at);
  return [{ text: name }, { text: text.slice(at), secret: { name } }];
}

/** A fragment is masked as a whole: it is not sent, so that a reader of the address does not need it. */
function fragmentParts(text: string): readonly UrlPart[] {
  return text.length < 2 ? [{ text }] : [{ text: "#" }, { text: text.slice(1), secret: { name: "#" } }];
}

/**
 * Some servers separate parameters by semicolons, too. What follows a secret and a semicolon may belong to the secret.
 */
function parameterParts(parameter: string): readonly UrlPart[] {
  const pieces = parameter.split(";");
  const first = pieces.findIndex(isSecretParameter);
  if (first === -1) return [{ text: parameter }];
  const rest = pieces.slice(first).join(";");
  const name = rest.slice(0, rest.indexOf("=") + 1);
  const before = pieces.slice(0, first).map((piece) => `${piece};`);
  return [{ text: before.join("") + name }, { text: rest.slice(name.length), secret: { name } }];
}

function isSecretParameter(parameter: string): boolean {
  const at = parameter.indexOf("=") + 1;
  const value = parameter.slice(at);
  return value !== "" && (isSecretName(parameter.slice(0, at)) || isSecretValue(value));
}

const joined = (parts: readonly UrlPart[]): string => parts.map(({ text }) => text).join("");

export function maskUrl(url: string): string {
  return joined(partsOf(url).map((part) => (part.secret === undefined ? part : { text: URL_MASK })));
}

/**
 * The address that a client sends back, with the secrets of the stored one in place of masks. Null if a mask stands for
 * no stored secret, or for a secret of another host: a secret is never sent to a host that it was not entered for.
 */
export function unmaskUrl(entered: string, stored: string | undefined): string | null {
  const parts = partsOf(entered);
  if (!parts.some(isMasked)) return entered;
  if (stored === undefined || originOf(stored) !== originOf(entered)) return null;
  const secrets = Map.groupBy(partsOf(stored), ({ secret }) => secret?.name);
  const unmasked = parts.map((part) => (isMasked(part) ? secrets.get(part.secret?.name)?.shift() : part));
  return unmasked.every((part) => part !== undefined) ? joined(unmasked) : null;
}

const isMasked = ({ text, secret }: UrlPart): boolean => secret !== undefined && text === URL_MASK;

const originOf = (url: string): string | undefined => URL.parse(url)?.origin;

/** Shorter values occur in texts by chance, so they are not searched for. */
const MIN_SEARCHED = 4;

/** The secrets of an address, as they are written and decoded, to remove them from what the other side answers. */
export function secretsInUrl(url: string): readonly string[] {
  const written = partsOf(url).flatMap(({ text, secret }) => (secret === undefined ? [] : [text]));
  const all = new Set(written.flatMap((text) => [text, decoded(text)]));
  return [...all].filter((text) => text.length >= MIN_SEARCHED && text !== URL_MASK);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
