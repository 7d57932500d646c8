/** The answers of a BigCommerce store, from its content: permissions, filters, limits and pages. No network. */
import type { Json } from "./bigcommerce-products.ts";

export type StoreContent = {
  /** In any order; the API sorts. */
  readonly products: unknown[];
  readonly brands: Json[];
  readonly categories: Json[];
  readonly trees: Json[];
  readonly sites: Json[];
  readonly channels: Json[];
  readonly priceLists: Json[];
  /** Webhooks. */
  hooks: Json[];
  /** How prices are shown, by place. */
  readonly taxZones: Json[];
  /** In percent, for the Pricing API. */
  taxRate: number;
  /** Older stores have no trees, but a plain list of categories. Null: neither. */
  categoryLists: "trees" | "plain" | null;
  /** False: the store's plan has no Pricing API, or a proxy does not pass it on. */
  hasPricing: boolean;
  /** `null`: an answer without a body, which is how V2 of the API sends nothing. */
  store: Json | null;
  /** Permissions the token lacks. */
  readonly forbidden: Set<Permission>;
  /** The products list leaves out variants beyond this number. */
  includedVariants: number;
  /** Whether lists state their total. */
  hasTotals: boolean;
};

export type Permission = "products" | "information" | "sites" | "channels" | "hooks";

export type ShopRequest = {
  readonly isKnown: boolean;
  readonly method: string;
  readonly version: string;
  readonly path: string;
  readonly params: URLSearchParams;
  /** Parsed; undefined for a request without one. */
  readonly body?: unknown;
};

export type Answer = { readonly status: number; readonly body?: unknown };

type Route = {
  readonly version: string;
  readonly path: RegExp;
  readonly needs: Permission;
  readonly answer: (
    content: StoreContent,
    params: URLSearchParams,
    parts: readonly string[],
    sent: Pick<ShopRequest, "method" | "body">,
  ) => Answer;
};

const ROUTES: readonly Route[] = [
  {
    version: "v3",
    path: /^hooks(?:\/(\d+))?$/,
    needs: "hooks",
    answer: (content, params, [id], { method, body }) => {
      if (method === "GET") return paged(content, content.hooks, params);
      if (method === "DELETE") content.hooks = content.hooks.filter((hook) => String(hook["id"]) !== id);
      else content.hooks = [...content.hooks, { id: content.hooks.length + 1, ...(body as Json) }];
      return { status: 200, body: { data: { id: Number(id ?? content.hooks.length) }, meta: {} } };
    },
  },
  {
    version: "v2",
    path: /^store$/,
    needs: "information",
    answer: ({ store }) => (store === null ? { status: 204 } : { status: 200, body: store }),
  },
  {
    version: "v3",
    path: /^catalog\/products$/,
    needs: "products",
    answer: (content, params) => listProducts(content, params),
  },
  {
    version: "v3",
    path: /^catalog\/products\/(\d+)\/variants$/,
    needs: "products",
    answer: (content, params, [id = ""]) => paged(content, variantsOf(content, [Number(id)]), params),
  },
  {
    version: "v3",
    path: /^catalog\/variants$/,
    needs: "products",
    answer: (content, params) => paged(content, variantsOf(content, idList(params, "product_id:in")), params),
  },
  {
    version: "v3",
    path: /^catalog\/brands$/,
    needs: "products",
    answer: (content, params) => paged(content, keep(content.brands, params, { "id:in": "id" }), params),
  },
  {
    version: "v3",
    path: /^catalog\/trees$/,
    needs: "products",
    answer: (content, params) => {
      if (content.categoryLists !== "trees") return NOT_FOUND;
      const channels = idList(params, "channel_id:in");
      const trees = content.trees.filter(({ channels: own }) => overlap(own, channels));
      return paged(content, trees, params);
    },
  },
  {
    version: "v3",
    path: /^catalog\/trees\/categories$/,
    needs: "products",
    answer: (content, params) => {
      if (content.categoryLists !== "trees") return NOT_FOUND;
      const filters = { "category_id:in": "category_id", "tree_id:in": "tree_id" };
      return paged(content, keep(content.categories, params, filters), params);
    },
  },
  {
    version: "v3",
    path: /^catalog\/categories$/,
    needs: "products",
    answer: (content, params) => {
      if (content.categoryLists === null) return NOT_FOUND;
      // The older list has `id` instead of `category_id`, and no trees.
      const rows = content.categories.map(({ category_id, tree_id: _tree, ...row }) => ({
        ...row,
        id: category_id,
      }));
      return paged(content, keep(rows, params, { "id:in": "id" }), params);
    },
  },
  {
    version: "v3",
    path: /^tax\/zones$/,
    needs: "information",
    answer: ({ taxZones }) => ({ status: 200, body: { data: taxZones, meta: {} } }),
  },
  {
    version: "v3",
    path: /^pricing\/products$/,
    needs: "products",
    answer: (content, _params, _parts, { body }) => pricingOf(content, body),
  },
  {
    version: "v3",
    path: /^sites$/,
    needs: "sites",
    answer: (content, params) => {
      const sites = keep(content.sites, params, { "channel_id:in": "channel_id" });
      const meta = { pagination: { offset: 0, limit: 50, total_items: sites.length } };
      return { status: 200, body: { data: sites, meta } };
    },
  },
  {
    version: "v3",
    path: /^channels$/,
    needs: "channels",
    answer: (content, params) => paged(content, content.channels, params),
  },
  {
    version: "v3",
    path: /^pricelists$/,
    needs: "products",
    answer: (content, params) => paged(content, content.priceLists, params),
  },
];

export function answerTo(
  content: StoreContent,
  { isKnown, version, path, params, method, body }: ShopRequest,
): Answer {
  // The gateway answers in plain text.
  if (!isKnown) return { status: 401, body: "Unauthorized" };
  for (const route of ROUTES) {
    const parts = route.version === version ? route.path.exec(path) : null;
    if (parts === null) continue;
    if (content.forbidden.has(route.needs)) return problem(403, "You don't have a required scope");
    return route.answer(content, params, parts.slice(1), { method, body });
  }
  return NOT_FOUND;
}

function problem(status: number, title: string): Answer {
  return { status, body: { status, title, type: "https://developer.bigcommerce.com/status-codes" } };
}

const NOT_FOUND = problem(404, "The requested resource was not found");

/** Prices as shoppers see them, by https://developer.bigcommerce.com/docs/rest-management/pricing. */
function pricingOf(content: StoreContent, body: unknown): Answer {
  if (!content.hasPricing) return NOT_FOUND;
  const items =
    isJson(body) && Array.isArray(body["items"]) ? (body["items"] as unknown[]).filter(isJson) : [];
  if (!isJson(body) || !body["channel_id"] || !body["currency_code"] || items.length === 0)
    return problem(422, "channel_id, currency_code and items are required");
  if (items.length > 50) return problem(422, "At most 50 items");
  const isEnteredWithTax = content.store?.["is_price_entered_with_tax"] === true;
  const both = (entered: number): Json => {
    const factor = 1 + content.taxRate / 100;
    const cents = (amount: number): number => Math.round(amount * 100) / 100;
    return {
      as_entered: entered,
      entered_inclusive: isEnteredWithTax,
      tax_inclusive: cents(isEnteredWithTax ? entered : entered * factor),
      tax_exclusive: cents(isEnteredWithTax ? entered / factor : entered),
    };
  };
  const data = items.flatMap(({ product_id, variant_id }) => {
    const product = content.products.filter(isJson).find(({ id }) => id === product_id);
    const variant = variantsOf(content, [Number(product_id)])
      .filter(isJson)
      .find(({ id }) => id === variant_id);
    if (product === undefined || variant === undefined) return [];
    const regular = Number(variant["price"] ?? product["price"]);
    const now = Number(variant["calculated_price"] ?? product["calculated_price"] ?? regular);
    return [{ product_id, variant_id, price: both(regular), calculated_price: both(now) }];
  });
  return { status: 200, body: { data, meta: {} } };
}

const INCLUDES = new Set(
  "bulk_pricing_rules channels custom_fields images modifiers options parent_relations primary_image reviews variants videos".split(
    " ",
  ),
);
const SUB_RESOURCES = ["variants", "images", "custom_fields", "channels"];

function listProducts(content: StoreContent, params: URLSearchParams): Answer {
  const include = params.get("include")?.split(",") ?? [];
  if (!include.every((name) => INCLUDES.has(name))) return problem(422, "The include is invalid");
  const after = Number(params.get("id:greater") ?? 0);
  const visible = params.get("is_visible");
  const channels = idList(params, "channel_id:in");
  const since = params.get("date_modified:min");
  const ids = idList(params, "id:in");
  const fields = params.get("include_fields")?.split(",");
  const matching = content.products.filter((product) => {
    // Entries without an id pass every filter.
    if (!isJson(product) || typeof product["id"] !== "number") return true;
    if (product["id"] <= after || (ids.length > 0 && !ids.includes(product["id"]))) return false;
    if (since !== null && Date.parse(String(product["date_modified"])) < Date.parse(since)) return false;
    if (visible !== null && String(product["is_visible"] !== false) !== visible) return false;
    return overlap(product["channels"], channels);
  });
  const sorted = params.get("sort") === "id" ? matching.toSorted((a, b) => idOf(a) - idOf(b)) : matching;
  const pick = (row: unknown): unknown =>
    fields === undefined || !isJson(row)
      ? row
      : Object.fromEntries(Object.entries(row).filter(([name]) => name === "id" || fields.includes(name)));
  return paged(content, sorted, params, (product) => pick(trimmed(product, include, content)));
}

/** Sub-resources are sent only if they are requested. */
function trimmed(product: unknown, include: readonly string[], { includedVariants }: StoreContent): unknown {
  if (!isJson(product)) return product;
  const left = SUB_RESOURCES.filter((name) => !include.includes(name));
  const sent = Object.fromEntries(Object.entries(product).filter(([name]) => !left.includes(name)));
  const { variants } = sent;
  if (Array.isArray(variants)) sent["variants"] = (variants as unknown[]).slice(0, includedVariants);
  return sent;
}

const MAX_LIMIT = 250;

function paged(
  { hasTotals }: StoreContent,
  rows: readonly unknown[],
  params: URLSearchParams,
  send: (row: unknown) => unknown = (row) => row,
): Answer {
  const limit = Number(params.get("limit") ?? 50);
  const page = Number(params.get("page") ?? 1);
  if (!(limit >= 1 && limit <= MAX_LIMIT)) return problem(422, "The limit is invalid");
  const data = rows.slice((page - 1) * limit, page * limit).map(send);
  // A row that is in a list twice is counted once.
  const total = new Set(rows).size;
  const pages = Math.ceil(total / limit);
  const pagination = {
    total,
    count: data.length,
    per_page: limit,
    current_page: page,
    total_pages: pages,
    links: { current: `?page=${page}&limit=${limit}` },
  };
  return { status: 200, body: { data, meta: hasTotals ? { pagination } : {} } };
}

function variantsOf({ products }: StoreContent, ids: readonly number[]): readonly unknown[] {
  return products.flatMap((product) => {
    if (!isJson(product) || !ids.includes(idOf(product))) return [];
    const { variants } = product;
    return Array.isArray(variants) ? (variants as unknown[]) : [];
  });
}

/** Rows whose field is in the list of a parameter, for every parameter of the request. */
function keep(rows: readonly Json[], params: URLSearchParams, filters: Record<string, string>): Json[] {
  return rows.filter((row) =>
    Object.entries(filters).every(([param, field]) => {
      return !params.has(param) || idList(params, param).includes(Number(row[field]));
    }),
  );
}

function idList(params: URLSearchParams, name: string): number[] {
  return (params.get(name) ?? "").split(",").filter(Boolean).map(Number);
}

function overlap(own: unknown, wanted: readonly number[]): boolean {
  return wanted.length === 0 || (Array.isArray(own) && wanted.some((id) => own.includes(id)));
}

function idOf(product: unknown): number {
  return isJson(product) && typeof product["id"] === "number" ? product["id"] : 0;
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
