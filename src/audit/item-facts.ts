/**
 * Facts that depend on the item alone. Consecutive items mostly share description, host and image, so the last result
 * of each is memoized.
 */
import type { Item } from "../catalog/item.ts";
import { isDummyText } from "../catalog/filler-words.ts";
import type { MutableRuleContext } from "./rule.ts";
import { NO_TEXT_FACTS, type TextFacts, textFacts } from "./text-checks.ts";
import { type HostFacts, hostFacts, type ImageFacts, imageFacts, NO_IMAGE_FACTS } from "./url-checks.ts";

export class ItemFacts {
  private readonly storeHost: string | null;
  private lastDescription = "";
  private lastText: TextFacts = NO_TEXT_FACTS;
  /** The link up to the slash after its host. */
  private lastOrigin = "";
  private lastHost: HostFacts = { host: "", isPublic: false, isOwn: false };
  private lastImageUrl = "";
  private lastImage: ImageFacts = NO_IMAGE_FACTS;

  constructor(storeHost: string | null) {
    this.storeHost = storeHost;
  }

  fill({ title, description, link, images }: Item, context: MutableRuleContext): void {
    context.isDummyTitle = isDummyText(title);
    context.description = description === undefined ? NO_TEXT_FACTS : this.textFacts(description);
    context.host = this.hostFacts(link);
    context.mainImage = images === undefined ? NO_IMAGE_FACTS : this.imageFacts(images[0] ?? "");
  }

  private textFacts(description: string): TextFacts {
    if (description !== this.lastDescription) {
      this.lastDescription = description;
      this.lastText = textFacts(description);
    }
    return this.lastText;
  }

  private hostFacts(link: string): HostFacts {
    if (this.lastOrigin === "" || !link.startsWith(this.lastOrigin)) {
      this.lastHost = hostFacts(link, this.storeHost);
      const slash = link.indexOf("/", link.indexOf("//") + 2);
      this.lastOrigin = slash < 0 ? "" : link.slice(0, slash + 1);
    }
    return this.lastHost;
  }

  private imageFacts(url: string): ImageFacts {
    if (url !== this.lastImageUrl) {
      this.lastImageUrl = url;
      this.lastImage = imageFacts(url);
    }
    return this.lastImage;
  }
}
