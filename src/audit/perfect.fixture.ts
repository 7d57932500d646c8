/** A catalog without findings for which every rule is evaluated, and functions that change one thing in it. */
import type { Item, ItemGroup } from "../catalog/item.ts";
import type { AuditContext } from "./audit-context.ts";

export type PerfectCatalog = { readonly context: AuditContext; readonly items: readonly Item[] };

export const NOW = new Date("2026-11-15T12:00:00.000Z");

const CONTEXT: AuditContext = {
  settings: {
    currency: "EUR",
    country: "DE",
    sellerName: "Fjellgarn",
    storeUrl: "https://www.shop.example/",
    returnPolicyUrl: "https://shop.example/returns",
    privacyPolicyUrl: "https://shop.example/privacy",
    termsUrl: "https://shop.example/terms",
    acceptsReturns: true,
    returnDays: 30,
    targetCountries: ["DE", "AT"],
    eligibleForCheckout: true,
  },
  asOf: NOW,
  freshness: {
    lastSyncAt: new Date("2026-11-15T11:00:00.000Z"),
    intervalS: 21_600,
    publishedAt: new Date("2026-11-15T11:05:00.000Z"),
  },
};

/** Makes a description of sufficient length. */
export function describe(subject: string): string {
  return `${subject} is made by hand in a small workshop, from materials that last and can be repaired. It is washed, dried and checked three times before it is packed in paper, and it comes with a card that says who made it, when, and how to care for it through the years.`;
}

const COMMON = {
  brand: "Fjellgarn",
  condition: "new",
  availability: "in_stock",
  quantity: 7,
  weight: { value: "0.4", unit: "kg" },
  details: [{ name: "Origin", value: "Norway" }],
  highlights: ["Made to be repaired", "Packed in paper"],
  shipping: [{ country: "DE", service: "Standard", price: { amount: "4.90", currency: "EUR" } }],
} as const satisfies Partial<Item>;

type Variant = { readonly color: string; readonly size: string; readonly gtin: string };

function tee({ color, size, gtin }: Variant): Item {
  const shade = color.toLowerCase();
  const image = (view: number) => `https://cdn.shop.example/tee-${shade}-${view}.jpg?v=3`;
  return {
    ...COMMON,
    id: `tee-${shade}-${size.toLowerCase()}`,
    groupId: "tee",
    sku: `T-${color}-${size}`,
    mpn: `FG-TEE-${color}-${size}`,
    gtin,
    title: `Fjellgarn T-shirt of merino wool, ${shade}, ${size}`,
    groupTitle: "Fjellgarn T-shirt of merino wool",
    description: describe("The T-shirt of merino wool"),
    link: `https://shop.example/tee?color=${shade}&size=${size}`,
    images: [image(1), image(2), image(3)],
    price: { amount: size === "S" ? "39.00" : "41.00", currency: "EUR" },
    googleCategory: "212",
    categories: [["Clothing", "T-shirts"]],
    options: [
      { name: "Color", value: color },
      { name: "Size", value: size },
    ],
    color,
    size,
    material: "Merino wool",
    gender: "unisex",
    ageGroup: "adult",
  };
}

function single(id: string, title: string, rest: Partial<Item>): Item {
  return {
    ...COMMON,
    id,
    title,
    description: describe(title),
    link: `https://shop.example/${id}`,
    images: [1, 2, 3].map((view) => `https://cdn.shop.example/${id}-${view}.png`),
    price: { amount: "59.00", currency: "EUR" },
    categories: [["Home"]],
    material: "Oak",
    ...rest,
  };
}

export const STOOL: Item = single("stool", "Fjellgarn stool of solid oak, oiled", {
  gtin: "4006381000055",
  googleCategory: "443",
  availability: "preorder",
  availabilityDate: "2026-12-24T00:00:00.000Z",
  length: { value: "40", unit: "cm" },
  width: { value: "40", unit: "cm" },
  height: { value: "45", unit: "cm" },
});

export const PERFECT: PerfectCatalog = {
  context: CONTEXT,
  items: [
    tee({ color: "Red", size: "S", gtin: "4006381000017" }),
    tee({ color: "Red", size: "M", gtin: "4006381000024" }),
    tee({ color: "Blue", size: "S", gtin: "4006381000031" }),
    single("lamp", "Fjellgarn reading lamp with a shade of wool", {
      gtin: "4006381000048",
      googleCategory: "Home & Garden > Lighting > Lamps",
      salePrice: { amount: "49.00", currency: "EUR" },
      saleFrom: "2026-11-01T00:00:00.000Z",
      saleTo: "2026-11-30T23:59:59.999Z",
      expiresAt: "2026-12-01T00:00:00.000Z",
      color: "Cream",
    }),
    single("oil", "Fjellgarn oil for wooden boards, 250 ml", {
      identifierExists: false,
      googleCategory: "623",
      unitPricing: { measure: { value: "250", unit: "ml" }, base: { value: "1", unit: "l" } },
    }),
    STOOL,
  ],
};

/** Groups the items as a render does: items of one group together. */
export function groupsOf(items: readonly Item[]): ItemGroup[] {
  const groups: { groupId: string | null; items: Item[]; isWhole: boolean }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    const groupId = item.groupId ?? null;
    if (groupId !== null && last?.groupId === groupId) last.items.push(item);
    else groups.push({ groupId, items: [item], isWhole: true });
  }
  return groups;
}

/** A field set to undefined is removed. */
export type Patch = { readonly [Field in keyof Item]?: Item[Field] | undefined };

export function patched(item: Item, patch: Patch): Item {
  const merged = Object.entries({ ...item, ...patch }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(merged) as Item;
}

export type Mutation = (catalog: PerfectCatalog) => PerfectCatalog;

/** Changes one item of the catalog. */
export function item(id: string, patch: Patch): Mutation {
  return ({ context, items }) => ({
    context,
    items: items.map((one) => (one.id === id ? patched(one, patch) : one)),
  });
}

/** Changes the settings and keeps only one item, because settings concern all items. */
export function settings(change: Record<string, unknown>): Mutation {
  return ({ context, items }) => ({
    context: {
      ...context,
      settings: Object.fromEntries(
        Object.entries({ ...context.settings, ...change }).filter(([, value]) => value !== undefined),
      ),
    },
    items: items.filter(({ id }) => id === "stool"),
  });
}

export function freshness(change: Partial<AuditContext["freshness"]>): Mutation {
  return ({ context, items }) => ({
    context: { ...context, freshness: { ...context.freshness, ...change } },
    items: items.filter(({ id }) => id === "stool"),
  });
}
