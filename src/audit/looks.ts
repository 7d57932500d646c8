/**
 * What can be told of an item's long values without looking at any other item. Neighbors in a catalog mostly share
 * their description, host and image, so the newest answer of each is kept; an answer depends on its question alone,
 * so remembering never shows.
 */
import type { Item } from "../catalog/item.ts";
import { isDummyText } from "../catalog/filler-words.ts";
import { type HostSigns, hostSigns } from "./host.ts";
import { type ImageSigns, imageSigns, NO_IMAGE_SIGNS } from "./image-name.ts";
import type { PlaceUnderWay } from "./place.ts";
import { NO_SIGNS, signsOf, type TextSigns } from "./text-signs.ts";

export class Looks {
  private readonly store: string | null;
  private description = "";
  private text: TextSigns = NO_SIGNS;
  /** The link's beginning up to the slash after its host. */
  private origin = "";
  private host: HostSigns = { host: "", isPublic: false, isOwn: false };
  private image = "";
  private picture: ImageSigns = NO_IMAGE_SIGNS;

  constructor(store: string | null) {
    this.store = store;
  }

  look({ title, description, link, images }: Item, place: PlaceUnderWay): void {
    place.isDummyTitle = isDummyText(title);
    place.description = description === undefined ? NO_SIGNS : this.textSigns(description);
    place.host = this.hostSigns(link);
    place.mainImage = images === undefined ? NO_IMAGE_SIGNS : this.imageSigns(images[0] ?? "");
  }

  private textSigns(description: string): TextSigns {
    if (description !== this.description) {
      this.description = description;
      this.text = signsOf(description);
    }
    return this.text;
  }

  private hostSigns(link: string): HostSigns {
    if (this.origin === "" || !link.startsWith(this.origin)) {
      this.host = hostSigns(link, this.store);
      const slash = link.indexOf("/", link.indexOf("//") + 2);
      this.origin = slash < 0 ? "" : link.slice(0, slash + 1);
    }
    return this.host;
  }

  private imageSigns(image: string): ImageSigns {
    if (image !== this.image) {
      this.image = image;
      this.picture = imageSigns(image);
    }
    return this.picture;
  }
}
