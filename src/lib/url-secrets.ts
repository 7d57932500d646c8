/**
 * Secrets in addresses: tokens, keys, passwords and signatures in the query, and the user and password before the host. An address
 * is shown with `***` in place of each. If a client sends the masked address back, the stored secrets are put in again.
 */

export const URL_MASK = "***";

/** Names of query parameters whose values are secrets, without case and without `-`, `_` and `.`. */
const SECRET_NAMES: ReadonlySet<string> = new Set(
  `key apikey accesskey secretkey privatekey sharedkey authkey licensekey subscriptionkey consumerkey functionskey
   auth authorization credential credentials xamzcredential code pass passwd pwd pw passphrase pin sig sas jwt bearer session sessionid`.split(
    /\s+/,
  ),
);
/** A name that ends like this is a secret, too: `access_token`, `client_secret`, `X-Amz-Signature`. */
const SECRET_ENDINGS = ["token", "secret", "password", "signature", "apikey"] as const;

function isSecretName(written: string): boolean {
  const name = decoded(written).toLowerCase().replaceAll(/[-_.]/g, "");
  return SECRET_NAMES.has(name) || SECRET_ENDINGS.some((ending) => name.endsWith(ending));
}

/** The parts of an address as they are written. Joined, they are the address. */
type Part = { readonly text: string; readonly secret?: { readonly name: string } };

const USER = /^(?<start>[a-z][a-z0-9+.-]*:\/\/)(?<user>[^/?#]*)@/i;

function partsOf(url: string): readonly Part[] {
  const { start = "", user } = USER.exec(url)?.groups ?? {};
  const userParts: readonly Part[] =
    user === undefined ? [] : [{ text: start }, { text: user, secret: { name: "@" } }];
  const rest = user === undefined ? url : url.slice(start.length + user.length);
  const [, before = "", query, after = ""] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(rest) ?? [];
  if (query === undefined) return [...userParts, { text: rest }];
  return [
    ...userParts,
    { text: `${before}?` },
    ...query.split(/(&)/).flatMap(parameterParts),
    { text: after },
  ];
}

function parameterParts(parameter: string): readonly Part[] {
  const at = parameter.indexOf("=");
  const name = parameter.slice(0, at);
  if (at === -1 || at === parameter.length - 1 || !isSecretName(name)) return [{ text: parameter }];
  return [{ text: `${name}=` }, { text: parameter.slice(at + 1), secret: { name } }];
}

const joined = (parts: readonly Part[]): string => parts.map(({ text }) => text).join("");

export function maskUrl(url: string): string {
  return joined(partsOf(url).map((part) => (part.secret === undefined ? part : { text: URL_MASK })));
}

/**
 * The address that a client sends back, with the secrets of the stored one in place of masks. Null if a mask stands for no stored
 * secret, or for a secret of another host: a secret is never sent to a host that it was not entered for.
 */
export function unmaskUrl(entered: string, stored: string | undefined): string | null {
  const parts = partsOf(entered);
  if (!parts.some(isMasked)) return entered;
  if (stored === undefined || originOf(stored) !== originOf(entered)) return null;
  const secrets = Map.groupBy(partsOf(stored), ({ secret }) => secret?.name);
  const unmasked = parts.map((part) => (isMasked(part) ? secrets.get(part.secret?.name)?.shift() : part));
  return unmasked.every((part) => part !== undefined) ? joined(unmasked) : null;
}

const isMasked = ({ text, secret }: Part): boolean => secret !== undefined && text === URL_MASK;

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
