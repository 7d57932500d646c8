/** Addresses as they go into lists, where a comma separates. */
import type { Item } from "../../catalog/item.ts";

export function commaSafe(url: string): string {
  return url.includes(",") ? url.replaceAll(",", "%2C") : url;
}

/** The images after the main one, in order and each once; undefined when there are none. */
export function furtherImages({ images }: Item): readonly string[] | undefined {
  if (images === undefined || images.length < 2) return undefined;
  const further: string[] = [];
  let place = 0;
  for (const image of images) {
    if (place > 0 && images.indexOf(image) === place) further.push(commaSafe(image));
    place += 1;
  }
  return further.length === 0 ? undefined : further;
}
