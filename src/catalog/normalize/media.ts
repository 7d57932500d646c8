/** Where the item is sold and what it looks like. */
import { ADDRESS_PROBLEMS, webAddress } from "../web-address.ts";
import {
  firstOf,
  given,
  type Intake,
  type ItemUnderWay,
  type Needed,
  put,
  quoted,
  reject,
} from "./intake.ts";
import { isBlank } from "../text.ts";
import { addressOf, readAddress } from "./typed-fields.ts";

/** No feed takes more than eleven images; shops rarely have fifty. */
const MOST_IMAGES = 50;
const MOST_VIDEOS = 20;

export function readLink(intake: Intake): Needed<string> {
  const text = given(intake, "link");
  if (text === undefined) return reject(intake, "missing_link", "link", "The item has no link.");
  const address = webAddress(text, intake.settings.storeUrl);
  if (address.kind === "valid") return address;
  const message = `The link ${quoted(text)} ${ADDRESS_PROBLEMS[address.reason]}.`;
  return reject(intake, "invalid_link", "link", message);
}

export function fillMedia(item: ItemUnderWay, intake: Intake): void {
  put(item, "canonicalLink", addressOf(intake, "canonicalLink"));
  put(item, "mobileLink", addressOf(intake, "mobileLink"));
  put(item, "images", readImages(intake));
  put(item, "videos", readVideos(intake));
}

function readImages(intake: Intake): readonly string[] | undefined {
  const main = given(intake, "image");
  const more = intake.draft.additionalImages ?? [];
  const images: string[] = [];
  if (main !== undefined) addAddress(intake, "image", main, images);
  for (const text of firstOf(intake, "additionalImages", more, MOST_IMAGES - 1))
    addAddress(intake, "additionalImages", text, images);
  return images.length === 0 ? undefined : images;
}

function readVideos(intake: Intake): readonly string[] | undefined {
  const videos: string[] = [];
  for (const text of firstOf(intake, "videos", intake.draft.videos ?? [], MOST_VIDEOS))
    addAddress(intake, "videos", text, videos);
  return videos.length === 0 ? undefined : videos;
}

function addAddress(intake: Intake, field: string, text: string, addresses: string[]): void {
  if (isBlank(text)) return;
  const address = readAddress(intake, field, text);
  if (address !== undefined && !addresses.includes(address)) addresses.push(address);
}
