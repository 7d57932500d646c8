import { optionProduct, simpleProduct, VARIANT_OFFSET } from "../../../test/fakes/bigcommerce-products.ts";
import { describeSource, type SourceFixture } from "../source.contract.ts";
import { bigcommerceWorld } from "./world.contract.ts";

const ids = (count: number, from = 1): number[] => Array.from({ length: count }, (_, i) => from + i);

describeSource("BigCommerce", async (): Promise<SourceFixture> => {
  const world = await bigcommerceWorld();
  const { shop, connector, http } = world;
  const { content, settings } = shop;
  const stock = (count: number): void => {
    content.products.push(...ids(count).map((id) => simpleProduct(id)));
  };
  return {
    connector,
    http,
    withItems: (count) => {
      stock(count);
      return settings;
    },
    withBrokenItem: () => {
      content.products.push(simpleProduct(1), simpleProduct(2, { variants: null }), simpleProduct(3));
      return settings;
    },
    withFailure: () => {
      stock(600);
      shop.failAlways("id:greater=100", { status: 503 });
      return { settings, code: "source_unavailable" };
    },
    withFlakyPage: () => {
      stock(600);
      shop.fail("id:greater=100", { status: 500 }, "cut");
      return { settings, items: 600 };
    },
    withRevokedCredentials: () => {
      stock(600);
      shop.revokeAfter(6);
      return { settings, code: "source_unauthorized" };
    },
    withRepeatedItem: () => {
      const twice = simpleProduct(1);
      content.products.push(twice, twice, optionProduct(2, 2));
      return { settings, drafts: 3 };
    },
    withChanges: () => {
      stock(600);
      // Six requests come first: the store, its site, trees and tax zones, the first page and what the page names.
      shop.before(7, () => {
        content.products.splice(50, 100);
        content.products.splice(300, 5);
        content.products.push(...ids(20, 900).map((id) => simpleProduct(id)));
      });
      const staying = [...ids(50), ...ids(250, 151), ...ids(195, 406)];
      return { settings, staying: staying.map((id) => String(id + VARIANT_OFFSET)) };
    },
    requestCount: shop.requestCount,
    busyConnections: shop.busyConnections,
    [Symbol.asyncDispose]: world[Symbol.asyncDispose],
  };
});
