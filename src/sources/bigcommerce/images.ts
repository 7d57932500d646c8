/**
 * A variant's pictures: its own first, then the product's, the thumbnail before the others, each in the largest size
 * there is. The shop writes the size into the file name, so that one picture has several addresses: it is kept once.
 */
import { type Fields, objectsIn, isTrue, numberIn, textIn } from "./wire.ts";

export type ImageTexts = { readonly image?: string; readonly additionalImages?: readonly string[] };

export function imagesOf(product: Fields, variant: Fields): ImageTexts {
  const pictures = objectsIn(product, "images").toSorted(byRank).flatMap(largest);
  const own = textIn(variant, "image_url");
  const [image, ...others] = own === undefined ? pictures : withFirst(own, pictures);
  if (image === undefined) return {};
  return others.length === 0 ? { image } : { image, additionalImages: others };
}

function byRank(a: Fields, b: Fields): number {
  return rank(a) - rank(b);
}

function rank(image: Fields): number {
  return isTrue(image, "is_thumbnail") ? Number.NEGATIVE_INFINITY : (numberIn(image, "sort_order") ?? 0);
}

function largest(image: Fields): readonly string[] {
  const url = textIn(image, "url_zoom") ?? textIn(image, "url_standard") ?? textIn(image, "image_url");
  return url === undefined ? [] : [url];
}

function withFirst(own: string, pictures: readonly string[]): readonly string[] {
  const key = pictureOf(own);
  const same = pictures.find((url) => pictureOf(url) === key);
  return [same ?? own, ...pictures.filter((url) => pictureOf(url) !== key)];
}

/** The address without its size (`….386.513.jpg?c=2`): what is the same picture has the same. */
function pictureOf(url: string): string {
  return url.replace(/\?.*$/s, "").replace(/\.\d{1,5}\.\d{1,5}(\.[a-z]{3,4})$/i, "$1");
}
