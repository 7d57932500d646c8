/**
 * Webhooks that shops send about their products. They are registered and removed here, the same way for every shop
 * system. A webhook is only a hint that a product changed: nothing but its id is used, and the product is then read.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { AppError } from "../../errors.ts";
import type { ReadContext, ShopHook, ShopWebhooks, SourceSettings } from "../source.ts";
import { toObject } from "./json.ts";

/** A webhook as the shop lists it. */
export type ListedHook = {
  readonly id: string;
  readonly topic: string;
  readonly url: string;
  readonly isActive: boolean;
};

/** What a shop system does with webhooks. */
export type HookPlatform<Shop> = {
  readonly topics: readonly string[];
  /** What is missing, if the shop refuses: a whole sentence. */
  readonly missing: string;
  /** What is wrong with the settings: a whole sentence; null if nothing is. */
  readonly problem?: (settings: SourceSettings) => string | null;
  readonly list: (shop: Shop) => Promise<readonly ListedHook[]>;
  readonly create: (shop: Shop, topic: string, hook: ShopHook) => Promise<void>;
  readonly remove: (shop: Shop, id: string) => Promise<void>;
};

type Open<Shop> = (settings: SourceSettings, context: Pick<ReadContext, "http" | "signal">) => Promise<Shop>;

export function shopWebhooks<Shop>(
  { receive, ...platform }: HookPlatform<Shop> & Pick<ShopWebhooks, "receive">,
  open: Open<Shop>,
): ShopWebhooks {
  const { topics, missing, problem, list, create, remove } = platform;
  return {
    receive,
    register: async (settings, context, hook) => {
      const wrong = problem?.(settings) ?? null;
      if (wrong !== null) throw new AppError("source_settings_invalid", wrong);
      const shop = await open(settings, context);
      try {
        const ours = (await list(shop)).filter((one) => isOurs(one, hook));
        const [good, bad] = [
          ours.filter(({ url, isActive }) => isActive && url === hook.url),
          ours.filter(({ url, isActive }) => !isActive || url !== hook.url),
        ];
        for (const { id } of bad) await remove(shop, id);
        for (const topic of topics) {
          if (!good.some((one) => one.topic === topic)) await create(shop, topic, hook);
        }
      } catch (error) {
        throw isRefusal(error) ? new AppError("source_unauthorized", missing, { cause: error }) : error;
      }
    },
    remove: async (settings, context, hook) => {
      const shop = await open(settings, context);
      for (const one of await list(shop)) if (isOurs(one, hook)) await remove(shop, one.id);
    },
  };
}

/** Also if the address of the service has changed since. */
const isOurs = ({ url }: ListedHook, { id }: ShopHook): boolean => url.endsWith(`/${id}`);

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "source_unauthorized" || error.code === "source_not_found");

/** Whether a base64 signature is the HMAC-SHA256 of the body's bytes. */
export function isSigned(body: Buffer, secret: string, signature: string | string[] | undefined): boolean {
  if (secret === "" || typeof signature !== "string") return false;
  return isSame(createHmac("sha256", secret).update(body).digest("base64"), signature);
}

/** In constant time, whatever the lengths. */
export function isSame(expected: string, sent: string | string[] | undefined): boolean {
  if (expected === "" || typeof sent !== "string") return false;
  return timingSafeEqual(hash("sha256", expected, "buffer"), hash("sha256", sent, "buffer"));
}

/** The body as an object; empty if it is none. */
export function hookBody(body: Buffer): JsonObject {
  try {
    return toObject(JSON.parse(body.toString()) as unknown);
  } catch {
    return {};
  }
}

/** The id as a text; none if there is none. */
export const hookIds = (id: number | undefined): readonly string[] => (id === undefined ? [] : [String(id)]);

export function webhooksField(needs: string) {
  return {
    webhooks: {
      label: "Webhooks of the shop",
      help: `Changes are read within seconds, because the shop reports them. BASE_URL must be an https address that the shop reaches. ${needs}`,
      choices: ["yes", "no"],
      default: "yes",
    },
  };
}
