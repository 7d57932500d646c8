/** Rules for common wishes. Each is complete, with examples in the places that are to be filled in. */
import type { ReadyMadeRule } from "../../contract/rules.ts";
import list from "./ready-made.json" with { type: "json" };

export const READY_MADE_RULES = list as readonly ReadyMadeRule[];
