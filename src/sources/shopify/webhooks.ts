/** Shopify's webhooks about products, signed with the secret of the app. */
import { AppError } from "../../errors.ts";
import { idIn, objectIn, objectsIn, textIn } from "../kit/json.ts";
import { hookBody, hookIds, type HookPlatform, isSigned, type ListedHook } from "../kit/webhooks.ts";
import type { ShopWebhooks } from "../source.ts";
import { nextCursor } from "./product.ts";
import { CREATE_HOOK, DELETE_HOOK, HOOKS_QUERY } from "./queries.ts";
import { signingSecret } from "./settings.ts";
import type { ShopifyShop } from "./shop.ts";

export const SHOPIFY_HOOKS: HookPlatform<ShopifyShop> = {
  topics: ["PRODUCTS_CREATE", "PRODUCTS_UPDATE", "PRODUCTS_DELETE"],
  missing:
    "Shopify does not let the app register webhooks about products. Check that it has the scope read_products and is installed on this shop.",
  problem: (settings) =>
    signingSecret(settings) === ""
      ? "The setting api_secret is missing: with an access token, Shopify signs webhooks with the API secret key of the custom app (Settings, Apps, Develop apps, API credentials)."
      : null,
  list: async ({ api }) => {
    const hooks: ListedHook[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { data } = await api.query({ query: HOOKS_QUERY, variables: { after } });
      const list = objectIn(data, "webhookSubscriptions");
      for (const node of objectsIn(list, "nodes")) {
        const [id = "", topic = "", url = ""] = ["id", "topic", "uri"].map((name) => textIn(node, name));
        hooks.push({ id, topic, url, isActive: true });
      }
      after = nextCursor(list);
    }
    return hooks;
  },
  create: async ({ api }, topic, { url }) => {
    const { data } = await api.query({ query: CREATE_HOOK, variables: { topic, uri: url } });
    const [error] = objectsIn(objectIn(data, "webhookSubscriptionCreate"), "userErrors");
    if (error === undefined) return;
    throw new AppError(
      "source_settings_invalid",
      "Shopify does not accept the address of our webhooks. Check that BASE_URL is an https address that can be reached from outside.",
    );
  },
  remove: async ({ api }, id) => {
    await api.query({ query: DELETE_HOOK, variables: { id } });
  },
};

export const receiveHook: ShopWebhooks["receive"] = ({ headers, body }, settings) =>
  isSigned(body, signingSecret(settings), headers["x-shopify-hmac-sha256"])
    ? hookIds(idIn(hookBody(body)))
    : null;
