/** WooCommerce's webhooks about products, signed with a secret that we choose. */
import { idIn, objectsIn, textIn } from "../kit/json.ts";
import { hookBody, hookIds, type HookPlatform, isSigned } from "../kit/webhooks.ts";
import type { ShopWebhooks } from "../source.ts";
import { BY_ID } from "./catalog.ts";
import type { WoocommerceShop } from "./connect.ts";

const ROUTE = "wc/v3/webhooks";

export const WOO_HOOKS: HookPlatform<WoocommerceShop> = {
  topics: ["product.created", "product.updated", "product.deleted", "product.restored"],
  missing:
    "The key may not register webhooks. Create a key with the permission Read/Write for a shop manager or administrator (WooCommerce, Settings, Advanced, REST API), or set webhooks to no.",
  problem: ({ consumer_key: key = "" }) =>
    key === "" ? "Without a key, the shop takes no webhooks of ours." : null,
  list: async ({ api }) => {
    const { body } = await api.get(ROUTE, {
      ...BY_ID,
      per_page: 100,
      _fields: "id,topic,delivery_url,status",
    });
    return objectsIn({ body }, "body").map((row) => ({
      id: String(idIn(row)),
      topic: textIn(row, "topic") ?? "",
      url: textIn(row, "delivery_url") ?? "",
      // WooCommerce disables one after five failed deliveries.
      isActive: textIn(row, "status") === "active",
    }));
  },
  create: async ({ api }, topic, { url, secret }) => {
    const json = { name: `Shelfwire ${topic}`, topic, delivery_url: url, secret, status: "active" };
    await api.change(ROUTE, {}, { json });
  },
  remove: async ({ api }, id) => {
    await api.change(`${ROUTE}/${id}`, { force: "true" }, { method: "DELETE" });
  },
};

/** The first request, when a webhook is created, is not signed and has no product. */
const PING = /^webhook_id=\d+$/;

export const receiveHook: ShopWebhooks["receive"] = ({ headers, body }, _settings, { secret }) => {
  if (body.length < 40 && PING.test(body.toString())) return [];
  if (!isSigned(body, secret, headers["x-wc-webhook-signature"])) return null;
  const row = hookBody(body);
  // Of a variation, the product. WooCommerce states 0 if there is none.
  return hookIds(idIn(row, "parent_id") ?? idIn(row));
};
