/** The same price means the same in every way in, and a price with two readings is never published by a guess. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ItemAnswer } from "../../src/contract/items.ts";
import type { Rejection, SyncStats } from "../../src/contract/syncs.ts";
import type { Disposable } from "../fresh.ts";
import { dataOf } from "./answer-data.ts";
import { assertProblem } from "./problem.ts";
import { csv, type Row } from "./rows.ts";
import type { Answer, RunningApi, Shop } from "./running-api.ts";
import { runningApi } from "./running-api.ts";

let api: Disposable<RunningApi>;
before(async () => {
  api = await runningApi({ hasRenders: false });
});
after(() => api[Symbol.asyncDispose]());

type Settings = Readonly<Record<string, string>>;
/** The amount or the code of the rejection of each price, in order. */
type Outcome = readonly (string | undefined)[];
type Item = ItemAnswer["data"]["item"];

const rowsOf = (prices: readonly string[]): Row[] => prices.map((price, i) => ({ id: `p-${i}`, price }));
const productsOf = (prices: readonly (string | number)[]) =>
  prices.map((price, i) => ({ id: `p-${i}`, title: "Mug", link: `https://shop.example/${i}`, price }));

function outcomeOf(count: number, items: readonly Item[], rejections: readonly Rejection[]): Outcome {
  const byId = new Map<string | null, string>(items.map(({ id, price }) => [id, JSON.stringify(price)]));
  for (const { item_id: id, code } of rejections) byId.set(id, code);
  return Array.from({ length: count }, (_, i) => byId.get(`p-${i}`));
}

async function stored(shop: Shop, count: number, answer: Answer): Promise<Outcome> {
  assert.equal(answer.status, 200, answer.text);
  const { rejections } = dataOf<{ stats: SyncStats }>(answer).stats;
  const found = await Promise.all(Array.from({ length: count }, (_, i) => shop.call(`/api/v1/items/p-${i}`)));
  const items = found.flatMap((one) => (one.status === 200 ? [dataOf<ItemAnswer["data"]>(one).item] : []));
  return outcomeOf(count, items, rejections);
}

type Body = { readonly type: string; readonly text: string; readonly settings?: Settings };

const send = (shop: Shop, method: "POST" | "PUT", { type, text, settings = {} }: Body) =>
  shop.call(
    `/api/v1/catalog${method === "POST" ? "/preview" : ""}?${new URLSearchParams(settings).toString()}`,
    { method, headers: { "content-type": type }, body: text },
  );

type Way = (prices: readonly string[], settings: Settings) => Promise<Outcome>;

const pushed =
  (type: string, bodyOf: (prices: readonly string[]) => string): Way =>
  async (prices, settings) => {
    const shop = await api.openShop();
    const count = prices.length;
    const body = { type, text: bodyOf(prices), settings };
    const preview = await send(shop, "POST", body);
    const { items, rejections } = dataOf<{ items: Item[]; rejections: Rejection[] }>(preview);
    const outcome = await stored(shop, count, await send(shop, "PUT", body));
    assert.deepEqual(outcomeOf(count, items, rejections), outcome, "the preview foretells the push");
    return outcome;
  };

const WAYS: Readonly<Record<string, Way>> = {
  "a CSV push": pushed("text/csv", (prices) => csv(rowsOf(prices))),
  "a JSON push": pushed("application/json", (prices) => JSON.stringify(productsOf(prices))),
  "a push of JSON Lines": pushed("application/x-ndjson", (prices) =>
    productsOf(prices)
      .map((product) => JSON.stringify(product))
      .join("\n"),
  ),
  "a feed URL": async (prices, settings) => {
    const shop = await api.openShop(rowsOf(prices));
    const change = await shop.call("/api/v1/sources", {
      method: "PATCH",
      body: { id: shop.sourceId, settings },
    });
    assert.equal(change.status, 200, change.text);
    return stored(shop, prices.length, await shop.sync());
  },
};

const usd = (amount: string): string => JSON.stringify({ amount, currency: "USD" });

const CASES: readonly (readonly [string, readonly string[], Settings, Outcome])[] = [
  [
    "a price with two decimals shows what three digits are",
    ["1.299 USD", "12,50 USD", "7 USD"],
    {},
    [usd("1299.00"), usd("12.50"), usd("7.00")],
  ],
  [
    "decimals beyond those of the currency are rounded",
    ["19.990 USD", "12.50 USD", "19.9999 USD", "0.125 USD"],
    {},
    [usd("19.99"), usd("12.50"), usd("20.00"), usd("0.13")],
  ],
  [
    "only the prices with two readings are rejected",
    ["12.345 USD", "3.250 USD", "950 USD"],
    {},
    ["ambiguous_price", "ambiguous_price", usd("950.00")],
  ],
  [
    "the setting decides for a point",
    ["12.345 USD", "3.250 USD"],
    { decimal_mark: "." },
    [usd("12.35"), usd("3.25")],
  ],
  [
    "the setting decides for a comma",
    ["12.345 USD", "3.250 USD"],
    { decimal_mark: "," },
    [usd("12345.00"), usd("3250.00")],
  ],
];

for (const [title, prices, settings, expected] of CASES) {
  test(`${title}, in every way in`, async () => {
    for (const [name, read] of Object.entries(WAYS))
      assert.deepEqual(await read(prices, settings), expected, name);
  });
}

test("numbers of JSON have a decimal point, whatever the texts beside them have", async () => {
  const shop = await api.openShop();
  const text = JSON.stringify([
    ...productsOf([12.345, 1.299]).map((product) => ({ ...product, currency: "USD" })),
    { ...productsOf([0])[0], id: "p-2", price: "1.299,00 USD" },
  ]);

  const outcome = await stored(shop, 3, await send(shop, "PUT", { type: "application/json", text }));

  assert.deepEqual(outcome, [usd("12.35"), usd("1.30"), usd("1299.00")]);
});

test("a sync whose prices all have two readings fails with both readings and the setting, and so does its test", async () => {
  const shop = await api.openShop(rowsOf(["12.345 USD", "3.250 USD"]));

  const answer = await shop.sync();
  const problem = assertProblem(answer, 422, "source_all_rejected");
  assert.match(problem.detail, /2 × ambiguous_price/);
  assert.match(problem.detail, /Set decimal_mark to "\." for 12\.345 or to "," for 12345\./);

  const tried = await shop.call("/api/v1/sources/test", { method: "POST", body: { id: shop.sourceId } });
  const { rejections } = dataOf<{ rejections: Rejection[] }>(tried);
  assert.deepEqual(
    rejections.map(({ code }) => code),
    ["ambiguous_price", "ambiguous_price"],
  );
  assert.match(rejections[1]?.message ?? "", /Set decimal_mark to "\." for 3\.250 or to "," for 3250\./);
});
