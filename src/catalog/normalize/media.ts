/** Links, images and videos. */
import { URL_PROBLEMS, parseUrl } from "../url.ts";
import {
  firstOf,
  readField,
  type DraftState,
  type MutableItem,
  type RequiredValue,
  setField,
  quoted,
  reject,
} from "./fields.ts";
import { isBlank } from "../text.ts";
import { urlField, readUrlText } from "./typed-fields.ts";

/** No feed accepts more than eleven images; shops rarely have fifty. */
const MOST_IMAGES = 50;
const MOST_VIDEOS = 20;

export function readLink(state: DraftState): RequiredValue<string> {
  const text = readField(state, "link");
  if (text === undefined) return reject(state, "missing_link", "link", "The item has no link.");
  const address = parseUrl(text, state.settings.storeUrl);
  if (address.kind === "valid") return address;
  const message = `The link ${quoted(text)} ${URL_PROBLEMS[address.reason]}.`;
  return reject(state, "invalid_link", "link", message);
}

export function fillMedia(item: MutableItem, state: DraftState): void {
  setField(item, "canonicalLink", urlField(state, "canonicalLink"));
  setField(item, "mobileLink", urlField(state, "mobileLink"));
  setField(item, "images", readImages(state));
  setField(item, "videos", readVideos(state));
}

function readImages(state: DraftState): readonly string[] | undefined {
  const main = readField(state, "image");
  const more = state.draft.additionalImages ?? [];
  const images: string[] = [];
  if (main !== undefined) addUrl(state, "image", main, images);
  for (const text of firstOf(state, "additionalImages", more, MOST_IMAGES - 1))
    addUrl(state, "additionalImages", text, images);
  return images.length === 0 ? undefined : images;
}

function readVideos(state: DraftState): readonly string[] | undefined {
  const videos: string[] = [];
  for (const text of firstOf(state, "videos", state.draft.videos ?? [], MOST_VIDEOS))
    addUrl(state, "videos", text, videos);
  return videos.length === 0 ? undefined : videos;
}

function addUrl(state: DraftState, field: string, text: string, addresses: string[]): void {
  if (isBlank(text)) return;
  const address = readUrlText(state, field, text);
  if (address !== undefined && !addresses.includes(address)) addresses.push(address);
}
