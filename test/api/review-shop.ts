/** A shop whose proposals are decided on. */
import assert from "node:assert/strict";
import type { Plan } from "../../src/contract/plans.ts";
import type { ProposalGroup } from "../../src/contract/proposals.ts";
import { untilRun } from "../actions.ts";
import type { Answer, RunningApi, Shop } from "./running-api.ts";

export const shirt = (id: string, more: object = {}): object => ({
  id,
  title: `Acme shirt ${id}`,
  description:
    "A plain shirt of soft cotton for every day, washed before it is sewn so that it keeps its size.",
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  price: "19.50 EUR",
  availability: "in_stock",
  categories: ["Clothing > Shirts"],
  ...more,
});

/** Two of three have a brand, which is also in the title of the third. */
export const SHIRTS: readonly object[] = [
  shirt("a", { brand: "Acme" }),
  shirt("b", { brand: "Acme" }),
  shirt("c"),
  shirt("d", { details: [{ name: "Color", value: "Blue" }] }),
];

export async function push(
  shop: Shop,
  products: readonly object[],
  method: "PUT" | "PATCH" = "PUT",
): Promise<void> {
  const answer = await shop.call("/api/v1/catalog", { method, body: products });
  assert.equal(answer.status, 200, answer.text);
}

type Groups = { groups: ProposalGroup[]; counts: Record<string, number>; next_cursor: string | null };

export async function groupsOf(shop: Shop, state = "pending", more = ""): Promise<Groups> {
  const answer = await shop.call(`/api/v1/proposals?state=${state}${more}`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: Groups }).data;
}

export async function groupOf(shop: Shop, field: string, state = "pending"): Promise<ProposalGroup> {
  const group = (await groupsOf(shop, state)).groups.find((one) => one.field === field);
  assert.ok(group, `no ${state} group for ${field}`);
  return group;
}

export const decide = async (shop: Shop, verb: string, body: object): Promise<Answer> =>
  shop.call(`/api/v1/proposals/${verb}`, { method: "POST", body });

export type Decided = {
  readonly decided: number;
  readonly unchanged: number;
  readonly decision_id: string | null;
  readonly plan?: Plan;
};
export const decidedIn = ({ json }: Answer): Decided => (json as { data: Decided }).data;

export async function approve(shop: Shop, field: string): Promise<ProposalGroup> {
  const group = await groupOf(shop, field);
  const answer = await decide(shop, "approve", { group: group.group, expected: group.items });
  assert.equal(answer.status, 200, answer.text);
  return group;
}

/** The values of a column of gmc.tsv, by id. */
export async function column(shop: Shop, name: string): Promise<Readonly<Record<string, string>>> {
  assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);
  const [header = "", ...lines] = (await shop.fetch("gmc.tsv")).text.trimEnd().split("\n");
  const at = header.split("\t").indexOf(name);
  return Object.fromEntries(lines.map((line) => [line.split("\t")[0], line.split("\t")[at] ?? ""]));
}

/** What needs the service itself. */
export function reviewing(api: RunningApi) {
  const look = async (shop: Shop): Promise<void> => {
    const answer = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
    assert.equal(answer.status, 202, answer.text);
    await untilRun(api.db, (answer.json as { data: { run_id: string } }).data.run_id, "succeeded");
  };
  return {
    look,
    openShop: async (products = SHIRTS): Promise<Shop> => {
      const shop = await api.openShop();
      await push(shop, products);
      await look(shop);
      return shop;
    },
    stateOf: async (id: string): Promise<string> => {
      const [row] = await api.db.query<{ state: string }>({
        text: "select state from proposals where id = $1",
        values: [id],
      });
      return row?.state ?? "";
    },
  };
}
