/**
 * Products of a fake Shopify shop, in the shape of the Admin schema, with usual values unless a test changes them.
 * Connections are plain lists here; the fake makes pages of them.
 */
export type FakeMedium = {
  readonly __typename: "MediaImage" | "Video" | "ExternalVideo" | "Model3d";
  readonly id: string;
  readonly image?: { readonly url: string } | null;
  readonly sources?: readonly { readonly url: string; readonly mimeType: string }[];
};

export type FakeVariant = {
  readonly number: number;
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly price: string;
  readonly compareAtPrice: string | null;
  readonly availableForSale: boolean;
  readonly inventoryPolicy: "DENY" | "CONTINUE";
  readonly sellableOnlineQuantity: number;
  readonly selectedOptions: readonly { readonly name: string; readonly value: string }[];
  readonly unitPriceMeasurement: Readonly<Record<string, unknown>> | null;
  readonly tracked: boolean;
  readonly requiresShipping: boolean;
  readonly weight: { readonly value: number; readonly unit: string } | null;
  /** By country; other countries have the shop's own price. */
  readonly marketPrices: Readonly<
    Record<string, { readonly amount: string; readonly currencyCode: string; readonly compareAt?: string }>
  >;
  /** By `namespace.key`. */
  readonly metafields: Readonly<Record<string, string>>;
  readonly media: readonly FakeMedium[];
};

export type FakeProduct = {
  readonly number: number;
  readonly handle: string;
  readonly updatedAt: string;
  readonly title: string;
  readonly descriptionHtml: string;
  readonly vendor: string;
  readonly productType: string;
  readonly tags: readonly string[];
  readonly status: "ACTIVE" | "DRAFT" | "ARCHIVED" | "UNLISTED";
  readonly isGiftCard: boolean;
  readonly combinedListingRole: "PARENT" | "CHILD" | null;
  readonly onlineStoreUrl: string | null;
  readonly category: { readonly fullName: string } | null;
  readonly metafields: Readonly<Record<string, string>>;
  readonly media: readonly FakeMedium[];
  readonly variants: readonly FakeVariant[];
  /** Replaces the true count of variants. */
  readonly variantsClaimed?: number;
};

export function fakeVariant(number: number, changes: Partial<FakeVariant> = {}): FakeVariant {
  return {
    number,
    sku: `SKU-${number}`,
    barcode: null,
    price: "19.90",
    compareAtPrice: null,
    availableForSale: true,
    inventoryPolicy: "DENY",
    sellableOnlineQuantity: 5,
    selectedOptions: [{ name: "Title", value: "Default Title" }],
    unitPriceMeasurement: null,
    tracked: true,
    requiresShipping: true,
    weight: { value: 0, unit: "KILOGRAMS" },
    marketPrices: {},
    metafields: {},
    media: [],
    ...changes,
  };
}

export function fakeProduct(number: number, changes: Partial<FakeProduct> = {}): FakeProduct {
  return {
    number,
    handle: `product-${number}`,
    updatedAt: "2026-11-01T08:00:00Z",
    title: `Product ${number}`,
    descriptionHtml: `<p>The description of product ${number}.</p>`,
    vendor: "Acme",
    productType: "Mugs",
    tags: [],
    status: "ACTIVE",
    isGiftCard: false,
    combinedListingRole: null,
    onlineStoreUrl: `https://shop.example/products/product-${number}`,
    category: null,
    metafields: {},
    media: [fakeImage(number)],
    variants: [fakeVariant(10_000_000 + number * 100)],
    ...changes,
  };
}

export function fakeImage(number: number): FakeMedium {
  const url = `https://cdn.shopify.com/s/files/1/${number}.jpg?v=1`;
  return { __typename: "MediaImage", id: `gid://shopify/MediaImage/${number}`, image: { url } };
}

/** Variants of one option, such as sizes. */
export function fakeVariants(product: number, count: number): FakeVariant[] {
  return Array.from({ length: count }, (_, index) =>
    fakeVariant(10_000_000 + product * 100 + index, {
      selectedOptions: [{ name: "Size", value: `${index + 1}` }],
    }),
  );
}

/** Products with this many variants in all, one to three each. */
export function fakeProducts(variants: number): FakeProduct[] {
  const products: FakeProduct[] = [];
  for (let left = variants, number = 1_001; left > 0; number += 3) {
    const count = Math.min(left, 1 + (number % 3) + (products.length % 2));
    products.push(fakeProduct(number, { variants: fakeVariants(number, count) }));
    left -= count;
  }
  return products;
}
