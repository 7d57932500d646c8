/** BigCommerce's webhooks about products. They are not signed, but sent with a header that we choose. */
import { idIn, isTrue, objectIn, textIn, toObject } from "../kit/json.ts";
import { hookBody, hookIds, type HookPlatform, isSame } from "../kit/webhooks.ts";
import type { ShopWebhooks } from "../source.ts";
import { PERMISSIONS } from "./client.ts";
import { parseSettings } from "./settings.ts";
import type { BigcommerceShop } from "./store.ts";

const PATH = "v3/hooks";
const SECRET_HEADER = "x-shelfwire-secret";
const needs = PERMISSIONS.products;

export const BIGCOMMERCE_HOOKS: HookPlatform<BigcommerceShop> = {
  // A variant that is changed alone is reported by its SKU.
  topics: ["store/product/*", "store/sku/*"],
  missing:
    "The access token may not register webhooks. Create an API account with the permission Products: read-only and put its access token into the source.",
  list: async ({ api }) => {
    const { rows } = await api.list({ path: PATH, query: { limit: 250 }, needs });
    return rows.map(toObject).map((row) => ({
      id: String(idIn(row)),
      topic: textIn(row, "scope") ?? "",
      url: textIn(row, "destination") ?? "",
      isActive: isTrue(row, "is_active"),
    }));
  },
  create: async ({ api }, scope, { url, secret }) => {
    const headers = { [SECRET_HEADER]: secret };
    await api.object({ path: PATH, json: { scope, destination: url, is_active: true, headers }, needs });
  },
  remove: async ({ api }, id) => {
    await api.object({ path: `${PATH}/${id}`, method: "DELETE", needs });
  },
};

export const receiveHook: ShopWebhooks["receive"] = ({ headers, body }, settings, { secret }) => {
  const event = hookBody(body);
  const isOfStore = textIn(event, "producer") === `stores/${parseSettings(settings).storeHash}`;
  if (!isOfStore || !isSame(secret, headers[SECRET_HEADER])) return null;
  const data = objectIn(event, "data");
  const of = ["sku", "inventory"].map((part) => idIn(objectIn(data, part), "product_id"));
  return hookIds(of.find((id) => id !== undefined) ?? idIn(data));
};
