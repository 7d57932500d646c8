/**
 * The limits that rules use, from the field tables of the channels. Where two channels limit the same field, the lower
 * limit is used.
 */
import { COLOR_LIMITS, GOOGLE_FIELD_TABLE } from "../channels/google/fields.ts";
import { limitOf } from "../channels/kit/field-table.ts";
import { OPENAI_FIELD_TABLE } from "../channels/openai/fields.ts";

const GOOGLE = GOOGLE_FIELD_TABLE.fields;
const OPENAI = OPENAI_FIELD_TABLE.fields;

export const CHANNEL_LIMITS = {
  id: Math.min(limitOf(GOOGLE.id), limitOf(OPENAI.item_id)),
  title: Math.min(limitOf(GOOGLE.title), limitOf(OPENAI.title)),
  description: Math.min(limitOf(GOOGLE.description), limitOf(OPENAI.description)),
  url: Math.min(limitOf(GOOGLE.link), limitOf(GOOGLE.image_link)),
  brand: Math.min(limitOf(GOOGLE.brand), limitOf(OPENAI.brand)),
  mpn: Math.min(limitOf(GOOGLE.mpn), limitOf(OPENAI.mpn)),
  size: Math.min(limitOf(GOOGLE.size), limitOf(OPENAI.size)),
  material: Math.min(limitOf(GOOGLE.material), limitOf(OPENAI.material)),
  color: COLOR_LIMITS.codePoints,
  colors: COLOR_LIMITS.colors,
} as const;
