import {
  product,
  SHOP_URL,
  variableProduct,
  variation,
  type WooRow,
} from "../../../test/fakes/woocommerce-rows.ts";
import { KEYS, type WooShop, wooShop } from "../../../test/fakes/woocommerce-shop.ts";
import { httpClient } from "../../lib/outbound/http-client.ts";
import { BRIEF_RETRIES, describeSource, type SourceFixture } from "../source.contract.ts";
import type { SourceSettings } from "../source.ts";
import { WOO_LIMITS } from "./client.ts";
import { wooCommerceConnector } from "./woocommerce.ts";

const numbers = (count: number, from: number): number[] => Array.from({ length: count }, (_, i) => from + i);

/** So many items as simple products. The ids below theirs are free. */
function stockSimple(shop: WooShop, count: number): void {
  shop.products = numbers(count, 1_001).map((id) => product(id));
}

/** So many items as variations, ten to a product. */
function stockVariations(shop: WooShop, count: number): void {
  const ids = numbers(count, 100_001);
  shop.variations = ids.map((id, i) => variation(id, 1_001 + Math.floor(i / 10)));
  shop.products = numbers(Math.ceil(count / 10), 1_001).map((id, i) =>
    variableProduct(id, ids.slice(i * 10, i * 10 + 10)),
  );
}

type World = {
  readonly settings: (shop: WooShop) => SourceSettings;
  readonly prepare?: (shop: WooShop) => void;
  readonly stock: (shop: WooShop, count: number) => void;
  /** The list that has the items. */
  readonly route: string;
  readonly pageSize?: number;
  /** Enough for several pages of that list. */
  readonly several: number;
  /**
   * Whether a variation that is added after the products were read is an item. Without a key, products must name it.
   */
  readonly hasLateItem: boolean;
  /** Where the rows of the items are. */
  readonly rows: (shop: WooShop) => WooRow[];
};

const keys = { consumer_key: KEYS.key, consumer_secret: KEYS.secret };
const overTls = (): SourceSettings => ({ url: SHOP_URL, ...keys });

const worlds: Readonly<Record<string, World>> = {
  "WooCommerce with simple products": {
    settings: overTls,
    stock: stockSimple,
    route: "wc/v3/products",
    several: 500,
    hasLateItem: true,
    rows: (shop) => shop.products,
  },
  "WooCommerce with a list of variations": {
    settings: overTls,
    stock: stockVariations,
    route: "wc/v3/variations",
    several: 500,
    hasLateItem: true,
    rows: (shop) => shop.variations,
  },
  "WooCommerce with variations product by product": {
    settings: overTls,
    prepare: (shop) => Object.assign(shop, { hasVariationList: false, hasAnalytics: false }),
    stock: stockVariations,
    route: "wc/v3/products",
    // A request for each product: small pages make several of them with few products.
    pageSize: 20,
    several: 440,
    hasLateItem: true,
    rows: (shop) => shop.variations,
  },
  "WooCommerce over plain http": {
    settings: ({ origin }) => ({ url: origin, ...keys }),
    prepare: (shop) => Object.assign(shop.auth, { home: shop.origin }),
    stock: stockSimple,
    route: "wc/v3/products",
    several: 500,
    hasLateItem: true,
    rows: (shop) => shop.products,
  },
  "WooCommerce without a key": {
    settings: () => ({ url: SHOP_URL }),
    stock: stockVariations,
    route: "wc/store/v1/products",
    several: 500,
    hasLateItem: false,
    rows: (shop) => shop.variations,
  },
};

for (const [name, world] of Object.entries(worlds)) {
  describeSource(name, async (): Promise<SourceFixture> => {
    const shop = await wooShop();
    world.prepare?.(shop);
    const http = httpClient({ allowPrivate: ["127.0.0.1/32"], userAgent: "test" });
    const stocked = (count: number): SourceSettings => {
      world.stock(shop, count);
      return world.settings(shop);
    };
    return {
      connector: wooCommerceConnector({
        ...WOO_LIMITS,
        pageSize: world.pageSize ?? WOO_LIMITS.pageSize,
        retries: BRIEF_RETRIES,
      }),
      http: shop.overTls(http),
      withItems: stocked,
      withBrokenItem: () => {
        const settings = stocked(3);
        delete world.rows(shop)[1]?.["id"];
        return settings;
      },
      withFailure: () => {
        shop.fail({ route: world.route, from: 4, status: 500 });
        return { settings: stocked(world.several), code: "source_unavailable" };
      },
      withFlakyPage: () => {
        shop.fail({ route: world.route, from: 3, times: 2, status: 502 });
        return { settings: stocked(world.several), items: world.several };
      },
      withRevokedCredentials:
        name === "WooCommerce without a key"
          ? null
          : () => {
              shop.before(world.route, 3, () => Object.assign(shop.auth, { keys: null }));
              return { settings: stocked(world.several), code: "source_unauthorized" };
            },
      withRepeatedItem: () => {
        const settings = stocked(world.several);
        // A row that is added at the beginning moves the last one of a page to the next page, and is read late itself.
        const first = world.rows(shop)[0] ?? {};
        shop.before(world.route, 3, () => world.rows(shop).unshift({ ...first, id: 7 }));
        return { settings, drafts: world.several + (world.hasLateItem ? 1 : 0) };
      },
      withChanges: () => {
        const settings = stocked(world.several);
        const rows = world.rows(shop);
        const gone = rows.slice(3, 8);
        const staying = rows.filter((row) => !gone.includes(row)).map((row) => String(row["id"]));
        shop.before(world.route, 3, () => {
          rows.splice(3, 5);
          rows.push({ ...rows[0], id: 900_001 });
        });
        return { settings, staying };
      },
      requestCount: () => shop.requests.length,
      busyConnections: () => Promise.resolve(shop.inFlight()),
      async [Symbol.asyncDispose]() {
        await http.close();
        await shop[Symbol.asyncDispose]();
      },
    };
  });
}
