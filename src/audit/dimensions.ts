/** Whether an item's measures can be used by those who want them in full: enough axes, in one unit. */
import type { Item, LengthUnit, Measure } from "../catalog/item.ts";

type Axis = Measure<LengthUnit> | undefined;

function isWhole(axes: readonly [Axis, Axis, Axis], least: number): boolean {
  let unit: LengthUnit | undefined;
  let given = 0;
  for (const axis of axes) {
    if (axis === undefined) continue;
    if (unit !== undefined && axis.unit !== unit) return false;
    unit = axis.unit;
    given++;
  }
  return given === 0 || given >= least;
}

function hasAxes({ length, width, height }: Item): boolean {
  return length !== undefined || width !== undefined || height !== undefined;
}

function hasParcelAxes({ shippingLength, shippingWidth, shippingHeight }: Item): boolean {
  return shippingLength !== undefined || shippingWidth !== undefined || shippingHeight !== undefined;
}

/** OpenAI needs two axes of the item, Google all three of the parcel. */
export function areDimensionsWhole(item: Item): boolean {
  if (hasAxes(item) && !isWhole([item.length, item.width, item.height], 2)) return false;
  if (!hasParcelAxes(item)) return true;
  return isWhole([item.shippingLength, item.shippingWidth, item.shippingHeight], 3);
}
