/**
 * Queries to the Admin API: access tokens, rate limit, retries, and what a refusal means. If our API version is
 * retired, Shopify answers with a newer one and says so only in a header, so the version is compared with ours.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { numberIn, objectIn, textIn, toObject } from "../kit/json.ts";
import { type ApiAnswer, type JsonApi, jsonApi } from "../kit/json-api.ts";
import { SHOP_RETRIES } from "../kit/retry.ts";
import type { ReadContext } from "../source.ts";
import { judgeAdmin, judgeGrant, refusalOf } from "./failures.ts";
import { API_VERSION } from "./queries.ts";
import { rateLimiter } from "./query-cost.ts";
import type { ShopifyCredentials, ShopifySettings } from "./settings.ts";

export const SHOPIFY_LIMITS = {
  retries: SHOP_RETRIES,
  /** What a page requests at first. It becomes less when Shopify finds the query too costly. */
  page: { products: 50, variants: 25 },
  /** The variants of one product that did not fit into its page. */
  moreVariants: 250,
  sampleProducts: 25,
  /** If more products changed, a complete read takes less time. */
  maxChanged: 1_000,
  bulk: {
    /** Smaller shops are read by pages, which takes less time than the start of an operation. */
    fromProducts: 250,
    /** The waits between two requests for the state of an operation; the last one is repeated. */
    pollWaitsMs: [2_000, 3_000, 5_000, 10_000, 20_000, 30_000],
    /** With the waits above, about an hour. */
    maxPolls: 125,
    maxFileBytes: 8_000_000_000,
    maxLineChars: 4_000_000,
    /** About how much of the file is in memory at a time. */
    bucketBytes: 8_000_000,
    maxBuckets: 256,
  },
};
export type ShopifyLimits = Readonly<typeof SHOPIFY_LIMITS>;

export type GraphqlQuery = {
  readonly query: string;
  readonly variables: JsonObject;
  /** Error codes that the caller handles; they are returned as `refusal`. */
  readonly handles?: readonly string[];
};

export type AdminApi = ReturnType<typeof adminApi>;

export function adminApi(
  { origin, credentials }: Pick<ShopifySettings, "origin" | "credentials">,
  { http, signal }: Pick<ReadContext, "http" | "signal">,
  { retries }: Pick<ShopifyLimits, "retries">,
) {
  const api = jsonApi({ http, signal, retries });
  const tokens = tokenProvider(credentials, origin, api);
  const limiter = rateLimiter(signal);
  let version = API_VERSION;

  /** `isRenewable`: a refused token is returned, because the caller can get a new one. */
  async function send(
    { query, variables, handles = [] }: GraphqlQuery,
    isRenewable: boolean,
  ): Promise<ApiAnswer> {
    const url = `${origin}/admin/api/${API_VERSION}/graphql.json`;
    const headers = { "x-shopify-access-token": await tokens.token() };
    return api.call({ url, headers, json: { query, variables } }, (answer) =>
      isRenewable && answer.status === 401 ? "usable" : judgeAdmin(answer, handles, credentials.kind),
    );
  }

  return {
    /** The API version that answered last. */
    version: () => version,
    query: async (query: GraphqlQuery) => {
      await limiter.wait(query.query);
      let answer = await send(query, credentials.kind === "app");
      if (answer.status === 401) {
        tokens.forget();
        answer = await send(query, false);
      }
      limiter.update(query.query, answer.body);
      version = answer.headers["x-shopify-api-version"] ?? version;
      const body = toObject(answer.body);
      return { data: objectIn(body, "data"), refusal: refusalOf(body) };
    },
  };
}

/** A token that expires within this time may expire before a request arrives. */
const MARGIN_MS = 5 * 60_000;
/** The usual lifetime, if Shopify does not state one. */
const USUAL_LIFE_S = 86_399;

/** The access token of the settings, or the one that an app's client id and secret are exchanged for. */
function tokenProvider(credentials: ShopifyCredentials, origin: string, api: JsonApi) {
  let granted: ReturnType<typeof grantToken> | null = null;
  return {
    token: async (): Promise<string> => {
      if (credentials.kind === "token") return credentials.token;
      if (granted !== null && (await granted).expiresAt <= Date.now()) granted = null;
      granted ??= grantToken(credentials, origin, api);
      return (await granted).token;
    },
    /** The next token is a new one. */
    forget: () => {
      granted = null;
    },
  };
}

async function grantToken(
  { clientId, clientSecret }: Extract<ShopifyCredentials, { kind: "app" }>,
  origin: string,
  api: JsonApi,
) {
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const request = {
    method: "POST",
    url: `${origin}/admin/oauth/access_token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  } as const;
  const { body } = await api.call(request, judgeGrant);
  const answer = toObject(body);
  const lifeMs = (numberIn(answer, "expires_in") ?? USUAL_LIFE_S) * 1_000;
  return { token: textIn(answer, "access_token") ?? "", expiresAt: Date.now() + lifeMs - MARGIN_MS };
}
