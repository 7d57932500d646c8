/** The part of schema.org's release 30.0 that offers are made of: properties of three types, and enumerations. */
import { AVAILABILITY_TERMS, CONDITION_TERMS, SCHEMA_ORG_FIELD_TABLE } from "../fields.ts";

const words = (text: string) => text.trim().split(/\s+/);

const THING = words(`additionalType alternateName description disambiguatingDescription identifier image
  mainEntityOfPage name owner potentialAction sameAs subjectOf url`);

const PRODUCT = words(`additionalProperty aggregateRating asin audience award brand category color colorSwatch
  countryOfAssembly countryOfLastProcessing countryOfOrigin depth displayLocation funding gtin gtin12 gtin13 gtin14 gtin8
  hasAdultConsideration hasCertification hasEnergyConsumptionDetails hasGS1DigitalLink hasMeasurement
  hasMerchantReturnPolicy height inProductGroupWithID isAccessoryOrSparePartFor isConsumableFor isFamilyFriendly
  isRelatedTo isSimilarTo isVariantOf isbn itemCondition keywords logo manufacturer material mobileUrl model mpn
  negativeNotes nsn offers pattern positiveNotes productID productionDate purchaseDate releaseDate review shippingDetails
  size sku slogan weight width`);

const OFFER = words(`acceptedPaymentMethod addOn additionalProperty advanceBookingRequirement aggregateRating
  areaServed asin availability availabilityEnds availabilityStarts availableAtOrFrom availableDeliveryMethod
  businessFunction category checkoutPageURLTemplate deliveryLeadTime eligibleCustomerType eligibleDuration
  eligibleQuantity eligibleRegion eligibleTransactionVolume gtin gtin12 gtin13 gtin14 gtin8 hasAdultConsideration
  hasGS1DigitalLink hasMeasurement hasMerchantReturnPolicy includesObject ineligibleRegion inventoryLevel
  isFamilyFriendly itemCondition itemOffered leaseLength mobileUrl mpn offeredBy price priceCurrency priceSpecification
  priceValidUntil review seller serialNumber shippingDetails sku validForMemberTier validFrom validThrough warranty`);

/** Every property that a type may have. A node of several types may have more, and is not checked. */
export const PROPERTIES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["Product", new Set([...THING, ...PRODUCT, ...Object.keys(SCHEMA_ORG_FIELD_TABLE.types.Product)])],
  ["Offer", new Set([...THING, ...OFFER, ...Object.keys(SCHEMA_ORG_FIELD_TABLE.types.Offer)])],
  [
    "ProductGroup",
    new Set([
      ...THING,
      ...PRODUCT,
      "hasVariant",
      "productGroupID",
      "variesBy",
      ...Object.keys(SCHEMA_ORG_FIELD_TABLE.types.ProductGroup),
    ]),
  ],
]);

export const SUPERSEDED: ReadonlyMap<string, string> = new Map([
  ["reviews", "review"],
  ["awards", "award"],
  ["hasProductReturnPolicy", "hasMerchantReturnPolicy"],
]);

export const AVAILABILITIES: ReadonlySet<string> = new Set([
  ...Object.values(AVAILABILITY_TERMS).filter((term) => term !== undefined),
  ...words(`Discontinued InStoreOnly LimitedAvailability OnlineOnly PreSale SoldOut MadeToOrder Reserved`),
]);

export const CONDITIONS: ReadonlySet<string> = new Set([
  ...Object.values(CONDITION_TERMS),
  "DamagedCondition",
]);

export const RETURN_CATEGORIES: ReadonlySet<string> = new Set(
  words(`MerchantReturnFiniteReturnWindow MerchantReturnUnlimitedWindow MerchantReturnNotPermitted
    MerchantReturnUnspecified`),
);

/** The values that Google reads in `variesBy`, each with a test whether a variant has it. */
export const AXES: ReadonlySet<string> = new Set(
  words("color size suggestedAge suggestedGender material pattern"),
);

/** Types of sellers; their policies may be links only. */
export const ORGANIZATIONS: ReadonlySet<string> = new Set(
  words("Organization OnlineStore OnlineBusiness Store LocalBusiness Corporation"),
);
