/**
 * Prices as the shop shows them. The REST API gives them as they are entered, which is another number where prices are
 * entered without tax and shown with it, or the other way round. What visitors are shown the Store API says, asked
 * without the key: with it, WooCommerce would show the prices of the key's user. Where it cannot say, the shop's own
 * tax table does; where neither can, there is no price, for a wrong one must not be published.
 */
import { AppError } from "../../errors.ts";
import { amountIn, SHOWN_PRICES, type ShownPrices } from "./amounts.ts";
import type { List } from "./api.ts";
import { isRateHere, shownByTable, type TaxTable, taxTable } from "./base-tax.ts";
import type { Connecting, Shop } from "./connect.ts";
import type { CompleteRows, RowKind } from "./dialect.ts";
import { type Facts, orNull } from "./facts.ts";
import { BY_ID, walkList } from "./walk.ts";
import { idIn, type Row, rowIn, rowsIn, textIn } from "./wire.ts";

export function shownPrices(shop: Shop, connecting: Connecting, facts: Facts): CompleteRows {
  if (facts.showsAsEntered === true) return (rows) => Promise.resolve(rows);
  // Then it shows us the prices of the country that this machine is in.
  let isStoreOpen = facts.visitorPlace !== "geolocated";
  let table: Promise<TaxTable | null> | null = null;

  async function fromStore(ids: readonly number[], kind: RowKind): Promise<ReadonlyMap<number, ShownPrices>> {
    if (!isStoreOpen) return new Map();
    const shown = await askStore(shop, ids, kind, {});
    if (shown === null) {
      isStoreOpen = false;
      return new Map();
    }
    const missing = ids.filter((id) => !shown.has(id));
    if (missing.length === 0) return shown;
    // A shop may hide what is out of stock, unless that is asked for.
    const soldOut = await askStore(shop, missing, kind, { stock_status: "outofstock" });
    return new Map([...shown, ...(soldOut ?? [])]);
  }

  return async (rows, kind) => {
    const ids = rows.flatMap((row) => (hasPrice(row) ? (idIn(row) ?? []) : []));
    if (ids.length === 0) return rows;
    const shown = await fromStore(ids, kind);
    if (ids.every((id) => shown.has(id))) return rows.map((row) => withShown(row, shown, null, facts));
    table ??= readTable(shop, connecting, facts);
    const known = await table;
    if (known === null && !isStoreOpen) throw unknowable(shop, facts);
    return rows.map((row) => withShown(row, shown, known, facts));
  };
}

/** A variable product is not sold itself; its prices are those of its variations. */
function hasPrice(row: Row): boolean {
  return textIn(row, "price") !== undefined || textIn(row, "regular_price") !== undefined;
}

function withShown(
  row: Row,
  shown: ReadonlyMap<number, ShownPrices>,
  table: TaxTable | null,
  facts: Facts,
): Row {
  if (!hasPrice(row)) return row;
  const prices = shown.get(idIn(row) ?? 0) ?? (table === null ? null : shownByTable(row, facts, table));
  return { ...row, [SHOWN_PRICES]: prices };
}

/** Null where the Store API is closed, or there is none. */
async function askStore(
  { visitor }: Shop,
  ids: readonly number[],
  kind: RowKind,
  more: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<number, ShownPrices> | null> {
  const query = {
    ...(kind === "variation" ? { type: "variation" } : {}),
    include: ids.join(","),
    per_page: String(ids.length),
    _fields: "id,prices",
    ...more,
  };
  const answer = await orNull(visitor.get("wc/store/v1/products", query));
  if (!Array.isArray(answer?.body)) return null;
  const found = rowsIn({ rows: answer.body }, "rows").flatMap((row) => {
    const id = idIn(row);
    return id === null ? [] : [[id, shownIn(rowIn(row, "prices"))] as const];
  });
  return new Map(found);
}

function shownIn(prices: Row): ShownPrices {
  const fields = ["price", "regular_price", "sale_price"].flatMap((field) => {
    const amount = amountIn(prices, field);
    return amount === undefined ? [] : [[field, amount] as const];
  });
  return Object.fromEntries(fields);
}

const RATES: List = {
  route: "wc/v3/taxes",
  query: { ...BY_ID, _fields: "id,country,state,postcodes,cities,rate,priority,compound,class" },
  what: "tax rates",
};

async function readTable(shop: Shop, connecting: Connecting, facts: Facts): Promise<TaxTable | null> {
  if (facts.showsTax === null || facts.baseCountry === null) return null;
  const here: Row[] = [];
  const walk = async (): Promise<TaxTable> => {
    for await (const page of walkList({ ...connecting, api: shop.api }, RATES)) {
      for (const listed of page)
        if (listed.kind === "row" && isRateHere(listed.row, facts)) here.push(listed.row);
    }
    return taxTable(here);
  };
  return orNull(walk());
}

function unknowable({ api }: Shop, { showsTax, pricesIncludeTax }: Facts): AppError {
  const settings = "WooCommerce → Settings → Tax";
  const why =
    showsTax === null || pricesIncludeTax === null
      ? "does not let this key read whether it shows prices with or without tax"
      : `shows prices ${showsTax ? "with" : "without"} tax, but its REST API gives them ${pricesIncludeTax ? "with" : "without"}`;
  return new AppError(
    "source_unavailable",
    `${api.host} ${why}, and neither its Store API nor its tax rates say what visitors see. Nothing was changed. Allow the addresses under /wp-json/wc/store/ in the plugin that blocks them, make the key for an administrator or shop manager, or enter prices as they are shown (${settings}).`,
  );
}
