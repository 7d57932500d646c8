import { fakeProduct, fakeVariants, fakeProducts } from "../../../test/fakes/shopify-data.ts";
import { describeSource, type SourceFixture } from "../source.contract.ts";
import type { ShopifyLimits } from "./client.ts";
import { BY_BULK, BY_PAGES, shopifyWorld } from "./shopify-world.contract.ts";

const SERVER_ERROR = { kind: "answer", status: 503, body: "<h1>Service Unavailable</h1>" } as const;

/** The second product's variant without its id. */
function withoutId(data: unknown): unknown {
  return JSON.parse(
    JSON.stringify(data).replace(/"(id|legacyResourceId)":"[^"]*\b22"/g, '"$1":null'),
  ) as unknown;
}

/** `page`: the request that returns products. `step`: the request that is repeated. */
type ReadMode = { readonly limits: ShopifyLimits; readonly page: string; readonly step: string };

const READ_MODES: Readonly<Record<string, ReadMode>> = {
  "a Shopify shop by pages": { limits: BY_PAGES, page: "Products", step: "Products" },
  "a Shopify shop by a bulk operation": { limits: BY_BULK, page: "file", step: "BulkState" },
};

for (const [name, { limits, page, step }] of Object.entries(READ_MODES)) {
  describeSource(name, async (): Promise<SourceFixture> => {
    const { shop, http, connector, ...world } = await shopifyWorld([], limits);
    const { state, settings } = shop;
    return {
      connector,
      http,
      withItems: (count) => {
        state.products = fakeProducts(count);
        return settings;
      },
      withBrokenItem: () => {
        state.products = [1, 2, 3].map((number) =>
          fakeProduct(number, {
            variants: fakeVariants(number, 1).map((variant) => ({ ...variant, number: 20 + number })),
          }),
        );
        state.garble = withoutId;
        state.bulk.tamper = (file) =>
          file.replaceAll(/.*ProductVariant\/22".*/g, (line) => JSON.stringify(withoutId(JSON.parse(line))));
        return settings;
      },
      withFailure: () => {
        state.products = fakeProducts(300);
        state.fault = (what, number) =>
          what === "Count" || (what === "Products" && number > 1) ? SERVER_ERROR : null;
        return { settings, code: "source_unavailable" };
      },
      withFlakyPage: () => {
        state.products = fakeProducts(300);
        state.fault = (what, number) => (what === page && number > 1 && number < 4 ? SERVER_ERROR : null);
        if (page === "file")
          state.fault = (what, number) => (what === page && number < 3 ? SERVER_ERROR : null);
        return { settings, items: 300 };
      },
      withRevokedCredentials: () => {
        state.products = fakeProducts(300);
        state.fault = (what) => {
          if (what === "Products" || what === "BulkState") state.isRevoked = true;
          return null;
        };
        return { settings, code: "source_unauthorized" };
      },
      withRepeatedItem: () => {
        const [product] = fakeProducts(1);
        state.products = product === undefined ? [] : [product, product];
        return { settings, drafts: 1 };
      },
      withChanges: () => {
        const before = fakeProducts(400);
        state.products = before;
        state.fault = (what, number) => {
          if (what === step && number === 2) {
            const [, ...rest] = before.filter(({ number: id }) => id % 5 !== 0);
            state.products = [fakeProduct(7), ...rest, fakeProduct(900_001)];
          }
          return null;
        };
        const staying = before.slice(1).filter(({ number }) => number % 5 !== 0);
        return {
          settings,
          staying: staying.flatMap(({ variants }) => variants.map(({ number }) => String(number))),
        };
      },
      requestCount: () => shop.requests.length,
      busyConnections: shop.busyConnections,
      [Symbol.asyncDispose]: world[Symbol.asyncDispose],
    };
  });
}
