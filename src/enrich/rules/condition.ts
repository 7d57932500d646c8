/** A condition with its values as they are compared. */
import type { Item } from "../../catalog/item.ts";
import type { RuleField, RuleSource } from "./fields.ts";
import type { Operator, QuantityTest, TextTest } from "./operators.ts";
import type { Quantity } from "./quantity.ts";

export type Matches = (item: Item, source: RuleSource) => boolean;

export type CompiledCondition = {
  readonly field: RuleField;
  readonly operator: Operator;
  readonly texts: readonly string[];
  readonly quantities: readonly Quantity[];
  readonly textTest: TextTest;
  readonly quantityTest: QuantityTest;
  readonly matches: Matches;
};
