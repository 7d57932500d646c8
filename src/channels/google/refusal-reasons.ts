/** Why Google will refuse an item; `refusals.ts` has the test of each reason. */
import { GOOGLE_LIMITS } from "../../catalog/google-limits.ts";
import { addressRefusals } from "../kit/field-table.ts";

export const GOOGLE_REFUSALS = {
  id_too_long: {
    field: "id",
    message: `The id has more than ${GOOGLE_LIMITS.id} characters; cut, it could name another item, and it must be the same in every file.`,
  },
  missing_description: {
    field: "description",
    message: "The item has no description, or only a filler word; Google requires one.",
  },
  missing_link: {
    field: "link",
    message: `The item has no link, or only one of more than ${GOOGLE_LIMITS.url} characters; Google requires one.`,
  },
  missing_image: {
    field: "image_link",
    message: `The item has no image, or only one whose address has more than ${GOOGLE_LIMITS.url} characters; Google requires one.`,
  },
  ...addressRefusals({ link: "link", image: "image_link" }),
  placeholder_image: {
    field: "image_link",
    message: "The first image is a placeholder by its file name, which Google refuses.",
  },
  unknown_availability: {
    field: "availability",
    message:
      "The item's availability is unknown, and Google requires one of its four values; the cell is empty.",
  },
  missing_availability_date: {
    field: "availability_date",
    message: "The item is on pre-order without a date in the future, which Google requires.",
  },
  offer_expired: {
    field: "expiration_date",
    message: "The offer has expired, so Google does not show the item.",
  },
  price_not_positive: { field: "price", message: "The price is zero; Google takes it for contracts only." },
} as const;
