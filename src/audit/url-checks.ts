/**
 * What the URLs of an item show without fetching them: whether the host is public, whether the page is the home page,
 * and whether the image is of a type Google does not read or a placeholder.
 */
import { isPlaceholderImage } from "../channels/kit/validate/checks/url.ts";
import { hasPublicHost, hostOf, isPublicHost } from "../lib/public-host.ts";

export function bareHost(host: string): string {
  return host.startsWith("www.") ? host.slice(4) : host;
}

/**
 * Whether two hosts are the same or one is a subdomain of the other: `shop.example` and `www.shop.example`, but not
 * `shop.example` and `other.example`.
 */
export function isSameSite(a: string, b: string): boolean {
  const [one, other] = [bareHost(a), bareHost(b)];
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

export type HostFacts = {
  readonly host: string;
  readonly isPublic: boolean;
  /** Whether the page is on the store's own site; true if no store URL is set. */
  readonly isOwn: boolean;
};

/** The facts about an item without a link. */
export const NO_HOST_FACTS: HostFacts = { host: "", isPublic: false, isOwn: true };

export function hostFacts(url: string, store: string | null): HostFacts {
  const host = hostOf(url);
  return { host, isPublic: isPublicHost(host), isOwn: store === null || isSameSite(host, store) };
}

/** Matches an optional language, then an optional index page. */
const HOME_PATH =
  /^\/?(?:(?:ar|cs|da|de|el|en|es|fi|fr|hu|it|ja|ko|nb|nl|no|pl|pt|ro|ru|sk|sv|tr|uk|zh)(?:[-_][a-z]{2})?\/?)?(?:(?:index|home|default|shop|store)(?:\.[a-z]{3,5})?\/?)?$/i;
const TRACKING = /^(?:utm_[a-z]+|gclid|fbclid|srsltid|ref|source|currency|country|lang)=/i;
const MAX_HOME_PATH = 24;

/** Whether neither the path nor the query identifies a product. */
export function isHomePage(url: string): boolean {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const rest = start < 0 ? url.slice(url.indexOf("//") + 2 + hostOf(url).length) : url.slice(start);
  if (rest.includes("#")) return false;
  const [path = "", query = ""] = rest.split("?", 2);
  if (path.length > MAX_HOME_PATH || !HOME_PATH.test(path)) return false;
  return query === "" || query.split("&").every((part) => TRACKING.test(part));
}

/** Google reads JPEG, PNG, GIF, BMP, TIFF and WebP. A URL without an extension may be any of them. */
const OTHER_EXTENSIONS = new Set(
  "svg avif heic heif ico psd ai eps pdf htm html txt json xml zip mp4 mov webm avi glb".split(" "),
);
const MAX_EXTENSION = 4;

function fileName(url: string): string {
  const end = endOfPath(url);
  return url.slice(url.lastIndexOf("/", end - 1) + 1, end);
}

function endOfPath(url: string): number {
  const query = url.indexOf("?");
  if (query >= 0) return query;
  const fragment = url.indexOf("#");
  return fragment >= 0 ? fragment : url.length;
}

function isOtherType(name: string): boolean {
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return extension.length <= MAX_EXTENSION && OTHER_EXTENSIONS.has(extension.toLowerCase());
}

const LIKE_PLACEHOLDER =
  /placeholder|coming[-_]?soon|(?<![a-z])no[-_]?(?:image|photo|picture|img)(?![a-z])|(?:image|photo|picture)[-_]?(?:not[-_]?available|missing|unavailable)|^(?:default|blank|dummy)(?:[-_](?:image|product))?\./i;

/** Facts from the file name only: some shops keep their real images in a folder called "default". */
export type ImageFacts = {
  readonly isPublic: boolean;
  readonly isOtherType: boolean;
  /** Google refuses the image by its name. */
  readonly isPlaceholder: boolean;
  /** The name contains a word that is usual for placeholders. */
  readonly isLikePlaceholder: boolean;
};

export const NO_IMAGE_FACTS: ImageFacts = {
  isPublic: true,
  isOtherType: false,
  isPlaceholder: false,
  isLikePlaceholder: false,
};

export function imageFacts(url: string): ImageFacts {
  const name = fileName(url);
  return {
    isPublic: hasPublicHost(url),
    isOtherType: isOtherType(name),
    isPlaceholder: isPlaceholderImage(url),
    isLikePlaceholder: LIKE_PLACEHOLDER.test(name),
  };
}
