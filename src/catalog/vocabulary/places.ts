/** Country and language codes. Languages are checked by shape. */
import { COUNTRIES } from "../../lib/iso-codes.ts";

const LANGUAGE = /^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?$/i;

/** `de` and `DE` are Germany; `UK` and `EL` are what Britain and Greece call themselves in feeds. */
export function readCountry(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (code === "UK") return "GB";
  if (code === "EL") return "GR";
  return COUNTRIES.has(code) ? code : undefined;
}

/** A BCP 47 tag of language, script and region, in the usual case: `zh-Hant-TW`. */
export function readLanguage(text: string): string | undefined {
  const parts = LANGUAGE.exec(text.trim());
  if (parts === null) return undefined;
  const [, language = "", script, region] = parts;
  const cased =
    script === undefined ? "" : `-${script.charAt(0).toUpperCase()}${script.slice(1).toLowerCase()}`;
  return `${language.toLowerCase()}${cased}${region === undefined ? "" : `-${region.toUpperCase()}`}`;
}
