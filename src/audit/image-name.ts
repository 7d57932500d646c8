/** What the address of an image gives away without fetching it: that it is no image Google reads, or only stands in for one. */

/** Google reads JPEG, PNG, GIF, BMP, TIFF and WebP. An address without an ending may be any of them. */
const OTHER_ENDINGS = new Set(
  "svg avif heic heif ico psd ai eps pdf htm html txt json xml zip mp4 mov webm avi glb".split(" "),
);
const LONGEST_ENDING = 4;

/** The file name of an address: what stands after the last slash of its path. */
function fileName(address: string): string {
  const end = endOfPath(address);
  return address.slice(address.lastIndexOf("/", end - 1) + 1, end);
}

function endOfPath(address: string): number {
  const query = address.indexOf("?");
  if (query >= 0) return query;
  const fragment = address.indexOf("#");
  return fragment >= 0 ? fragment : address.length;
}

function isOtherType(name: string): boolean {
  const ending = name.slice(name.lastIndexOf(".") + 1);
  return ending.length <= LONGEST_ENDING && OTHER_ENDINGS.has(ending.toLowerCase());
}

const STAND_IN =
  /placeholder|coming[-_]?soon|(?<![a-z])no[-_]?(?:image|photo|picture|img)(?![a-z])|(?:image|photo|picture)[-_]?(?:not[-_]?available|missing|unavailable)|^(?:default|blank|dummy)(?:[-_](?:image|product))?\./i;

/** What an image's file name gives away. Folders called "default" are where some shops keep their real images. */
export type ImageSigns = { readonly isOtherType: boolean; readonly isStandIn: boolean };

export const NO_IMAGE_SIGNS: ImageSigns = { isOtherType: false, isStandIn: false };

export function imageSigns(address: string): ImageSigns {
  const name = fileName(address);
  const [other, standIn] = [isOtherType(name), STAND_IN.test(name)];
  return other || standIn ? { isOtherType: other, isStandIn: standIn } : NO_IMAGE_SIGNS;
}
