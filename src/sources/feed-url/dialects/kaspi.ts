/**
 * Kaspi's XML: `kaspi_catalog` with an `offer` for each item. Its prices and availability are those of cities and of
 * pickup points; they name no currency, and there are no links and images.
 */
import type { Draft } from "../../../catalog/draft.ts";
import type { XmlElement } from "../../../lib/formats/xml-elements.ts";
import { counted } from "../../../lib/counted.ts";
import { countOmissions, defined } from "./kit.ts";
import { childrenNamed, childTexts, type ItemReading, withoutAlias, type XmlDialect } from "./xml-dialect.ts";

export const kaspi: XmlDialect = {
  name: "Kaspi XML",
  matches: (root, record) => root === "kaspi_catalog" && record === "offer",
  records: new Set(["offer"]),
  columns: { sku: "item_id", model: "title", cityprices: "price", ...withoutAlias("availabilities") },
  open: () => ({ begin }),
};

function begin(): ItemReading {
  const several = countOmissions(
    (count, values) =>
      `${counted(count, "item has", "items have")} prices that differ between cities, of which none is taken: ${values}.`,
  );

  function complete(element: XmlElement, draft: Draft): Draft {
    const inCities = childrenNamed(element, "cityprices").flatMap((list) => childTexts(list, "cityprice"));
    const [price, ...others] = new Set(inCities);
    if (draft.price === undefined && others.length > 0) several.add([price, ...others].join(", "));
    return {
      ...stockOf(element),
      ...defined({ price: others.length === 0 ? price : undefined }),
      ...draft,
    };
  }

  return { complete, notes: several.notes };
}

/** In stock if one of the pickup points has the item. `preOrder` is the number of days until it arrives there. */
function stockOf(element: XmlElement): Draft {
  const points = childrenNamed(element, "availabilities").flatMap((list) =>
    childrenNamed(list, "availability").map(({ attributes }) => attributes),
  );
  if (points.length === 0) return {};
  const open = points.filter((point) => /^(?:yes|true)$/i.test(point["available"] ?? ""));
  if (open.length === 0) return { availability: "out of stock" };
  const days = open.map((point) => Number(point["preOrder"] ?? 0)).filter((count) => count >= 0);
  const soonest = days.length === 0 ? 0 : Math.min(...days);
  return {
    availability: "in stock",
    ...defined({ deliveryTime: soonest > 0 ? String(soonest) : undefined }),
  };
}
