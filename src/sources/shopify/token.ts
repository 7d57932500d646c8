/**
 * The token that calls carry: the one that was given, or one that an app's id and secret are exchanged for. The
 * latter live about a day; they are kept for one read and asked for anew shortly before their end, or when Shopify
 * no longer takes them.
 */
import type { JsonApi } from "../kit/json-api.ts";
import { judgeGrant } from "./failures.ts";
import { isJsonObject, numberIn, textIn } from "../kit/json.ts";
import type { Credentials } from "./settings.ts";

export type TokenProvider = {
  readonly token: () => Promise<string>;
  /** Which settings it comes from, for messages. */
  readonly kind: Credentials["kind"];
  /** Whether a refused token can be replaced by a new one; after `forget`, the next `token` is new. */
  readonly isRenewable: boolean;
  readonly forget: () => void;
};

/** A token that ends within this time may end before our call arrives. */
const MARGIN_MS = 5 * 60_000;
/** What Shopify says when it says nothing: a day, all but a second. */
const USUAL_LIFE_S = 86_399;

export function tokenProvider(credentials: Credentials, origin: string, api: JsonApi): TokenProvider {
  if (credentials.kind === "token") {
    const { token } = credentials;
    return {
      kind: "token",
      token: () => Promise.resolve(token),
      isRenewable: false,
      forget: () => undefined,
    };
  }
  const { clientId, clientSecret } = credentials;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  }).toString();
  let granted: Promise<Granted> | null = null;

  async function grant(): Promise<Granted> {
    const { body } = await api.call(
      {
        method: "POST",
        url: `${origin}/admin/oauth/access_token`,
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: form,
      },
      judgeGrant,
    );
    const answer = isJsonObject(body) ? body : {};
    const lifeMs = (numberIn(answer, "expires_in") ?? USUAL_LIFE_S) * 1_000;
    return { token: textIn(answer, "access_token") ?? "", until: Date.now() + lifeMs - MARGIN_MS };
  }

  return {
    kind: "app",
    isRenewable: true,
    forget: () => {
      granted = null;
    },
    token: async () => {
      if (granted !== null && (await granted).until <= Date.now()) granted = null;
      granted ??= grant();
      return (await granted).token;
    },
  };
}

type Granted = { readonly token: string; readonly until: number };
