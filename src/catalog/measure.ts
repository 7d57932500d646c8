/**
 * Weights, lengths and the quantities of unit prices: a positive exact number and one of a closed list of units.
 * Metric neighbors that we do not keep (mg, t, dm) are moved to one that we do, exactly; nothing is rounded.
 */
import { type Checked, invalid, valid } from "./checked.ts";
import { parseDecimal, shiftDecimal } from "./decimal.ts";
import type { LengthUnit, Measure, WeightUnit } from "./item.ts";
import type { DecimalMark } from "./decimal.ts";

export type MeasureHints = {
  /** The unit of a number that names none, as the source spells it. */
  readonly unit?: string | undefined;
  readonly decimalMark?: DecimalMark | undefined;
};

/** A unit we keep, and by how many places a number moves to get there. */
type TargetUnit<Unit> = { readonly unit: Unit; readonly shift: number };
type UnitTable<Unit> = ReadonlyMap<string, TargetUnit<Unit>>;

/** Builds a table from `unit: its spellings`; a spelling with `*10^n` moves the number by n places. */
function unitTable<Unit extends string>(spellings: Readonly<Record<Unit, string>>): UnitTable<Unit> {
  const table = new Map<string, TargetUnit<Unit>>();
  for (const unit in spellings) {
    for (const spelling of spellings[unit].split(" ")) {
      const [name = "", shift = "0"] = spelling.split("*10^");
      table.set(name, { unit, shift: Number(shift) });
    }
  }
  return table;
}

const WEIGHTS = unitTable<WeightUnit>({
  g: "g gr grm gram grams gramm gramme grammes gramo gramos grammo grammi grammen gms mg*10^-3 milligram*10^-3 milligrams*10^-3",
  kg: "kg kgs kgm kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos chilogrammi t*10^3 tonne*10^3 tonnes*10^3",
  oz: "oz ozs onz ounce ounces unze unzen once",
  lb: "lb lbs lbr pound pounds pfd",
});

const LENGTHS = unitTable<LengthUnit>({
  mm: "mm mmt millimeter millimeters millimetre millimetres millimètre millimètres milimetro milimetros",
  cm: "cm cmt centimeter centimeters centimetre centimetres zentimeter centimètre centimètres centimetro centimetros centimetri dm*10^1",
  m: "m mtr meter meters metre metres mètre mètres metro metros metri",
  in: `in inh inch inches zoll pouce pouces pulgada pulgadas pollici " ″ ” '' ′′`,
  ft: "ft fot foot feet fuß fuss pied pieds ' ′ ’",
});

/** The units of Google's `unit_pricing_measure`. */
const QUANTITIES = unitTable({
  oz: "oz ounce ounces",
  lb: "lb lbs pound pounds",
  mg: "mg milligram milligrams",
  g: "g gr gram grams gramm gramme grammes",
  kg: "kg kgs kilo kilos kilogram kilograms kilogramm",
  floz: "floz fl.oz fluidounce fluidounces",
  pt: "pt pint pints",
  qt: "qt quart quarts",
  gal: "gal gallon gallons",
  ml: "ml milliliter milliliters millilitre millilitres",
  cl: "cl centiliter centiliters centilitre centilitres",
  l: "l lt ltr liter liters litre litres litro litros litri dl*10^-1",
  cbm: "cbm m3 m³ cubicmeter cubicmeters",
  in: 'in inch inches "',
  ft: "ft foot feet",
  yd: "yd yard yards",
  cm: "cm centimeter centimeters centimetre centimetres mm*10^-1",
  m: "m meter meters metre metres",
  sqft: "sqft ft2 ft² squarefoot squarefeet",
  sqm: "sqm m2 m² qm squaremeter squaremeters",
  ct: "ct count pc pcs piece pieces stk stück stuck unit units",
  sheet: "sheet sheets blatt",
  item: "item items",
});

const FAMILIES: readonly ReadonlySet<string>[] = [
  new Set(["oz", "lb", "mg", "g", "kg"]),
  new Set(["floz", "pt", "qt", "gal", "ml", "cl", "l", "cbm"]),
  new Set(["in", "ft", "yd", "cm", "m"]),
  new Set(["sqft", "sqm"]),
  new Set(["ct", "sheet", "item"]),
];

const NUMBER_AND_UNIT = /^([\d.,]+)\s*(\D.*)?$/s;
const LONGEST_TEXT = 60;

export function parseWeight(text: string, hints: MeasureHints): Checked<Measure<WeightUnit>> {
  return parseMeasure(text, WEIGHTS, hints);
}

export function parseLength(text: string, hints: MeasureHints): Checked<Measure<LengthUnit>> {
  return parseMeasure(text, LENGTHS, hints);
}

/** A quantity that a unit price is about: `750ml`, `1.5 kg`. */
export function parseQuantityMeasure(text: string, decimalMark?: DecimalMark): Checked<Measure> {
  return parseMeasure(text, QUANTITIES, { decimalMark });
}

/** Whether a price per one unit can be worked out from a quantity in the other. */
export function areComparable(a: Measure, b: Measure): boolean {
  return FAMILIES.some((family) => family.has(a.unit) && family.has(b.unit));
}

function parseMeasure<Unit extends string>(
  text: string,
  table: UnitTable<Unit>,
  hints: MeasureHints,
): Checked<Measure<Unit>> {
  const parts = text.length > LONGEST_TEXT ? null : NUMBER_AND_UNIT.exec(text.trim());
  if (parts === null) return invalid("not_a_measure");
  const [, digits = "", spelling = hints.unit] = parts;
  const number = parseDecimal(digits, hints.decimalMark);
  if (number === undefined) return invalid("not_a_measure");
  if (number === "0") return invalid("zero");
  if (spelling === undefined) return invalid("missing_unit");
  return inUnit(number, table.get(spelling) ?? table.get(foldUnit(spelling)));
}

function inUnit<Unit extends string>(
  number: string,
  target: TargetUnit<Unit> | undefined,
): Checked<Measure<Unit>> {
  if (target === undefined) return invalid("unknown_unit");
  return valid({ value: shiftDecimal(number, target.shift), unit: target.unit });
}

function foldUnit(spelling: string): string {
  return spelling.toLowerCase().replace(/\s+|\.$/g, "");
}
