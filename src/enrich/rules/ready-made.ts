/** Rules for common wishes. Each is complete; values that only another shop would have are marked as examples. */
import type { ReadyMadeRule } from "../../contract/rules.ts";
import list from "./ready-made.json" with { type: "json" };

export const READY_MADE_RULES = list as readonly ReadyMadeRule[];
