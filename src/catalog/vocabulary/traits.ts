/** How shops spell the closed lists of `item.ts`, and yes and no, in the languages of our users' markets. */
import type { AgeGroup, Gender, SizeSystem, SizeType, VariantTrait } from "../item.ts";
import { wordTable } from "../words.ts";
import phrases from "./traits.json" with { type: "json" };

export const YES_NO_WORDS = wordTable(phrases.yesNo);
/** Whether the shop shows the item. `-1` is how WooCommerce exports a draft. */
export const PUBLISHED_WORDS = wordTable(phrases.published);
export const GENDER_WORDS = wordTable<Gender>(phrases.gender);
export const AGE_GROUP_WORDS = wordTable<AgeGroup>(phrases.ageGroup);
export const SIZE_SYSTEM_WORDS = wordTable<SizeSystem>(phrases.sizeSystem);
export const SIZE_TYPE_WORDS = wordTable<SizeType>(phrases.sizeType);
/** The labels of Regulation (EU) 2017/1369 and of the scale before it. */
export const ENERGY_CLASS_WORDS = wordTable(phrases.energyClass);
/** Which trait an option of this name is about: `Colour: Teal` is a color. */
export const OPTION_NAME_WORDS = wordTable<VariantTrait>(phrases.optionName);
/** Which other field an attribute of this name fills. */
export const ATTRIBUTE_NAME_WORDS = wordTable(phrases.attributeName);
